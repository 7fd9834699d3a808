/* export_order.h - the events of a stream in the order in which viewers nest them. */
#ifndef CPPROF_EXPORT_ORDER_H
#define CPPROF_EXPORT_ORDER_H

#include "core/base/byte_sink.h"
#include "core/base/err.h"
#include "core/trace/event_stream.h"

/* Returns 0 or an error code, which ends the reading. */
typedef int (*export_take)(void *context, const struct cpprof_event *event, struct err *e);

/* Gives each event to `take`: by start, and of those that start together the longest first. Ends early when the sink
 * has failed. */
int export_in_order(struct event_stream *stream, const struct byte_sink *sink, export_take take, void *context,
                    struct err *e);

#endif
