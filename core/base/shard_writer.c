/* How do events reach the disk so that a killed process loses little? */
#define _GNU_SOURCE
#include "core/base/shard_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/checksum.h"
#include "core/base/str.h"

enum { FLUSH_EVENTS = 16384 };

/* A program may close descriptors that it did not open. The number may then belong to another file, which we must not
 * write to. */
static bool is_our_file(const struct shard_writer *w)
{
    struct stat now;
    return !fstat(w->fd, &now) && now.st_dev == w->device && now.st_ino == w->inode;
}

/* Appends all or nothing: when the disk is full the partial write is cut off, so the file ends with its last complete
 * chunk. */
static int append(struct shard_writer *w, struct iovec *parts, int count, struct err *e)
{
    size_t total = 0;
    if (!is_our_file(w))
        return err_set(e, ERR_ENVIRONMENT, "cannot append to the trace: the program has closed its file");
    for (int i = 0; i < count; i++)
        total += parts[i].iov_len;
    for (size_t left = total; left;) {
        ssize_t wrote = writev(w->fd, parts, count);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0) {
            int rc = err_set(e, ERR_ENVIRONMENT, "cannot append to the trace: %s", strerror(errno));
            if (left < total && ftruncate(w->fd, (off_t)w->written_bytes))
                err_context(e, "the last chunk is cut short");
            return rc;
        }
        left -= (size_t)wrote;
        for (; count && (size_t)wrote >= parts->iov_len; parts++, count--)
            wrote -= (ssize_t)parts->iov_len;
        if (count) {
            parts->iov_base = (char *)parts->iov_base + wrote;
            parts->iov_len -= (size_t)wrote;
        }
    }
    w->written_bytes += total;
    return 0;
}

static int append_chunk(struct shard_writer *w, uint32_t type, void *payload, size_t bytes, struct err *e)
{
    struct cpprof_chunk_header header = {.type = type, .payload_bytes = bytes};
    header.checksum = checksum_crc32(0, payload, bytes);
    struct iovec parts[] = {{&header, sizeof header}, {payload, bytes}};
    return append(w, parts, 2, e);
}

int shard_writer_open(struct shard_writer *w, const char *path, int32_t rank, int64_t start_ns, struct err *e)
{
    *w = (struct shard_writer){.fd = -1};
    strtab_init(&w->strings);
    w->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    struct stat own;
    if (w->fd < 0 || fstat(w->fd, &own))
        return err_set(e, ERR_ENVIRONMENT, "cannot create trace '%s': %s", path, strerror(errno));
    w->device = own.st_dev;
    w->inode = own.st_ino;
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
    return append(w, &(struct iovec){&header, sizeof header}, 1, e);
}

static uint32_t add_name(struct shard_writer *w, const char *text, size_t bytes_max)
{
    if (!text)
        return 0;
    w->strings.is_full = false;
    w->strings.size_bytes_max = bytes_max;
    const uint32_t id = strtab_add(&w->strings, text);
    if (!w->strings.is_full)
        return id;
    w->names_left_out++;
    return strtab_add_beyond(&w->strings, SHARD_NAME_LEFT_OUT);
}

uint32_t shard_writer_string(struct shard_writer *w, const char *text)
{
    return add_name(w, text, SHARD_NAME_BYTES_MAX);
}

uint32_t shard_writer_label(struct shard_writer *w, const char *text)
{
    return add_name(w, text, SHARD_LABEL_BYTES_MAX);
}

int shard_writer_add(struct shard_writer *w, const struct cpprof_event *event, struct err *e)
{
    int rc = w->count == FLUSH_EVENTS ? shard_writer_flush(w, e) : 0;
    struct cpprof_event *slot = ARRAY_PUSH(w);
    if (!slot) {
        shard_writer_dropped(w, event->kind, 1);
        return err_memory(e);
    }
    *slot = *event;
    w->launches += event->kind == CPPROF_EVENT_API && event->detail == CPPROF_API_LAUNCH;
    w->works +=
        event->kind == CPPROF_EVENT_KERNEL || event->kind == CPPROF_EVENT_COPY || event->kind == CPPROF_EVENT_MEMSET;
    return rc;
}

