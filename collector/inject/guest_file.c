/* How is a small file written so that nobody reads half of it and the program notices nothing? */
#define _GNU_SOURCE
#include "collector/inject/guest_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/str.h"

int guest_file_above_stdio(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    const int above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int why = errno;
    close(fd);
    errno = why;
    return above;
}

int guest_file_replace(const char *path, const char *bytes, size_t count, struct err *e)
{
    struct str beside;
    str_init(&beside);
    str_addf(&beside, "%s.part", path);
    const int fd = guest_file_above_stdio(open(str_text(&beside), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    int rc = fd < 0 ? -1 : 0;
    while (count && !rc) {
        const ssize_t wrote = write(fd, bytes, count);
        rc = wrote < 0 && errno != EINTR ? -1 : 0;
        bytes += wrote > 0 ? wrote : 0;
        count -= (size_t)(wrote > 0 ? wrote : 0);
    }
    if (rc || rename(str_text(&beside), path)) {
        rc = err_set(e, ERR_ENVIRONMENT, "cannot write the report: %s", strerror(errno));
        unlink(str_text(&beside));
    }
    if (fd >= 0)
        close(fd);
    str_release(&beside);
    return rc;
}
