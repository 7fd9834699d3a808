/* shard_writer.h - appends events to a trace shard (include/cpprof/shard.h).
 *
 * Not thread-safe: one thread writes a shard. Events and strings gather in
 * memory; a flush appends them as checksummed chunks, each with one write, so
 * that what was flushed survives the process. No CUDA, no stdio. */
#ifndef CPPROF_SHARD_WRITER_H
#define CPPROF_SHARD_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strtab.h"
#include "cpprof/event.h"

enum { SHARD_KINDS = 9 }; /* event kinds, 0 for unknown */

struct shard_writer {
    int fd;
    struct strtab strings;
    uint32_t strings_written; /* ids up to this one are in the file */
    struct cpprof_event *items;
    size_t count;
    size_t capacity;
    uint64_t dropped[SHARD_KINDS];
    uint64_t written_events;
    uint64_t written_bytes;
};

/* Creates the file; one that exists already is an error, never overwritten.
 * `start_ns` is the events' clock now. */
int shard_writer_open(struct shard_writer *w, const char *path, int32_t rank, int64_t start_ns, struct err *e);

/* The id of a name in this shard; 0 when memory is out. */
uint32_t shard_writer_string(struct shard_writer *w, const char *text);

/* Queues a copy of the event; flushes by itself when many have gathered. */
int shard_writer_add(struct shard_writer *w, const struct cpprof_event *event, struct err *e);

void shard_writer_dropped(struct shard_writer *w, unsigned kind, uint64_t count);

int shard_writer_flush(struct shard_writer *w, struct err *e);

/* Flushes, writes dropped counts and the end chunk, closes, releases. */
int shard_writer_close(struct shard_writer *w, struct err *e);

#endif