void shard_writer_dropped(struct shard_writer *w, unsigned kind, uint64_t count)
{
    w->dropped[kind < SHARD_KINDS ? kind : 0] += count;
}

int shard_writer_name(struct shard_writer *w, const struct cpprof_name_row *row, struct err *e)
{
    if (array_reserve((void **)&w->names, &w->name_capacity, w->name_count + 1, sizeof *w->names))
        return err_memory(e);
    w->names[w->name_count++] = *row;
    return 0;
}

int shard_writer_samples(struct shard_writer *w, void *payload, size_t bytes, struct err *e)
{
    return append_chunk(w, CPPROF_CHUNK_SAMPLES, payload, bytes, e);
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

static int flush_events(struct shard_writer *w, struct err *e)
{
    if (!w->count)
        return 0;
    int rc = append_chunk(w, CPPROF_CHUNK_EVENTS, w->items, w->count * sizeof *w->items, e);
    if (!rc)
        w->written_events += w->count;
    return rc;
}

static int flush_names(struct shard_writer *w, struct err *e)
{
    int rc = w->name_count ? append_chunk(w, CPPROF_CHUNK_NAMES, w->names, w->name_count * sizeof *w->names, e) : 0;
    if (!rc)
        w->name_count = 0;
    return rc;
}

/* Writes only counts that the file does not state yet. */
static int flush_dropped(struct shard_writer *w, struct err *e)
{
    struct {
        uint32_t kind, zero;
        uint64_t count;
    } rows[SHARD_KINDS];
    size_t count = 0;
    for (uint32_t kind = 0; kind < SHARD_KINDS; kind++)
        if (w->dropped[kind] > w->dropped_written[kind]) {
            rows[count].kind = kind;
            rows[count].zero = 0;
            rows[count++].count = w->dropped[kind] - w->dropped_written[kind];
        }
    int rc = count ? append_chunk(w, CPPROF_CHUNK_DROPPED, rows, count * sizeof rows[0], e) : 0;
    if (!rc)
        memcpy(w->dropped_written, w->dropped, sizeof w->dropped_written);
    return rc;
}

static int flush_left_out(struct shard_writer *w, struct err *e)
{
    uint64_t count = w->names_left_out - w->names_left_out_written;
    int rc = count ? append_chunk(w, CPPROF_CHUNK_NAMES_LEFT_OUT, &count, sizeof count, e) : 0;
    if (!rc)
        w->names_left_out_written = w->names_left_out;
    return rc;
}

int shard_writer_flush(struct shard_writer *w, struct err *e)
{
    int rc = flush_strings(w, e);
    if (!rc)
        rc = flush_events(w, e);
    for (size_t i = 0; rc && i < w->count; i++)
        shard_writer_dropped(w, w->items[i].kind, 1);
    w->count = 0;
    if (!rc)
        rc = flush_names(w, e);
    int told = flush_dropped(w, rc ? NULL : e); /* a few bytes may fit where many did not */
    if (!told)
        told = flush_left_out(w, rc ? NULL : e);
    return rc ? rc : told;
}

int shard_writer_close(struct shard_writer *w, struct err *e)
{
    int rc = 0;
    if (w->fd >= 0) {
        rc = shard_writer_flush(w, e);
        if (!memcmp(w->dropped, w->dropped_written, sizeof w->dropped) &&
            w->names_left_out == w->names_left_out_written) { /* else it would hide a loss */
            int ended = append_chunk(w, CPPROF_CHUNK_END, NULL, 0, rc ? NULL : e);
            rc = rc ? rc : ended;
        }
        if (is_our_file(w) && close(w->fd) && !rc)
            rc = err_set(e, ERR_ENVIRONMENT, "cannot close the trace: %s", strerror(errno));
    }
    strtab_release(&w->strings);
    free(w->items);
    free(w->names);
    struct shard_writer closed = {.fd = -1,
                                  .names_left_out = w->names_left_out,
                                  .written_events = w->written_events,
                                  .written_bytes = w->written_bytes};
    memcpy(closed.dropped, w->dropped, sizeof closed.dropped);
    *w = closed;
    return rc;
}
