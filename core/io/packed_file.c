/* Where is a file of a bundle, and is it packed? */
#define _GNU_SOURCE
#include "core/io/packed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/files.h"
#include "core/base/str.h"
#include "core/io/gzip.h"

static const char *packed_name(struct str *out, const char *path)
{
    str_clear(out);
    str_add(out, path);
    str_add(out, PACKED_FILE_ENDING);
    return str_text(out);
}

bool packed_file_exists(const char *path)
{
    struct str packed;
    str_init(&packed);
    const bool is_there = files_exists(path) || files_exists(packed_name(&packed, path));
    str_release(&packed);
    return is_there;
}

/* Another file may take the name in between, so the file is judged once more when it is open. */
static int open_regular(const char *path, struct err *e)
{
    struct stat info;
    if (stat(path, &info))
        return err_set(e, ERR_INPUT, "cannot read '%s': %s", path, strerror(errno));
    const int fd = S_ISREG(info.st_mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (S_ISREG(info.st_mode) && fd < 0)
        return err_set(e, ERR_INPUT, "cannot read '%s': %s", path, strerror(errno));
    if (fd >= 0 && !fstat(fd, &info) && S_ISREG(info.st_mode))
        return fd;
    if (fd >= 0)
        close(fd);
    errno = EINVAL;
    return err_set(e, ERR_INPUT, "cannot read '%s': it is no regular file", path);
}

/* A duplicate keeps the scratch file when its stream is closed. */
static int unpack(int packed, const char *path, struct caveat_list *caveats, struct err *e)
{
    FILE *in = fdopen(packed, "rb"), *out = NULL;
    if (!in) {
        close(packed);
        return err_memory(e);
    }
    const int rc = gzip_unpack(in, path, &out, caveats, e);
    fclose(in);
    const int fd = rc ? -1 : fcntl(fileno(out), F_DUPFD_CLOEXEC, 0);
    if (!rc)
        fclose(out);
    errno = rc ? EIO : errno;
    return rc || fd >= 0 ? (rc ? rc : fd) : err_set(e, ERR_INPUT, "cannot read '%s': %s", path, strerror(errno));
}

int packed_file_open(const char *path, struct caveat_list *caveats, struct err *e)
{
    struct str packed;
    str_init(&packed);
    packed_name(&packed, path);
    const bool is_packed = !files_exists(path) && files_exists(str_text(&packed));
    int fd = open_regular(is_packed ? str_text(&packed) : path, e);
    if (fd >= 0 && is_packed)
        fd = unpack(fd, str_text(&packed), caveats, e);
    const int trouble = errno;
    str_release(&packed);
    errno = trouble;
    return fd;
}
