/* pm_sampler.h - sums a device's counters over the time that some work takes. CUPTI reads the hardware's performance
 * monitors (PM) in time steps, whatever runs: launches do not wait for each other, unlike in a range of
 * range_profiler.h, and the work may be something else than kernels. So the sum includes everything that the device
 * does meanwhile. */
#ifndef CPPROF_PM_SAMPLER_H
#define CPPROF_PM_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/dynload/cupti_api.h"
#include "core/base/err.h"
#include "core/gpu/sampled_units.h"

struct pm_sampler;

/* Runs the work once and waits for it. */
typedef int (*pm_work)(void *context, struct err *e);

/* `names` are sums of bytes and instructions that are known to be right when sampled (docs/metrics.md), and must stay
 * valid. `accepted[i]` states whether the device's chip has names[i]; ERR_USAGE when it has none.
 *
 * Sample one device at a time: when two were sampled at once (H200, CUDA 13.0), one missed the traffic of one of its 18
 * NVLinks. */
int pm_sampler_new(struct pm_sampler **out, const struct cupti_api *api, int device, const char *const *names,
                   size_t count, bool *accepted, struct err *e);
void pm_sampler_free(struct pm_sampler *p);

/* Returns how often the work must run for all names. */
size_t pm_sampler_passes(const struct pm_sampler *p);

/* Gives CUPTI's value of names[i] in values[i]; NAN for one that was not accepted. After an error the sampler cannot be
 * used any more. */
int pm_sampler_sum(struct pm_sampler *p, pm_work work, void *context, double *values, struct err *e);

/* Gives each unit's name on the device's chip; its first name when the chip knows none. ERR_ENVIRONMENT when the chip
 * samples by cycles alone: its steps are too long for what is inside of a kernel. */
int pm_sampler_unit_names(const struct cupti_api *api, int device, const char *names[SAMPLED_UNIT_COUNT],
                          struct err *e);

/* Samples one by one, in one pass: a name that cannot be counted together with those before it is not accepted. Any
 * name of the chip is tried. */
int pm_sampler_new_series(struct pm_sampler **out, const struct cupti_api *api, int device, const char *const *names,
                          size_t count, bool *accepted, struct err *e);

/* Gets the samples in their order, with CUPTI's value of each name, NAN for one that was not accepted. */
struct pm_watch {
    int (*see)(void *context, uint64_t start_ns, uint64_t end_ns, const double *values, struct err *e);
    void *context;
};

/* Runs the work and then shows each sample that ended while or after it ran. A sampler of a series only.
 * ERR_ENVIRONMENT when there were more samples than it has room for. */
int pm_sampler_watch(struct pm_sampler *p, uint64_t step_ns, pm_work work, void *context, const struct pm_watch *watch,
                     struct err *e);
size_t pm_sampler_room(const struct pm_sampler *p);

/* Samples in bursts, whatever runs. Configure once; then start, stop and take, again and again, on one thread. `room`
 * is the most samples that a take gives, some 5 KB for each counter; CUPTI drops what is beyond. `buffer_bytes` is what
 * the hardware keeps of samples that are not taken yet, 10 to 20 KB each. Taking lasts longer than what is taken: 9 us
 * for each counter and sample (H100, CUDA 13.0), and sampling goes on for a millisecond while it is stopped. When a
 * burst has not fitted into the buffer, CUPTI cannot start again: free the sampler, and make a new one. */
int pm_sampler_configure(struct pm_sampler *p, uint64_t step_ns, size_t room, uint64_t buffer_bytes, struct err *e);
int pm_sampler_start(struct pm_sampler *p, struct err *e);
int pm_sampler_stop(struct pm_sampler *p, struct err *e);
int pm_sampler_take(struct pm_sampler *p, const struct pm_watch *watch, bool *has_overflowed, struct err *e);

/* The clock of the samples, for the work. */
int pm_sampler_time(const struct pm_sampler *p, uint64_t *now_ns, struct err *e);

#endif
