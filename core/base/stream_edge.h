/* stream_edge.h - how does a shard say which record of an event a stream, or the host, waits for?
 *
 * An event of kind CPPROF_EVENT_SYNC and this detail: what comes on its stream (context, stream) with a call behind
 * `correlation` waits for what came on another one with a call before the record of the event. In `grid` are the
 * context and the stream of that record, and its correlation. start_ns is when the stream was told to wait. A shard
 * with such edges begins with one whose correlation is 0: all waits of its process for events are there, but those of
 * graphs. */
#ifndef CPPROF_STREAM_EDGE_H
#define CPPROF_STREAM_EDGE_H

#include <stdbool.h>

#include "cpprof/event.h"

enum { STREAM_EDGE = 5, HOST_EDGE = 6 }; /* behind those of enum cpprof_sync_kind */

static inline bool stream_edge_is(const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_SYNC && (event->detail == STREAM_EDGE || event->detail == HOST_EDGE);
}

#endif
