/* timeline.h - what one pass over a trace says about sets of events: busy and
 * idle time, overlap of pairs, order, per (rank, device). All set algebra on
 * half-open intervals; docs/overlap.md states each definition. */
#ifndef CPPROF_TIMELINE_H
#define CPPROF_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "trace/event_stream.h"
#include "trace/selector.h"
#include "trace/timeline_set.h"

enum {
    TIMELINE_SETS_MAX = 64,
    TIMELINE_DEVICES_MAX = 1024,
    TIMELINE_ACTIVE_MAX = 1 << 20, /* events at once, on all devices together: 24 bytes */
    TIMELINE_LEVELS = 5            /* 0, 1, 2, 3, and 4 or more operations at once */
};

/* CUPTI counts from 1970: times beyond +-73 years are no times, and differences
 * of two within them cannot overflow. */
#define TIMELINE_TIME_MAX_NS ((int64_t)1 << 61)

/* What to measure: sets of events, and ordered pairs (a, b) of them. */
struct timeline_query {
    struct selector *sets[TIMELINE_SETS_MAX]; /* not owned; bound by timeline_measure */
    bool wants_durations[TIMELINE_SETS_MAX];  /* quantiles: samples go through trace/duration_groups.h */
    bool wants_launches[TIMELINE_SETS_MAX];   /* and these need trace/launch_index.h */
    size_t set_count;
    struct {
        uint8_t a, b; /* indices into sets */
    } pairs[TIMELINE_SETS_MAX];
    size_t pair_count;
    int64_t widen_ns; /* every event starts so much earlier and ends so much later; below 0 it is shorter, and empty at
                         the shortest */
};

struct timeline_pair {
    int64_t overlap_ns;               /* |A n B| */
    int64_t close_starts;             /* of A or B, that rounding may have put before the one before it */
    int64_t alternations;             /* switches between A and B in start order */
    struct timeline_examples exposed; /* stretches of A without B */
    struct timeline_examples common;  /* stretches of A with B */
};

/* What was recorded of a rank, whatever the scope, but that it is about this rank. */
struct timeline_rank {
    int32_t rank;
    bool has_calls, has_ranges, has_waits;
    bool has_other_calls;    /* that neither launch nor copy nor set nor wait */
    int64_t calls_that_wait; /* of the scope */
};

struct timeline_device {
    int32_t rank;   /* -1 when unknown */
    int32_t device; /* -1: host events, and GPU work whose device is unknown */
    const struct timeline_rank *of_rank;
    int64_t events;         /* GPU work, unfinished included */
    int64_t first_start_ns; /* of GPU work */
    int64_t last_end_ns;
    int64_t busy_ns;                   /* union of all GPU work */
    int64_t pageable, pageable_ns;     /* copies from or to pageable memory, and the sum of their durations */
    int64_t level_ns[TIMELINE_LEVELS]; /* time with that many operations at once; they add up to the span */
    struct timeline_set *sets;         /* query.set_count */
    struct timeline_pair *pairs;       /* query.pair_count */
};

struct timeline {
    struct arena arena;
    struct timeline_device *devices; /* ordered by (rank, device) */
    size_t device_count;
    struct timeline_rank *ranks; /* of the scope, by number; some may have no event in it, and no device then */
    size_t rank_count;
    int64_t gpu_events;    /* on all devices */
    bool lacks_migrations; /* the first ones were not recorded */
    bool may_lack_waits;   /* no wait, no evidence that there was none */
    int64_t unfinished;    /* events without an end: counted, not measured */
    int64_t time_error_ns; /* by how much a start or an end may be off; 0: times are exact */
    bool joined;           /* a launch index was needed, for nvtx filters or launches */
    int64_t unlaunched;    /* joined: GPU work without a recorded call */
    int64_t doubtful;      /* joined: GPU work whose call shares its correlation id with another one */
    int64_t early;         /* joined: GPU work that starts before its call does, by more than rounding explains */
    int64_t
        of_other_threads; /* GPU work that a set leaves out as its range was open on another thread than the call's */
};

void timeline_release(struct timeline *t);

/* One pass over the rewound stream, one more before it when a set has an nvtx
 * filter or wants launches; O(n log c) for n events of which c are concurrent.
 * `out` need not be initialised; release it even after
 * an error. */
int timeline_measure(struct event_stream *stream, struct timeline_query *query, struct timeline *out, struct err *e);

#endif
