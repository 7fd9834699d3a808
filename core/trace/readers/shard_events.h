/* shard_events.h - reads the events of one surveyed shard in order, without copying them all.
 *
 * A shard has events in the order in which they were completed, which is nearly the order of their starts. So it is
 * read slice by slice into a window that is kept in order. An event leaves the window when no later slice has an event
 * that starts before it. */
#ifndef CPPROF_SHARD_EVENTS_H
#define CPPROF_SHARD_EVENTS_H

#include "core/base/err.h"
#include "core/trace/event_spool.h"
#include "core/trace/readers/shard_slices.h"

/* Adds the events of the slices to the spool. Takes ownership of the slices, also after an error. */
int shard_events_give(struct shard_slices *slices, struct event_spool *spool, struct err *e);

#endif
