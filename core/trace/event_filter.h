/* event_filter.h - which events of a stream are in the part that was asked for, and which copies communicate? */
#ifndef CPPROF_EVENT_FILTER_H
#define CPPROF_EVENT_FILTER_H

#include <stdbool.h>

#include "core/base/err.h"
#include "cpprof/event.h"

/* Decides which events event_stream_next gives. `takes` returns 1, 0 or an error code, `rewind` resets its counts, and
 * `free` frees the state. */
struct event_filter {
    int (*takes)(void *state, const struct cpprof_event *event, struct err *e);
    bool (*takes_rank)(const void *state, int rank); /* does it take any event of this rank? */
    void (*rewind)(void *state);
    void (*free)(void *state);
    void *state;
};

/* Which copies between GPUs communicate, besides those that the reader knows. */
struct copy_judge {
    bool (*communicates)(const void *state, const struct cpprof_event *copy);
    void (*free)(void *state);
    void *state;
};

#endif
