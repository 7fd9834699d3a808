/* shard_events.h - the events of one shard, checked once and then read where they are.
 *
 * A shard is in the order in which its events were completed: nearly, but not
 * quite, sorted by start. So it is read slice after slice into a window that is
 * kept in order, and an event leaves it when no slice that is still to come
 * starts before it.
 *
 * A slice is read, not mapped: a mapped file that somebody cuts kills the
 * process, a read says so; and a copy that stays in the processor's cache, to
 * be summed, checked and used there, costs about what mapping the pages does
 * (docs/performance.md). */
#ifndef CPPROF_SHARD_EVENTS_H
#define CPPROF_SHARD_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "cpprof/shard.h"
#include "model/event_spool.h"

struct shard_events;

/* What is wrong with a chunk whose sum is not the one that its header has. */
#define CHUNK_DIFFERS "a chunk does not match its checksum"

/* `fd` stays the caller's; it is duplicated. A rank below 0 is none. */
int shard_events_new(struct shard_events **out, int fd, const char *path, uint32_t record_bytes, int32_t rank,
                     struct err *e);
void shard_events_free(struct shard_events *s);

/* The next string id of the shard is this one of the sink. */
int shard_events_add_string(struct shard_events *s, uint32_t id, struct err *e);
size_t shard_events_strings(const struct shard_events *s);

/* Takes a chunk whose payload stands at `offset` of the file. At the first
 * record that makes no sense *fault says why, and the ones before it are used;
 * none is when *fault is about the whole chunk. NULL when all is well. */
int shard_events_add_chunk(struct shard_events *s, const struct cpprof_chunk_header *chunk, uint64_t offset,
                           const char **fault, struct err *e);

/* Events of kinds that are not known; they are left out. */
uint64_t shard_events_unknown(const struct shard_events *s);

/* Hands the events over to the spool, and itself with them: it must not be used or freed afterwards. */
int shard_events_give(struct shard_events *s, struct event_spool *spool, struct err *e);

#endif
