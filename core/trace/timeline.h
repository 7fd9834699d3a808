/* timeline.h - one pass over a trace measures sets of events per (rank, device): busy and idle time, overlap of pairs,
 * order. All of it is set algebra on half-open intervals; docs/overlap.md has each definition. */
#ifndef CPPROF_TIMELINE_H
#define CPPROF_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/trace/event_stream.h"
#include "core/trace/identity.h"
#include "core/trace/selector.h"
#include "core/trace/timeline_set.h"

enum {
    TIMELINE_SETS_MAX = 64,
    TIMELINE_DEVICES_MAX = 65536,  /* pairs of rank and device: up to 18 KB each */
    TIMELINE_ACTIVE_MAX = 1 << 20, /* events that are active at once, on all devices together: 24 bytes each */
    TIMELINE_LEVELS = 5            /* 0, 1, 2, 3, and 4 or more operations at once */
};

/* CUPTI counts from 1970. Values beyond +-73 years are not times, and differences of two within them cannot
 * overflow. */
#define TIMELINE_TIME_MAX_NS ((int64_t)1 << 61)

/* What to measure: sets of events, and ordered pairs (a, b) of them. */
struct timeline_query {
    struct selector *sets[TIMELINE_SETS_MAX]; /* not owned; bound by timeline_measure */
    bool wants_durations[TIMELINE_SETS_MAX];  /* quantiles; samples go through core/trace/duration_groups.h */
    bool wants_launches[TIMELINE_SETS_MAX];   /* launches; they need core/trace/launch_index.h */
    bool is_brief[TIMELINE_SETS_MAX];         /* no examples of gaps, nor of what is together */
    size_t set_count;
    struct {
        uint8_t a, b;  /* indices into sets */
        bool is_brief; /* no examples of what is common */
    } pairs[TIMELINE_SETS_MAX];
    size_t pair_count;
    /* Every event starts earlier and ends later by this much. Below 0 events get shorter, down to empty. */
    int64_t widen_ns;
};

struct timeline_pair {
    int64_t overlap_ns;               /* |A n B| */
    int64_t close_starts;             /* starts of A or B that rounding may have put before the previous one */
    int64_t alternations;             /* switches between A and B in start order */
    struct timeline_examples exposed; /* stretches of A without B */
    struct timeline_examples common;  /* stretches of A with B */
};

/* What was recorded of a rank. The scope does not matter, except that it includes the rank. */
struct timeline_rank {
    int32_t rank;
    bool has_calls, has_ranges, has_waits;
    bool has_other_calls;    /* calls that neither launch nor copy nor set nor wait */
    bool hides_kernels;      /* some ran in its process that no record shows */
    int64_t calls_that_wait; /* in the scope */
};

struct timeline_device {
    int32_t rank;   /* -1 when unknown */
    int32_t device; /* -1: host events, and GPU work whose device is unknown */
    const struct timeline_rank *of_rank;
    int64_t events;         /* GPU work, including unfinished work */
    int64_t first_start_ns; /* of GPU work */
    int64_t last_end_ns;
    int64_t false_times, doubtful_times; /* as in struct timeline_set, of GPU work */
    bool hides_kernels;                  /* some may have run on it that no record shows */
    int64_t busy_ns;                     /* union of all GPU work */
    int64_t unrecorded_ns;               /* time without work in which recording went on again: no part of the span */
    int64_t pageable, pageable_ns;       /* copies from or to pageable memory; sum of their durations */
    int64_t level_ns[TIMELINE_LEVELS];   /* time with that many operations at once; together they are the span */
    struct timeline_set *sets;           /* query.set_count */
    struct timeline_pair *pairs;         /* query.pair_count */
};

struct timeline {
    struct arena arena;
    struct timeline_device *devices; /* ordered by (rank, device) */
    size_t device_count;
    struct timeline_rank *ranks; /* ranks of the scope, by number; some may have no event in it, and then no device */
    size_t rank_count;
    int64_t gpu_events;    /* on all devices */
    bool lacks_migrations; /* the first ones were not recorded */
    bool hides_anywhere;   /* kernels that no record shows ran on some device */
    bool is_mixed;         /* whose work is whose, or which devices are one GPU, is not known (event_stream_is_mixed) */
    bool may_lack_waits;   /* waits may be missing, so the absence of a wait proves nothing */
    struct call_doubt call_doubt;
    int64_t false_times; /* rows that are left out, as their times cannot be */
    int64_t doubtful_times;
    bool has_false_alone;  /* of some of them it is not known which sets lack them */
    int64_t unfinished;    /* events without an end: counted, not measured */
    int64_t time_error_ns; /* by how much a start or an end may be off; 0: exact */
    bool joined;           /* a launch index was needed, for nvtx filters or launches */
    int64_t unlaunched;    /* joined: GPU work without recorded call */
    int64_t doubtful;      /* joined: GPU work whose call shares its correlation id with another call */
    int64_t early;         /* joined: GPU work that starts before its call, by more than rounding explains */
    /* GPU work that a set leaves out because its range was open on another thread than the call's. */
    int64_t of_other_threads;
};

void timeline_release(struct timeline *t);

/* Measures in one pass over the rewound stream, and one more before it when a set has an nvtx filter or wants launches.
 * It takes O(n log c) for n events of which c are concurrent. `out` need not be initialised. Release it even after an
 * error. */
int timeline_measure(struct event_stream *stream, struct timeline_query *query, struct timeline *out, struct err *e);

#endif
