/* shard_events.h - the events of one surveyed shard, read where they are.
 *
 * A shard is in the order in which its events were completed: nearly, but not
 * quite, sorted by start. So it is read slice after slice into a window that is
 * kept in order, and an event leaves it when no slice that is still to come
 * starts before it. */
#ifndef CPPROF_SHARD_EVENTS_H
#define CPPROF_SHARD_EVENTS_H

#include "base/err.h"
#include "trace/event_spool.h"
#include "trace/readers/shard_slices.h"

/* Takes the slices over, also when it fails, and hands their events to the spool. */
int shard_events_give(struct shard_slices *slices, struct event_spool *spool, struct err *e);

#endif
