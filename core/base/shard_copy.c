/* How is a shard copied that may still grow? */
#define _GNU_SOURCE
#include "core/base/shard_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/shard_tail.h"
#include "core/base/str.h"

static bool copy(int from, int to, uint64_t bytes)
{
    char buffer[65536];
    for (uint64_t at = 0; at < bytes;) {
        const size_t part = bytes - at < sizeof buffer ? (size_t)(bytes - at) : sizeof buffer;
        const ssize_t got = pread(from, buffer, part, (off_t)at);
        if (got <= 0 || write(to, buffer, (size_t)got) != got)
            return false;
        at += (uint64_t)got;
    }
    return true;
}

static mode_t mode_of(int fd)
{
    struct stat about;
    return fstat(fd, &about) ? 0600 : about.st_mode & 0777;
}

int shard_copy_in_place(const char *path, struct err *e)
{
    struct str temporary;
    str_init(&temporary);
    str_addf(&temporary, "%s.XXXXXX", path);
    int rc = 0, to = -1;
    const int from = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const uint64_t bytes = from < 0 ? 0 : shard_tail_whole_bytes(from);
    if (temporary.failed)
        rc = err_memory(e);
    else if (bytes && (to = mkostemp(temporary.text, O_CLOEXEC)) < 0)
        rc = err_set(e, ERR_ENVIRONMENT, "cannot copy '%s': %s", path, strerror(errno));
    else if (bytes && (!copy(from, to, bytes) || fchmod(to, mode_of(from)) || rename(temporary.text, path))) {
        rc = err_set(e, ERR_ENVIRONMENT, "cannot copy '%s': %s", path, strerror(errno));
        unlink(temporary.text);
    }
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    str_release(&temporary);
    return rc;
}
