/* variant_launches.h - which kernels did each variant of a run really launch, and when?
 *
 * The traced process marks its work with ranges of the domain "cpprof", named "VARIANT | SHAPE | PHASE". A launch
 * belongs to the range that is open when its API call starts, on any thread. The correlation id joins the call with the
 * kernels that it started. */
#ifndef CPPROF_VARIANT_LAUNCHES_H
#define CPPROF_VARIANT_LAUNCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/strtab.h"
#include "core/run/arms.h"
#include "core/trace/event_stream.h"
#include "core/trace/interval_set.h"

enum launch_phase {
    LAUNCH_PHASE_VERIFY,
    LAUNCH_PHASE_FIRST, /* the first call, which pays for lazy loading */
    LAUNCH_PHASE_MEASURE,
    LAUNCH_PHASE_OTHER
};

/* A kernel that was started, or an API call whose kernel left no record. */
struct variant_launch {
    const struct arm *arm;
    enum launch_phase phase;
    bool first;      /* the first launch of its variant and config on its device, outside verification */
    bool has_kernel; /* false: the kernel_ fields and name are empty */
    bool is_graph;   /* the call launches a graph, which may have no kernel */
    uint32_t part;   /* 0 for the first kernel of an API call, then 1, 2 ... (graphs) */
    uint32_t name;   /* id in variant_launches.strings: the demangled name of the kernel */
    int32_t rank, device;
    uint32_t stream, thread;
    double blocks; /* of its grid */
    int64_t api_start_ns, api_end_ns;
    int64_t kernel_start_ns, kernel_end_ns;
};

/* A range of the runner, with or without launches. */
struct variant_range {
    const struct arm *arm;
    enum launch_phase phase;
    int32_t rank;
    uint32_t thread;
    int64_t start_ns, end_ns; /* end INT64_MAX when the range was never closed */
    double copied_bytes;      /* by copies and memsets that were started in it; within a device each byte twice */
    double copies, memsets, moved_bytes; /* started in it; each byte once */
    double copy_ns;                      /* of the copies */
};

/* What a device did, whoever started it: the time of copies, and of any work. */
struct device_work {
    int32_t rank, device;
    struct interval_set copies, any;
};

struct variant_launches {
    struct variant_launch *items; /* in the order of (api_start_ns, rank, thread, part) */
    size_t count, capacity;
    struct {
        struct variant_range *items; /* sorted by (rank, start_ns) */
        size_t count, capacity;
    } ranges;
    struct arm_index by_arm, ranges_by_arm;
    struct {
        struct device_work *items;
        size_t count, capacity;
    } work;                /* of the first DEVICES_WITH_WORK devices of the trace */
    struct strtab strings; /* owns all texts */
    bool has_trace;        /* the bundle has a trace */
    /* Records were dropped, the trace breaks off, or the tables that it is compared with are damaged ... */
    bool partial;
    bool is_gap;                /* ... it is one of the first two, which weigh more than the last */
    const char *partial_reason; /* a description of the damage; "" when there is none */
};

enum { DEVICES_WITH_WORK = 256 };

void variant_launches_init(struct variant_launches *list);
void variant_launches_release(struct variant_launches *list);

/* Fills an initialised list from the trace of a run, which has no scope yet and is rewound. Arms that only the trace
 * names are added to `arms`. */
int variant_launches_read(struct variant_launches *out, struct event_stream *stream, struct arms *arms, struct err *e);

/* Returns the indices of an arm's launches. */
struct arm_places variant_launches_of(const struct variant_launches *list, const struct arm *arm);
/* Returns the indices of an arm's ranges. */
struct arm_places variant_ranges_of(const struct variant_launches *list, const struct arm *arm);

/* Returns the work of a device; NULL when none is known. */
const struct device_work *variant_launches_work_of(const struct variant_launches *list, int32_t rank, int32_t device);

#endif
