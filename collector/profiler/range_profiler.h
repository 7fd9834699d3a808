/* range_profiler.h - hardware counters of each kernel that some work launches.
 *
 * With user replay, the caller's work runs once per pass. With kernel replay, for work of a foreign program, CUPTI
 * itself repeats each kernel and restores the memory that it changed. Ranges are the kernels themselves (CUPTI's auto
 * range). So shares over elapsed cycles include no idle time before and after the kernel, unlike those of a range
 * around the launch call.
 *
 * docs/metrics.md explains which counters are read; this module only knows names. */
#ifndef CPPROF_RANGE_PROFILER_H
#define CPPROF_RANGE_PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/dynload/cupti_api.h"
#include "collector/profiler/counter_host.h"
#include "core/base/err.h"

struct range_profiler;

/* Runs the work once and waits for it. It is called once to warm up, then once per pass, and must launch the same
 * kernels each time. */
typedef int (*range_work)(void *context, struct err *e);

struct range_profiler_request {
    const struct cupti_api *api;
    CUcontext context;        /* current */
    int device;               /* its ordinal */
    const char *const *names; /* must live until the profiler is freed */
    size_t count;
    /* Neither a part of a GPU nor a virtual one, so it allows all counters of its chip. Asking CUPTI what a device
     * allows takes 130 to 150 ms (H200); it is asked only where it refuses. */
    bool is_whole_gpu;
    struct counter_plan *plan; /* NULL, or a plan of these names for the whole chip, whose ownership is taken */
};

/* `accepted[i]` states whether the chip knows names[i]; unknown ones are left out. All names go into one configuration,
 * so that there are few passes. Returns ERR_ENVIRONMENT when counters are refused. */
int range_profiler_new(struct range_profiler **out, const struct range_profiler_request *request, bool *accepted,
                       struct err *e);
void range_profiler_free(struct range_profiler *p);
size_t range_profiler_passes(const struct range_profiler *p);

/* The steps whose time is measured. */
enum range_profiler_step {
    RANGE_AVAILABILITY, /* which counters the device allows */
    RANGE_HOST,         /* CUPTI's host part: the chip, the configurations */
    RANGE_ENABLE,
    RANGE_WARM, /* the work once, before it is counted */
    RANGE_CONFIGURE,
    RANGE_BEGIN,  /* CUPTI's start of the first pass; the first one of a process takes long */
    RANGE_PASSES, /* the rest of them */
    RANGE_READ,
    RANGE_PROFILER_STEPS
};
const char *range_profiler_step_name(enum range_profiler_step step);
int64_t range_profiler_spent_ns(const struct range_profiler *p, enum range_profiler_step step);

enum { RANGE_KERNELS_MAX = 64 }; /* kernels per collection; more are an error */

/* Counts all kernels of the work. The result is values[kernel * count + i], as CUPTI reports them, NAN for names that
 * were not accepted; the caller frees it. Kernels are in the order of their launches.
 *
 * CUPTI writes about 20 MB to the device at the first start in a process (seen on an H200 with CUDA 13.0). When this
 * leaves the L2 cache dirty, the first kernel may be charged for it, so work whose bytes are counted flushes the cache
 * first. */
int range_profiler_collect(struct range_profiler *p, range_work work, void *context, double **values,
                           size_t *kernel_count, struct err *e);

/* Kernel replay: kernels launched between the two calls are counted one by one; no other work may be launched
 * meanwhile. A launch returns when its passes are done. After an error of either the profiler cannot be used any
 * more. */
int range_profiler_begin(struct range_profiler *p, struct err *e);
int range_profiler_end(struct range_profiler *p, double **values, size_t *kernel_count, struct err *e);

#endif
