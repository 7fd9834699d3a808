/* timeline_set.h - the measures of one set of events on one device. */
#ifndef CPPROF_TIMELINE_SET_H
#define CPPROF_TIMELINE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TIMELINE_EXAMPLES = 5,
    TIMELINE_STREAMS_MAX = 1 << 18 /* streams, counted in every set that has an event on them: 144 bytes each */
};

/* A stretch of time to show as an example, with the event that it is about. */
struct timeline_example {
    int64_t start_ns;
    int64_t end_ns;
    uint32_t name; /* string id of the event active then */
    uint32_t stream;
    uint32_t other_name; /* order violations: the earlier event; gaps: the event before; else 0 */
    uint32_t other_stream;
    bool is_gap;                         /* between other_name and name, which are not part of it */
    bool is_pageable, other_is_pageable; /* event_is_pageable */
};

/* Up to TIMELINE_EXAMPLES stretches, the longest first; of equal ones the earlier first. */
struct timeline_examples {
    struct timeline_example *items; /* room for TIMELINE_EXAMPLES while they are found; NULL: none are kept */
    size_t count;
};

static inline int64_t timeline_example_ns(const struct timeline_example *x)
{
    return x->end_ns - x->start_ns;
}

/* Would it be among the longest so far? Most are not. */
static inline bool timeline_examples_take(const struct timeline_examples *list, const struct timeline_example *x)
{
    return list->items && (list->count < TIMELINE_EXAMPLES ||
                           timeline_example_ns(x) > timeline_example_ns(&list->items[TIMELINE_EXAMPLES - 1]));
}

/* Copies it into the list if it is among the longest so far. */
void timeline_examples_offer(struct timeline_examples *list, const struct timeline_example *x);

struct timeline_set {
    int64_t count;         /* including unfinished ones */
    int64_t unfinished;    /* they count below only in size_bytes */
    int64_t busy_ns;       /* |A|: length of the union */
    int64_t unrecorded_ns; /* gaps of the union in which recording went on again: they are no gaps */
    int64_t sum_ns;        /* sum of durations */
    int64_t size_bytes;
    int64_t first_start_ns;
    int64_t last_end_ns;
    struct timeline_example first, last; /* the event that starts first, and the one that ends last */
    int64_t first_on_ns, last_off_ns;    /* first start and last end of the union; 0 while it is empty */
    int64_t gap_max_ns;                  /* longest stretch between two neighbours of the union */
    int64_t concurrency_max;             /* most events of A at one moment */
    int64_t together_ns;                 /* time with two or more events of A */
    double dur_p50_ns, dur_p99_ns;       /* NAN unless wants_durations */
    double launch_p50_ns, launch_p99_ns; /* calls that started the set's work, each once; NAN without any */
    double queue_p50_ns, queue_p99_ns;   /* from the start of a call to the start of its work; NAN likewise */
    int64_t streams;                     /* number of streams of its events; for host events, of threads */
    int64_t false_times;                 /* rows that may be of the set and are left out, as their times cannot be */
    int64_t doubtful_times;    /* those of the set whose times may be false (core/trace/plausible/plausible_times.h) */
    int64_t serial_violations; /* events that start before the end of an earlier one on their stream */
    int64_t serial_proven;     /* those that are longer than the rounding of times explains */
    int64_t serial_apart;      /* of those proven: not with the event right before them */
    int64_t violation_ns;      /* sum of the lengths of these overlaps */
    struct timeline_examples violations; /* the stretch of the overlap */
    struct timeline_examples gaps;       /* `name` ends the gap, `other_name` is before it */
    struct timeline_examples together;
};

#endif
