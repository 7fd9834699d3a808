/* Did the writer stop in the middle of a write, or is the shard damaged? */
#define _GNU_SOURCE
#include "core/base/shard_tail.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/checksum.h"
#include "core/base/collective_row.h"
#include "core/base/count_of.h"
#include "core/base/files.h"
#include "cpprof/shard.h"

enum { TAIL_BYTES_MAX = 256 * 1024 * 1024 }; /* no chunk is larger */

/* ---- the complete chunks ---- */

static bool read_at(int fd, void *out, size_t bytes, uint64_t offset)
{
    return files_read_at(fd, out, bytes, offset) == (ssize_t)bytes;
}

static bool read_header(int fd, struct cpprof_shard_header *header, uint64_t *size)
{
    struct stat info;
    if (fstat(fd, &info) || !S_ISREG(info.st_mode) || !read_at(fd, header, sizeof *header, 0))
        return false;
    *size = (uint64_t)info.st_size;
    return !memcmp(header->magic, CPPROF_SHARD_MAGIC, sizeof header->magic) && header->header_bytes >= sizeof *header &&
           header->header_bytes <= *size;
}

uint64_t shard_tail_whole_bytes(int fd)
{
    struct cpprof_shard_header header;
    struct cpprof_chunk_header chunk;
    uint64_t size;
    if (!read_header(fd, &header, &size))
        return 0;
    uint64_t end = header.header_bytes;
    while (size - end >= sizeof chunk && read_at(fd, &chunk, sizeof chunk, end) &&
           chunk.payload_bytes <= size - end - sizeof chunk)
        end += sizeof chunk + chunk.payload_bytes;
    return end;
}

static bool payload_checks(int fd, const struct cpprof_chunk_header *chunk, uint64_t offset)
{
    char piece[65536];
    uint32_t sum = 0;
    for (uint64_t left = chunk->payload_bytes; left;) {
        const size_t bytes = left < sizeof piece ? (size_t)left : sizeof piece;
        if (!read_at(fd, piece, bytes, offset))
            return false;
        sum = checksum_crc32(sum, piece, bytes);
        offset += bytes;
        left -= bytes;
    }
    return sum == chunk->checksum;
}

/* A writer never writes anything after an end chunk. */
static bool chunks_check(int fd, uint64_t from, uint64_t to)
{
    struct cpprof_chunk_header chunk;
    for (uint64_t at = from; at < to; at += sizeof chunk + chunk.payload_bytes)
        if (!read_at(fd, &chunk, sizeof chunk, at) || chunk.type == CPPROF_CHUNK_END ||
            !payload_checks(fd, &chunk, at + sizeof chunk))
            return false;
    return true;
}

/* ---- the bytes after them ---- */

/* Returns the size that a chunk's payload is a multiple of; 0 for an unknown type and for one without payload. */
static size_t step_of(uint32_t type)
{
    static const size_t steps[] = {
        [CPPROF_CHUNK_STRINGS] = 1,        [CPPROF_CHUNK_EVENTS] = sizeof(struct cpprof_event),
        [CPPROF_CHUNK_DROPPED] = 16,       [CPPROF_CHUNK_NAMES] = sizeof(struct cpprof_name_row),
        [CPPROF_CHUNK_NAMES_LEFT_OUT] = 8, [SHARD_CHUNK_COLLECTIVES] = sizeof(struct collective_row),
    };
    return type < COUNT_OF(steps) ? steps[type] : 0;
}

/* A damaged length that is too large makes a chunk look torn. But then its whole payload is there, so some beginning of
 * these bytes has the chunk's checksum. In a torn chunk none has it, except by a chance of one in 2^32 for each. */
static bool holds_payload(const struct cpprof_chunk_header *chunk, const char *payload, size_t bytes, size_t step)
{
    uint32_t sum = 0;
    for (size_t at = 0; at + step <= bytes; at += step) {
        sum = checksum_crc32(sum, payload + at, step);
        if (sum == chunk->checksum)
            return true;
    }
    return false;
}

/* The missing bytes of a torn chunk header count as 0. */
static bool is_beginning(const char *tail, size_t bytes)
{
    struct cpprof_chunk_header chunk = {0};
    memcpy(&chunk, tail, bytes < sizeof chunk ? bytes : sizeof chunk);
    const size_t step = step_of(chunk.type);
    if (bytes < sizeof chunk)
        return step || chunk.type == CPPROF_CHUNK_END;
    return step && chunk.payload_bytes <= TAIL_BYTES_MAX && chunk.payload_bytes % step == 0 &&
           !holds_payload(&chunk, tail + sizeof chunk, bytes - sizeof chunk, step);
}

static int look_at_tail(int fd, struct shard_tail *t, struct err *e)
{
    if (t->torn_bytes > TAIL_BYTES_MAX || !chunks_check(fd, sizeof(struct cpprof_shard_header), t->whole_bytes))
        return 0;
    const size_t bytes = (size_t)t->torn_bytes;
    char *tail = malloc(bytes);
    if (!tail)
        return err_memory(e);
    if (read_at(fd, tail, bytes, t->whole_bytes) && is_beginning(tail, bytes))
        t->end = SHARD_TORN;
    free(tail);
    return 0;
}

/* Was it written by a collector with our format? */
static bool is_ours(const struct cpprof_shard_header *header)
{
    return header->version == CPPROF_SHARD_VERSION && header->header_bytes == sizeof *header &&
           header->record_bytes == sizeof(struct cpprof_event);
}

int shard_tail_look(const char *path, struct shard_tail *out, struct err *e)
{
    struct cpprof_shard_header header;
    uint64_t size;
    int rc = 0;
    *out = (struct shard_tail){.end = SHARD_DAMAGED};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0)
        return 0;
    out->whole_bytes = shard_tail_whole_bytes(fd);
    if (out->whole_bytes && read_header(fd, &header, &size) && size >= out->whole_bytes) {
        out->torn_bytes = size - out->whole_bytes;
        if (out->torn_bytes)
            rc = is_ours(&header) ? look_at_tail(fd, out, e) : 0;
        else
            out->end = SHARD_WHOLE;
    }
    close(fd);
    return rc;
}

/* The kernel grants a read lease only on a file that nobody has open for writing. If a process opens the file for
 * writing meanwhile, the kernel sends us a signal. The default, SIGIO, would end us, so it is set to one that is
 * ignored by default. */
bool shard_tail_may_grow(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0)
        return true;
    const bool is_granted = !fcntl(fd, F_SETSIG, SIGURG) && !fcntl(fd, F_SETLEASE, F_RDLCK);
    if (is_granted)
        fcntl(fd, F_SETLEASE, F_UNLCK);
    close(fd);
    return !is_granted;
}
