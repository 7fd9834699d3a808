/* How do events reach the disk so that a killed process loses little? */
#define _GNU_SOURCE
#include "base/shard_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "base/array.h"
#include "base/str.h"
#include "base/write_all.h"
#include "cpprof/shard.h"

enum { FLUSH_EVENTS = 16384 };

static int append(struct shard_writer *w, const void *bytes, size_t count, struct err *e)
{
    if (write_all(w->fd, bytes, count))
        return err_set(e, ERR_ENVIRONMENT, "cannot append to the trace: %s", strerror(errno));
    w->written_bytes += count;
    return 0;
}

static int append_chunk(struct shard_writer *w, uint32_t type, const void *payload, size_t bytes, struct err *e)
{
    struct cpprof_chunk_header header = {.type = type, .payload_bytes = bytes};
    header.checksum = (uint32_t)crc32_z(0, payload, bytes);
    struct str chunk;
    str_init(&chunk);
    str_add_bytes(&chunk, (const char *)&header, sizeof header);
    str_add_bytes(&chunk, payload, bytes);
    int rc = chunk.failed ? err_memory(e) : append(w, chunk.text, chunk.length, e);
    str_release(&chunk);
    return rc;
}

int shard_writer_open(struct shard_writer *w, const char *path, int32_t rank, int64_t start_ns, struct err *e)
{
    *w = (struct shard_writer){.fd = -1};
    strtab_init(&w->strings);
    w->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (w->fd < 0)
        return err_set(e, ERR_ENVIRONMENT, "cannot create trace '%s': %s", path, strerror(errno));
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    struct cpprof_shard_header header = {
        .version = CPPROF_SHARD_VERSION,
        .header_bytes = sizeof header,
        .record_bytes = sizeof(struct cpprof_event),
        .process = (uint32_t)getpid(),
        .rank = rank,
        .start_ns = start_ns,
        .start_unix_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec,
    };
    memcpy(header.magic, CPPROF_SHARD_MAGIC, sizeof header.magic);
    return append(w, &header, sizeof header, e);
}

uint32_t shard_writer_string(struct shard_writer *w, const char *text)
{
    return strtab_add(&w->strings, text);
}

int shard_writer_add(struct shard_writer *w, const struct cpprof_event *event, struct err *e)
{
    if (w->count == FLUSH_EVENTS) {
        int rc = shard_writer_flush(w, e);
        if (rc)
            return rc;
    }
    struct cpprof_event *slot = ARRAY_PUSH(w);
    if (!slot)
        return err_memory(e);
    *slot = *event;
    return 0;
}

void shard_writer_dropped(struct shard_writer *w, unsigned kind, uint64_t count)
{
    w->dropped[kind < SHARD_KINDS ? kind : 0] += count;
}

static int flush_strings(struct shard_writer *w, struct err *e)
{
    uint32_t last = (uint32_t)strtab_count(&w->strings);
    if (w->strings_written == last)
        return 0;
    struct str payload;
    str_init(&payload);
    for (uint32_t id = w->strings_written + 1; id <= last; id++) {
        uint32_t length = (uint32_t)strtab_length(&w->strings, id);
        str_add_bytes(&payload, (const char *)&id, sizeof id);
        str_add_bytes(&payload, (const char *)&length, sizeof length);
        str_add_bytes(&payload, strtab_text(&w->strings, id), length);
    }
    int rc = payload.failed ? err_memory(e) : append_chunk(w, CPPROF_CHUNK_STRINGS, payload.text, payload.length, e);
    if (!rc)
        w->strings_written = last;
    str_release(&payload);
    return rc;
}

int shard_writer_flush(struct shard_writer *w, struct err *e)
{
    int rc = flush_strings(w, e);
    if (!rc && w->count) {
        rc = append_chunk(w, CPPROF_CHUNK_EVENTS, w->items, w->count * sizeof *w->items, e);
        w->written_events += w->count;
        w->count = 0;
    }
    return rc;
}

static int write_dropped(struct shard_writer *w, struct err *e)
{
    struct {
        uint32_t kind, zero;
        uint64_t count;
    } rows[SHARD_KINDS];
    size_t count = 0;
    for (uint32_t kind = 0; kind < SHARD_KINDS; kind++)
        if (w->dropped[kind]) {
            rows[count].kind = kind;
            rows[count].zero = 0;
            rows[count++].count = w->dropped[kind];
        }
    return count ? append_chunk(w, CPPROF_CHUNK_DROPPED, rows, count * sizeof rows[0], e) : 0;
}

int shard_writer_close(struct shard_writer *w, struct err *e)
{
    int rc = 0;
    if (w->fd >= 0) {
        rc = shard_writer_flush(w, e);
        if (!rc)
            rc = write_dropped(w, e);
        if (!rc)
            rc = append_chunk(w, CPPROF_CHUNK_END, "", 0, e);
        if (close(w->fd) && !rc)
            rc = err_set(e, ERR_ENVIRONMENT, "cannot close the trace: %s", strerror(errno));
    }
    strtab_release(&w->strings);
    free(w->items);
    *w = (struct shard_writer){.fd = -1};
    return rc;
}
