/* What is the checksum of the bytes that a reader reads? */
#define _GNU_SOURCE
#include "core/io/summed_file.h"

#include <errno.h>
#include <unistd.h>

#include "core/base/checksum.h"
#include "core/io/packed_file.h"

static ssize_t read_on(void *cookie, char *to, size_t bytes)
{
    struct summed_file *s = cookie;
    ssize_t got;
    do
        got = read(s->fd, to, bytes);
    while (got < 0 && errno == EINTR);
    if (got > 0) {
        s->crc32 = checksum_crc32(s->crc32, to, (size_t)got);
        s->bytes += (uint64_t)got;
    }
    return got;
}

int summed_file_open(struct summed_file *s, const char *path, struct caveat_list *caveats, struct err *e)
{
    *s = (struct summed_file){.fd = packed_file_open(path, caveats, e)};
    if (s->fd < 0)
        return s->fd;
    s->file = fopencookie(s, "rb", (cookie_io_functions_t){.read = read_on});
    if (s->file)
        return 0;
    close(s->fd);
    return err_memory(e);
}

bool summed_file_finish(struct summed_file *s)
{
    char buffer[65536];
    while (fread(buffer, 1, sizeof buffer, s->file) == sizeof buffer)
        ;
    return !ferror(s->file);
}

void summed_file_close(struct summed_file *s)
{
    fclose(s->file);
    close(s->fd);
}
