/* kernel_launch_costs.h - what does it cost to launch each kernel, and to wait?
 *
 * A launch is a call that started a kernel, with all the kernels that it
 * started as one (a graph), or a launch call of which no kernel was recorded.
 * docs/stats.md states each definition; arm_launch_costs.h has the same numbers for
 * the arms of a run. */
#ifndef CPPROF_KERNEL_LAUNCH_COSTS_H
#define CPPROF_KERNEL_LAUNCH_COSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/trace/duration_groups.h"
#include "core/trace/event_stream.h"
#include "core/trace/parts/trace_measure.h"
#include "core/trace/short_names.h"

/* Bounds for hostile input: rows, about 1 KB each with their names, and first calls of a row on a device. */
enum { LAUNCH_ROWS_MAX = 256 * 1024, LAUNCH_FIRSTS_MAX = 1024 * 1024 };

struct launch_row {
    uint32_t name;  /* id in the short_names given: the kernel; a call that started several or none */
    bool is_call;   /* the name is that of a call */
    bool no_kernel; /* calls whose kernels were not recorded */
    int64_t launches;
    int64_t longer;                        /* launches whose call took longer than their kernel */
    int64_t kernels;                       /* launches with a kernel: what `longer` is a share of */
    int64_t first_ns;                      /* the first call of each device, summed; in the total, of all rows */
    struct duration_summary api;           /* the other calls */
    struct duration_summary queue, kernel; /* of all launches with a kernel */
    int64_t api_ns;                        /* all calls, the first too */
    struct duration_summary started;       /* of the total alone: `api` of the calls that started a kernel */
};

/* Calls in which the host waits (core/trace/host_waits.h), by name. */
struct wait_row {
    uint32_t name;
    struct duration_summary waits;
};

struct kernel_launch_costs {
    struct launch_row *items; /* the most time in calls first */
    size_t count, capacity;
    struct launch_row total;
    struct {
        struct wait_row *items; /* the most time first */
        size_t count, capacity;
    } waits;
    struct duration_summary all_waits;
    bool has_waits; /* false: none of its waits is no evidence of none: the input holds launches alone, or does not tell
                       what was traced and no call in it waits */
    int64_t calls;  /* of the API, in the whole trace */
    int64_t kernels;           /* in the scope */
    int64_t kernels_unmatched; /* ... whose call is not in the trace */
};

/* Reads the stream from its start. Names go to `names`, demangled or as
 * recorded. `out` need not be initialised; release it even after an error. */
int kernel_launch_costs_measure(struct event_stream *stream, enum name_style style, struct short_names *names,
                                struct kernel_launch_costs *out, struct err *e);
void kernel_launch_costs_release(struct kernel_launch_costs *t);

/* The same, with the gaps, of traces of which each may be measured where it is read. `result` and `gaps` have it when
 * launch_costs_parts_finish returns; gaps are empty where the input holds launches alone. The caller releases both, and
 * keeps them and the names until the parts are freed. */
struct launch_costs_parts;
struct idle_gaps;
int launch_costs_parts_new(struct launch_costs_parts **out, enum name_style style, struct short_names *names,
                           struct kernel_launch_costs *result, struct idle_gaps *gaps, struct err *e);
const struct trace_measure *launch_costs_parts_measure(const struct launch_costs_parts *p); /* event_stream_wish */
int launch_costs_parts_finish(struct launch_costs_parts *p, struct event_stream *stream, struct err *e);
void launch_costs_parts_free(struct launch_costs_parts *p);

/* The same row of two traces; one of them is NULL when it occurs in one only. */
struct launch_pair {
    const struct launch_row *a, *b;
};

struct launch_pairs {
    struct launch_pair *items; /* the most time in calls first */
    size_t count, capacity;
};

/* Both were measured with the same names. Release even after an error. */
int launch_pairs_make(struct launch_pairs *out, const struct kernel_launch_costs *a,
                      const struct kernel_launch_costs *b, struct short_names *names, struct err *e);
void launch_pairs_release(struct launch_pairs *pairs);

/* The waits in calls of the same name of two traces. */
struct wait_pair {
    const struct wait_row *a, *b; /* NULL: none in this trace, ... */
    bool has_a, has_b;            /* ... unless its waits were not recorded */
};

#endif
