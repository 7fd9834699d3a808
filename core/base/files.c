/* How do files get in and out without surprises? */
#define _GNU_SOURCE
#include "core/base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/checksum.h"

#include "core/base/write_all.h"

int files_read(const char *path, size_t max_bytes, struct str *out, struct err *e)
{
    FILE *file = fopen(path, "rbe");
    if (!file)
        return err_set(e, ERR_INPUT, "cannot read '%s': %s", path, strerror(errno));
    char buffer[65536];
    size_t total = 0;
    int rc = 0;
    for (;;) {
        size_t got = fread(buffer, 1, sizeof buffer, file);
        total += got;
        if (total > max_bytes) {
            rc = err_set(e, ERR_INPUT, "'%s' is larger than the %zu bytes allowed for such a file", path, max_bytes);
            break;
        }
        str_add_bytes(out, buffer, got);
        if (got < sizeof buffer) {
            if (ferror(file))
                rc = err_set(e, ERR_INPUT, "cannot read '%s': %s", path, strerror(errno));
            break;
        }
    }
    fclose(file);
    if (!rc && out->failed)
        rc = err_memory(e);
    return rc;
}

static int copy_bytes(FILE *in, int out, const char *from, const char *to, struct err *e)
{
    char buffer[65536];
    for (;;) {
        const size_t got = fread(buffer, 1, sizeof buffer, in);
        if (got && write_all(out, buffer, got))
            return err_set(e, ERR_ENVIRONMENT, "cannot write '%s': %s", to, strerror(errno));
        if (got < sizeof buffer)
            return ferror(in) ? err_set(e, ERR_INPUT, "cannot read '%s': %s", from, strerror(errno)) : 0;
    }
}

/* Opening must not block on a pipe that has no writer. *trouble gets the reason of a failure; NULL: errno has it. */
static FILE *open_regular(const char *path, const char **trouble)
{
    struct stat about;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool is_regular = fd >= 0 && !fstat(fd, &about) && S_ISREG(about.st_mode);
    *trouble = fd >= 0 && !is_regular ? "it is no regular file" : NULL;
    FILE *file = is_regular ? fdopen(fd, "rb") : NULL;
    if (fd >= 0 && !file)
        close(fd);
    return file;
}

int files_copy(const char *from, const char *to, struct err *e)
{
    const char *trouble;
    FILE *in = open_regular(from, &trouble);
    if (!in)
        return err_set(e, ERR_INPUT, "cannot read '%s': %s", from, trouble ? trouble : strerror(errno));
    const int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int rc = out < 0 ? err_set(e, ERR_ENVIRONMENT, "cannot make '%s': %s", to, strerror(errno))
                     : copy_bytes(in, out, from, to, e);
    if (!rc && fsync(out))
        rc = err_set(e, ERR_ENVIRONMENT, "cannot write '%s': %s", to, strerror(errno));
    if (out >= 0 && close(out) && !rc)
        rc = err_set(e, ERR_ENVIRONMENT, "cannot write '%s': %s", to, strerror(errno));
    fclose(in);
    return rc;
}

/* mkstemp makes files that only their owner can read, and reading the umask would change it for all threads. So we
 * choose the name, and the kernel applies the umask. */
static void add_random_name(struct str *path)
{
    static const char characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    unsigned char random[6];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        memset(random, 0, sizeof random);
    str_add_char(path, '.');
    for (size_t i = 0; i < sizeof random; i++)
        str_add_char(path, characters[random[i] % (sizeof characters - 1)]);
}

