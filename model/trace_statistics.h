/* trace_statistics.h - how often, how long, how much: per kernel, copy, memset
 * and API call. docs/stats.md states each definition. */
#ifndef CPPROF_TRACE_STATISTICS_H
#define CPPROF_TRACE_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

#include "model/duration_groups.h"

enum statistics_section {
    STATISTICS_KERNELS,
    STATISTICS_MEMORY, /* copies, memsets, migrations */
    STATISTICS_API,    /* calls on the host */
    STATISTICS_SECTIONS
};

enum statistics_by {
    STATISTICS_BY_NAME,   /* a row for each name */
    STATISTICS_BY_STREAM, /* for each kind of work on each stream; of calls for each thread */
    STATISTICS_BY_DEVICE  /* for each kind of work on each device; of calls for each rank */
};

struct statistics_row {
    enum statistics_section section;
    uint32_t name;      /* id in the short_names given */
    int32_t rank;       /* -1: unknown, or of all ranks */
    int32_t device;     /* -1: of all devices, unknown, or a call */
    uint32_t context;   /* by stream */
    uint32_t stream;    /* by stream; of calls the thread */
    int64_t unfinished; /* part of nothing else in the row but size_bytes */
    int64_t size_bytes;
    double share; /* of the total time of GPU work, or of calls; NAN when that is 0 */
    struct duration_summary durations;
};

struct trace_statistics {
    struct statistics_row *items; /* by section, then the largest total first */
    size_t count, capacity;
    enum statistics_by by;
    int64_t section_ns[STATISTICS_SECTIONS]; /* sums of durations */
    int64_t section_count[STATISTICS_SECTIONS];
    int64_t gpu_ns; /* kernels and memory */
    int64_t unfinished;
};

/* Bytes per second while the operation ran; NAN without bytes or time. */
double statistics_bandwidth(const struct statistics_row *row);

/* The same row of two traces; one of them is NULL when it occurs in one only. */
struct statistics_pair {
    const struct statistics_row *a, *b;
};

struct statistics_pairs {
    struct statistics_pair *items; /* by section, then the larger total first */
    size_t count, capacity;
};

#endif
