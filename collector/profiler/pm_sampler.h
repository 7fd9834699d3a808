/* pm_sampler.h - sums of a device's counters over the time that some work takes. CUPTI reads the hardware's performance
 * monitors (PM) in steps of time, whatever runs: no launch waits for another, as it does in a range of
 * range_profiler.h, and what runs need not be kernels. So all that the device does meanwhile is in the sum. */
#ifndef CPPROF_PM_SAMPLER_H
#define CPPROF_PM_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "collector/dynload/cupti_api.h"

struct pm_sampler;

/* Runs the work once and waits for it. */
typedef int (*pm_work)(void *context, struct err *e);

/* Sums of bytes and instructions that were seen to be right (docs/metrics.md); `accepted[i]` says whether names[i] is
 * one that the device's chip has; ERR_USAGE when none is. The names must live as long. It takes a chip that can sample
 * by time: none before GA102, nor GA100.
 *
 * One device at a time: of two that were sampled at once (H200, CUDA 13.0) one missed what went over one of its 18
 * NVLinks. */
int pm_sampler_new(struct pm_sampler **out, const struct cupti_api *api, int device, const char *const *names,
                   size_t count, bool *accepted, struct err *e);
void pm_sampler_free(struct pm_sampler *p);

/* How often the work runs for all names. */
size_t pm_sampler_passes(const struct pm_sampler *p);

/* values[i] of names[i], as CUPTI says it; NAN for one that was not accepted. After an error the sampler is of no use
 * any more. */
int pm_sampler_sum(struct pm_sampler *p, pm_work work, void *context, double *values, struct err *e);

#endif