int files_new_temporary(struct str *path, bool is_directory)
{
    enum { TRIES = 100 };
    const size_t length = path->length;
    for (int i = 0; i < TRIES; i++) {
        path->length = length;
        add_random_name(path);
        if (path->failed) {
            errno = ENOMEM;
            return -1;
        }
        const int made =
            is_directory ? mkdir(path->text, 0777) : open(path->text, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (made >= 0 || errno != EEXIST)
            return made;
    }
    return -1;
}

/* Closes the descriptor in any case. */
static int write_and_close(int fd, const char *bytes, size_t count)
{
    const bool written = !write_all(fd, bytes, count) && !fsync(fd);
    const int trouble = errno;
    const bool closed = !close(fd);
    if (!written)
        errno = trouble;
    return written && closed ? 0 : -1;
}

int files_write_atomic(const char *path, const char *bytes, size_t count, struct err *e)
{
    struct str temporary;
    str_init(&temporary);
    str_add(&temporary, path);
    const int fd = files_new_temporary(&temporary, false);
    int rc = 0;
    if (fd < 0) {
        rc = err_set(e, ERR_ENVIRONMENT, "cannot write '%s': %s", path, strerror(errno));
    } else if (write_and_close(fd, bytes, count) || rename(temporary.text, path)) {
        rc = err_set(e, ERR_ENVIRONMENT, "cannot write '%s': %s", path, strerror(errno));
        unlink(temporary.text);
    }
    str_release(&temporary);
    return rc;
}

ssize_t files_read_at(int fd, void *to, size_t bytes, uint64_t offset)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t got = pread(fd, (char *)to + done, bytes - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (!got)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

int files_checksum_open(int fd, uint64_t *bytes, uint32_t *crc32)
{
    unsigned char buffer[65536];
    ssize_t got;
    *bytes = 0;
    *crc32 = 0;
    while ((got = files_read_at(fd, buffer, sizeof buffer, *bytes)) > 0) {
        *crc32 = checksum_crc32(*crc32, buffer, (size_t)got);
        *bytes += (uint64_t)got;
    }
    return got < 0 ? -1 : 0;
}

int files_checksum(const char *path, uint64_t *bytes, uint32_t *crc32, struct err *e)
{
    const char *trouble;
    FILE *file = open_regular(path, &trouble);
    if (!file)
        return err_set(e, ERR_INPUT, "cannot read '%s': %s", path, trouble ? trouble : strerror(errno));
    int rc = files_checksum_open(fileno(file), bytes, crc32)
                 ? err_set(e, ERR_INPUT, "cannot read '%s': %s", path, strerror(errno))
                 : 0;
    fclose(file);
    return rc;
}

bool files_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool files_is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool files_is_regular(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

int files_sync_directory(const char *path, struct err *e)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool is_synced = fd >= 0 && !fsync(fd);
    const int trouble = errno;
    if (fd >= 0)
        close(fd);
    return is_synced ? 0 : err_set(e, ERR_ENVIRONMENT, "cannot write '%s': %s", path, strerror(trouble));
}

int files_make_directory(const char *path, struct err *e)
{
    char part[PATH_MAX];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof part)
        return err_set(e, ERR_USAGE, "cannot make folder '%s': the path is empty or too long", path);
    memcpy(part, path, length + 1);
    for (char *slash = strchr(part + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        if (mkdir(part, 0777) && errno != EEXIST)
            return err_set(e, ERR_ENVIRONMENT, "cannot make folder '%s': %s", part, strerror(errno));
        if (!slash)
            break;
        *slash = '/';
    }
    if (!files_is_directory(path))
        return err_set(e, ERR_USAGE, "cannot make folder '%s': a file of that name is in the way", path);
    return 0;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info, (void)type, (void)where;
    return remove(path);
}

int files_remove_tree(const char *path, struct err *e)
{
    if (!files_exists(path))
        return 0;
    if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS))
        return err_set(e, ERR_ENVIRONMENT, "cannot remove '%s': %s", path, strerror(errno));
    return 0;
}

const char *files_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *files_join(struct str *out, const char *directory, const char *name)
{
    str_clear(out);
    str_addf(out, "%s%s%s", directory, *directory && directory[strlen(directory) - 1] == '/' ? "" : "/", name);
    return str_text(out);
}

int files_program_directory(struct str *out, struct err *e)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0)
        return err_set(e, ERR_ENVIRONMENT, "cannot find where this program is installed: %s", strerror(errno));
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
    str_clear(out);
    str_add(out, path);
    return 0;
}
