/* How do bytes get into a file when signals and full pipes cut writes short? */
#define _POSIX_C_SOURCE 200809L
#include "core/base/write_all.h"

#include <errno.h>
#include <unistd.h>

int write_all(int fd, const void *bytes, size_t count)
{
    const char *from = bytes;
    while (count) {
        const ssize_t wrote = write(fd, from, count);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return -1;
        from += wrote;
        count -= (size_t)wrote;
    }
    return 0;
}
