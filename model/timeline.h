/* timeline.h - what one pass over a trace says about sets of events: busy and
 * idle time, overlap of pairs, order, per (rank, device). All set algebra on
 * half-open intervals; docs/overlap.md states each definition. */
#ifndef CPPROF_TIMELINE_H
#define CPPROF_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/event_stream.h"
#include "model/selector.h"

enum { TIMELINE_SETS_MAX = 64, TIMELINE_EXAMPLES = 5 };

/* What to measure: sets of events, and ordered pairs (a, b) of them. */
struct timeline_query {
    struct selector *sets[TIMELINE_SETS_MAX]; /* not owned; bound by timeline_measure */
    size_t set_count;
    struct {
        uint8_t a, b; /* indices into sets */
    } pairs[TIMELINE_SETS_MAX];
    size_t pair_count;
};

/* A stretch of time worth showing, with the event that it is about. */
struct timeline_example {
    int64_t start_ns;
    int64_t end_ns;
    uint32_t name;       /* string id; of the event active then */
    uint32_t stream;
    uint32_t other_name; /* order violations: the event in the way; else 0 */
    uint32_t other_stream;
};

struct timeline_set {
    int64_t count;
    int64_t busy_ns;  /* |A|: length of the union */
    int64_t sum_ns;   /* sum of durations */
    int64_t size_bytes;
    int64_t first_start_ns;
    int64_t last_end_ns;
    int64_t gap_max_ns;      /* longest stretch between two neighbours of the union */
    int64_t concurrency_max; /* most events of A at one moment */
    int64_t serial_violations; /* events that start before the end of the one before on their stream */
    struct timeline_example violations[TIMELINE_EXAMPLES]; /* longest intrusion first */
    size_t violation_count;
};

struct timeline_pair {
    int64_t overlap_ns;   /* |A n B| */
    int64_t alternations; /* switches between A and B in start order */
    struct timeline_example exposed[TIMELINE_EXAMPLES]; /* longest stretches of A without B */
    size_t exposed_count;
    struct timeline_example common[TIMELINE_EXAMPLES]; /* longest stretches of A with B */
    size_t common_count;
};

struct timeline_device {
    int32_t rank;   /* -1 when unknown */
    int32_t device; /* -1: host events */
    int64_t events; /* GPU work */
    int64_t first_start_ns;
    int64_t last_end_ns;
    int64_t busy_ns; /* union of all GPU work */
    struct timeline_set *sets;   /* query.set_count */
    struct timeline_pair *pairs; /* query.pair_count */
};

struct timeline {
    struct arena arena;
    struct timeline_device *devices; /* ordered by (rank, device) */
    size_t device_count;
    int64_t unfinished; /* events without an end: counted, not measured */
};

void timeline_release(struct timeline *t);

/* One pass; O(n log c) for n events of which c are concurrent. */
int timeline_measure(struct event_stream *stream, struct timeline_query *query, struct timeline *out, struct err *e);

#endif
