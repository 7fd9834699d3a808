/* Which driver do our calls need? */
#include "core/gpu/oldest_driver.h"

#include <stddef.h>

const char *oldest_driver(long long cuda_version)
{
    static const struct {
        long long major;
        const char *driver;
    } table[] = {{13, "580"}, {12, "525"}, {11, "450"}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (cuda_version / 1000 == table[i].major)
            return table[i].driver;
    return table[0].driver;
}
