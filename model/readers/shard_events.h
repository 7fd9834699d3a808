/* shard_events.h - the events of one shard, checked once and then read where they are.
 *
 * A shard is in the order in which its events were completed: nearly, but not
 * quite, sorted by start. So chunks are read one after the other into a window
 * that is kept in order, and an event leaves it when no chunk that is still to
 * come starts before it. */
#ifndef CPPROF_SHARD_EVENTS_H
#define CPPROF_SHARD_EVENTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "model/event_spool.h"

struct shard_events;

/* `file` stays the caller's; its descriptor is duplicated. A rank below 0 is none. */
int shard_events_new(struct shard_events **out, FILE *file, const char *path, uint32_t record_bytes, int32_t rank,
                     struct err *e);
void shard_events_free(struct shard_events *s);

/* What the events' process is in a bundle of several; before the first chunk. */
struct shard_identity {
    int16_t rank;           /* of all its events, whatever the header says */
    const int16_t *devices; /* instead of the ordinal that an event has; copied */
    size_t device_count;    /* at most SHARD_DEVICES_MAX; larger ordinals stay as they are */
};
enum { SHARD_DEVICES_MAX = 64 };
void shard_events_identify(struct shard_events *s, const struct shard_identity *identity);

/* The next string id of the shard is this one of the sink. */
int shard_events_add_string(struct shard_events *s, uint32_t id, struct err *e);
size_t shard_events_strings(const struct shard_events *s);

/* Takes a chunk's payload, which stands at `offset` of the file. At the first
 * record that makes no sense *fault says why, and the ones before it are used;
 * NULL when all do. */
int shard_events_add_chunk(struct shard_events *s, const char *payload, size_t bytes, uint64_t offset,
                           const char **fault, struct err *e);

/* Events of kinds that are not known; they are left out. */
uint64_t shard_events_unknown(const struct shard_events *s);

/* Hands the events over to the spool, and itself with them: it must not be used or freed afterwards. */
int shard_events_give(struct shard_events *s, struct event_spool *spool, struct err *e);

#endif
