/* What did a gzip file hold before it was compressed?
 *
 * Several members in a row are one file, as for gunzip. Zeros after the last member are padding, as on tapes. Anything
 * else there is damage and gives a caveat. */
#define _GNU_SOURCE
#include "core/io/gzip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/io/scratch_file.h"

enum { BLOCK_BYTES = 256 * 1024, WINDOW_BITS_GZIP = 15 + 16 };

struct unpacking {
    FILE *packed, *plain;
    const char *path;
    z_stream zlib;
    unsigned char *in, *out; /* buffers of one block each */
    int64_t packed_bytes, plain_bytes;
    int64_t members;
    bool at_end; /* all of packed was read */
};

bool gzip_is(const char *head, size_t bytes)
{
    return bytes >= 3 && !memcmp(head, "\x1f\x8b\x08", 3);
}

static int fill(struct unpacking *u, struct err *e)
{
    if (u->zlib.avail_in || u->at_end)
        return 0;
    size_t got = fread(u->in, 1, BLOCK_BYTES, u->packed);
    if (ferror(u->packed))
        return err_set(e, ERR_INPUT, "cannot read '%s': %s", u->path, strerror(errno));
    u->at_end = got == 0;
    u->packed_bytes += (int64_t)got;
    u->zlib.next_in = u->in;
    u->zlib.avail_in = (uInt)got;
    return 0;
}

static int check_size(const struct unpacking *u, struct err *e)
{
    int64_t read = u->packed_bytes - (int64_t)u->zlib.avail_in;
    if (u->plain_bytes > GZIP_BYTES_MAX)
        return err_set(e, ERR_INPUT, "'%s' unpacks to more than 64 GiB; unpack it and cut it into parts", u->path);
    if (u->plain_bytes > GZIP_BYTES_TRUST && u->plain_bytes / GZIP_RATIO_MAX > read)
        return err_set(e, ERR_INPUT,
                       "'%s' unpacks to more than %d times its size: no trace does; gunzip it yourself if you trust it",
                       u->path, GZIP_RATIO_MAX);
    return 0;
}

static int write_out(struct unpacking *u, struct err *e)
{
    size_t bytes = BLOCK_BYTES - u->zlib.avail_out;
    u->plain_bytes += (int64_t)bytes;
    int rc = check_size(u, e);
    if (!rc && fwrite(u->out, 1, bytes, u->plain) != bytes)
        rc = scratch_file_full(e);
    return rc;
}

static int truncated(const struct unpacking *u, struct caveat_list *caveats, const char *why, struct err *e)
{
    if (!u->plain_bytes)
        return err_set(e, ERR_INPUT, "'%s' cannot be used: %s", u->path, why);
    return caveat_add(caveats, CAVEAT_TRUNCATED, e, "%s: %s; only what stands before is used", u->path, why);
}

static int skip_padding(struct unpacking *u, struct err *e)
{
    int rc;
    while (!(rc = fill(u, e)) && u->zlib.avail_in && !u->zlib.next_in[0]) {
        u->zlib.next_in++;
        u->zlib.avail_in--;
    }
    return rc;
}

/* Is there another member? Prepares the decoder for it. Other bytes go to the decoder too, which reports them as
 * damage. */
static int next_member(struct unpacking *u, bool *found, struct err *e)
{
    u->members++;
    int rc = skip_padding(u, e);
    if (rc)
        return rc;
    *found = u->zlib.avail_in > 0;
    return *found && inflateReset(&u->zlib) != Z_OK ? err_set(e, ERR_INTERNAL, "zlib cannot start over") : 0;
}

static int unpack(struct unpacking *u, struct caveat_list *caveats, struct err *e)
{
    for (bool more = true; more;) {
        int rc = fill(u, e);
        if (rc)
            return rc;
        u->zlib.next_out = u->out;
        u->zlib.avail_out = BLOCK_BYTES;
        int status = inflate(&u->zlib, Z_NO_FLUSH);
        rc = write_out(u, e);
        if (rc)
            return rc;
        if (status == Z_MEM_ERROR)
            return err_memory(e);
        if (status == Z_STREAM_END)
            rc = next_member(u, &more, e);
        else if (u->at_end && u->zlib.avail_out)
            return truncated(u, caveats, "the gzip file is cut", e);
        else if (status != Z_OK && status != Z_BUF_ERROR)
            return truncated(
                u, caveats,
                u->members ? "the gzip file goes on with bytes that are no gzip" : "the gzip file is damaged", e);
        if (rc)
            return rc;
    }
    return 0;
}

static int start(struct unpacking *u, struct err *e)
{
    u->in = malloc(2 * BLOCK_BYTES);
    if (!u->in)
        return err_memory(e);
    u->out = u->in + BLOCK_BYTES;
    if (inflateInit2(&u->zlib, WINDOW_BITS_GZIP) != Z_OK)
        return err_memory(e);
    return scratch_file_stream(&u->plain, e);
}

int gzip_unpack(FILE *packed, const char *path, FILE **out, struct caveat_list *caveats, struct err *e)
{
    struct unpacking u = {.packed = packed, .path = path};
    *out = NULL;
    int rc = start(&u, e);
    if (!rc)
        rc = unpack(&u, caveats, e);
    if (!rc && (fflush(u.plain) || fseeko(u.plain, 0, SEEK_SET)))
        rc = scratch_file_full(e);
    inflateEnd(&u.zlib);
    free(u.in);
    if (rc && u.plain)
        fclose(u.plain);
    else
        *out = u.plain;
    return rc;
}
