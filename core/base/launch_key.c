/* What is the text of a launch? */
#include "core/base/launch_key.h"

#include <errno.h>
#include <stdlib.h>

void launch_key_add(struct str *out, const uint32_t grid[3], const uint32_t block[3], const char *kernel)
{
    str_addf(out, "%ux%ux%u %ux%ux%u %s", grid[0], grid[1], grid[2], block[0], block[1], block[2], kernel);
}

/* Reads "24x48x1 " and moves behind it. */
static bool read_sizes(const char **text, uint32_t sizes[3])
{
    for (int i = 0; i < 3; i++) {
        char *end;
        errno = 0;
        const unsigned long size = strtoul(*text, &end, 10);
        if (**text < '0' || **text > '9' || errno || size > UINT32_MAX || *end != (i < 2 ? 'x' : ' '))
            return false;
        sizes[i] = (uint32_t)size;
        *text = end + 1;
    }
    return true;
}

bool launch_key_read(struct launch_key *out, const char *text)
{
    const bool is_key = read_sizes(&text, out->grid) && read_sizes(&text, out->block);
    out->kernel = text;
    return is_key && *text;
}
