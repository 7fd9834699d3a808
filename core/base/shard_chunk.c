/* How does a chunk that the writer of events does not know get into its file? */
#define _GNU_SOURCE
#include "core/base/shard_chunk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/checksum.h"

/* The program may have closed the file, and its number may be another file's. */
static bool is_our_file(const struct shard_writer *w)
{
    struct stat now;
    return w->fd >= 0 && !fstat(w->fd, &now) && now.st_dev == w->device && now.st_ino == w->inode;
}

static int append(struct shard_writer *w, const char *bytes, size_t count, struct err *e)
{
    if (!is_our_file(w))
        return err_set(e, ERR_ENVIRONMENT, "cannot append to the trace: the program has closed its file");
    for (size_t done = 0; done < count;) {
        const ssize_t wrote = write(w->fd, bytes + done, count - done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0) {
            const int rc = err_set(e, ERR_ENVIRONMENT, "cannot append to the trace: %s", strerror(errno));
            if (done && ftruncate(w->fd, (off_t)w->written_bytes))
                err_context(e, "the last chunk is cut short");
            return rc;
        }
        done += (size_t)wrote;
    }
    w->written_bytes += count;
    return 0;
}

int shard_chunk_append(struct shard_writer *w, uint32_t type, const void *payload, size_t bytes, struct err *e)
{
    const struct cpprof_chunk_header header = {
        .type = type, .checksum = checksum_crc32(0, payload, bytes), .payload_bytes = bytes};
    int rc = shard_writer_flush(w, e);
    char *chunk = rc ? NULL : malloc(sizeof header + bytes);
    if (!chunk)
        return rc ? rc : err_memory(e);
    memcpy(chunk, &header, sizeof header);
    memcpy(chunk + sizeof header, payload, bytes);
    rc = append(w, chunk, sizeof header + bytes, e);
    free(chunk);
    return rc;
}
