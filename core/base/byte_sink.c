/* How does output of any length reach its file, whole or not at all? */
#define _GNU_SOURCE
#include "core/base/byte_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "core/base/files.h"

enum { BUFFER_BYTES = 256 * 1024, GZIP_LEVEL = 3 /* three times as fast as zlib's default, a tenth larger */ };

struct byte_sink {
    char *name;
    char *temporary; /* the file that grows; NULL when there is none to put in place */
    int fd;
    gzFile gzip; /* has a duplicate of fd; NULL when nothing is compressed */
    int error;   /* errno of the first failure */
    uint64_t bytes;
    size_t held;
    char buffer[BUFFER_BYTES];
};

static int fail(const struct byte_sink *s, int error, struct err *e)
{
    return err_set(e, ERR_ENVIRONMENT, "cannot write '%s': %s", s->name, strerror(error));
}

static int new_sink(struct byte_sink **out, const char *name, struct err *e)
{
    struct byte_sink *s = malloc(sizeof *s);
    *out = s;
    if (!s)
        return err_memory(e);
    s->temporary = NULL;
    s->fd = -1;
    s->gzip = NULL;
    s->error = 0;
    s->bytes = 0;
    s->held = 0;
    s->name = strdup(name);
    return s->name ? 0 : err_memory(e);
}

/* Frees a sink that could not be begun. Returns `rc`. */
static int begun(struct byte_sink **out, int rc)
{
    if (!rc)
        return 0;
    byte_sink_free(*out);
    *out = NULL;
    return rc;
}

static int begin_on(struct byte_sink *s, int fd, struct err *e)
{
    s->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return s->fd < 0 ? fail(s, errno, e) : 0;
}

int byte_sink_on(struct byte_sink **out, int fd, const char *name, struct err *e)
{
    int rc = new_sink(out, name, e);
    return begun(out, rc ? rc : begin_on(*out, fd, e));
}

static bool ends_with_gz(const char *path)
{
    size_t length = strlen(path);
    return length > 3 && !strcmp(path + length - 3, ".gz");
}

static int begin_gzip(struct byte_sink *s, struct err *e)
{
    int copy = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
    if (copy < 0)
        return fail(s, errno, e);
    s->gzip = gzdopen(copy, "wb");
    if (!s->gzip) {
        close(copy);
        return err_memory(e);
    }
    gzbuffer(s->gzip, BUFFER_BYTES);
    gzsetparams(s->gzip, GZIP_LEVEL, Z_DEFAULT_STRATEGY);
    return 0;
}

static int begin_file(struct byte_sink *s, struct err *e)
{
    struct str temporary;
    str_init(&temporary);
    str_add(&temporary, s->name);
    s->fd = files_new_temporary(&temporary, false);
    const int trouble = errno;
    s->temporary = str_take(&temporary);
    if (s->fd < 0)
        return fail(s, trouble, e);
    return ends_with_gz(s->name) ? begin_gzip(s, e) : 0;
}

int byte_sink_create(struct byte_sink **out, const char *path, struct err *e)
{
    int rc = new_sink(out, path, e);
    return begun(out, rc ? rc : begin_file(*out, e));
}

static void write_plain(struct byte_sink *s, const char *bytes, size_t count)
{
    while (count && !s->error) {
        ssize_t wrote = write(s->fd, bytes, count);
        if (wrote >= 0) {
            bytes += wrote;
            count -= (size_t)wrote;
        } else if (errno != EINTR) {
            s->error = errno;
        }
    }
}

static void write_gzip(struct byte_sink *s, const char *bytes, size_t count)
{
    if (!s->error && gzwrite(s->gzip, bytes, (unsigned)count) != (int)count)
        s->error = errno ? errno : EIO;
}

static void flush(struct byte_sink *s)
{
    if (s->gzip)
        write_gzip(s, s->buffer, s->held);
    else
        write_plain(s, s->buffer, s->held);
    s->held = 0;
}

void byte_sink_write(struct byte_sink *s, const char *bytes, size_t count)
{
    s->bytes += count;
    while (count) {
        size_t part = sizeof s->buffer - s->held;
        part = count < part ? count : part;
        memcpy(s->buffer + s->held, bytes, part);
        s->held += part;
        bytes += part;
        count -= part;
        if (s->held == sizeof s->buffer)
            flush(s);
    }
}

bool byte_sink_failed(const struct byte_sink *s)
{
    return s->error != 0;
}

uint64_t byte_sink_bytes(const struct byte_sink *s)
{
    return s->bytes;
}

static void end_gzip(struct byte_sink *s)
{
    errno = 0;
    if (s->gzip && gzclose(s->gzip) != Z_OK && !s->error)
        s->error = errno ? errno : EIO;
    s->gzip = NULL;
}

static void put_in_place(struct byte_sink *s)
{
    if (fsync(s->fd) || rename(s->temporary, s->name)) {
        s->error = errno;
        return;
    }
    free(s->temporary);
    s->temporary = NULL;
    if (close(s->fd))
        s->error = errno;
    s->fd = -1;
}

int byte_sink_finish(struct byte_sink *s, struct err *e)
{
    flush(s);
    end_gzip(s);
    if (!s->error && s->temporary)
        put_in_place(s);
    return s->error ? fail(s, s->error, e) : 0;
}

void byte_sink_free(struct byte_sink *s)
{
    if (!s)
        return;
    if (s->gzip)
        gzclose(s->gzip);
    if (s->temporary && s->fd >= 0)
        unlink(s->temporary);
    if (s->fd >= 0)
        close(s->fd);
    free(s->temporary);
    free(s->name);
    free(s);
}
