/* Which driver do our calls need? */
#include "core/gpu/oldest_driver.h"

#include <stddef.h>

#include "core/base/count_of.h"

const char *oldest_driver(long long cuda_version)
{
    static const struct {
        long long major;
        const char *driver;
    } table[] = {{13, "580"}, {12, "525"}, {11, "450"}};
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (cuda_version / 1000 == table[i].major)
            return table[i].driver;
    return table[0].driver;
}
