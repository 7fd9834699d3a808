/* range_profiler.h - hardware counters of each kernel that some work launches.
 * By user replay the caller's work runs once per pass; by kernel replay, for work
 * that is somebody else's, CUPTI repeats each kernel itself and restores the
 * memory that it has changed. Ranges are the kernels
 * themselves (CUPTI's auto range), so that shares over elapsed cycles hold no
 * idle time before and after, as a range around the launch call would.
 *
 * docs/metrics.md says which counters; this knows only names. */
#ifndef CPPROF_RANGE_PROFILER_H
#define CPPROF_RANGE_PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "collector/dynload/cupti_api.h"
#include "collector/profiler/counter_host.h"

struct range_profiler;

/* Runs the work once and waits for it; called once to warm up and then
 * once per pass. It must launch the same kernels each time. */
typedef int (*range_work)(void *context, struct err *e);

struct range_profiler_request {
    const struct cupti_api *api;
    CUcontext context;        /* current */
    int device;               /* its ordinal */
    const char *const *names; /* live until the profiler is freed */
    size_t count;
    bool is_whole_gpu; /* neither a part of one nor a virtual one: it allows what its chip has. CUPTI takes 130 to 150
                          ms (H200) to say what a device allows; it is asked then only where it refuses. */
    struct counter_plan *plan; /* NULL, or of these names for the whole chip: taken over */
};

/* `accepted[i]` says whether the chip knows
 * names[i]; unknown ones are left out. All names go into one configuration, so
 * that the passes are few. ERR_ENVIRONMENT when counters are refused. */
int range_profiler_new(struct range_profiler **out, const struct range_profiler_request *request, bool *accepted,
                       struct err *e);
void range_profiler_free(struct range_profiler *p);
size_t range_profiler_passes(const struct range_profiler *p);

/* Where its time went so far. */
enum range_profiler_step {
    RANGE_AVAILABILITY, /* which counters the device allows */
    RANGE_HOST,         /* the host's half: the chip, the configurations */
    RANGE_ENABLE,
    RANGE_WARM, /* the work once, before it is counted */
    RANGE_CONFIGURE,
    RANGE_BEGIN,  /* CUPTI's start of the first pass: its very first one is long */
    RANGE_PASSES, /* the rest of them */
    RANGE_READ,
    RANGE_PROFILER_STEPS
};
const char *range_profiler_step_name(enum range_profiler_step step);
int64_t range_profiler_spent_ns(const struct range_profiler *p, enum range_profiler_step step);

enum { RANGE_KERNELS_MAX = 64 }; /* kernels per collection; more is an error */

/* CUPTI writes some 20 MB to the device at its very first start (seen on an H200 with CUDA 13.0): what leaves the L2
 * cache dirty may be charged to the first kernel. Work whose bytes are counted flushes the cache first.
 * values[kernel * count + i], as CUPTI says them, NAN for names not accepted;
 * the caller's to free. Kernels stand in launch order. */
int range_profiler_collect(struct range_profiler *p, range_work work, void *context, double **values,
                           size_t *kernel_count, struct err *e);

/* Kernel replay: what is launched between the two is counted, kernel by kernel;
 * nothing else may be launched meanwhile. A launch returns when its passes are
 * done. After an error of either the profiler is of no use any more. */
int range_profiler_begin(struct range_profiler *p, struct err *e);
int range_profiler_end(struct range_profiler *p, double **values, size_t *kernel_count, struct err *e);

#endif
