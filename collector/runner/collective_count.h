/* collective_count.h - counters of arms that run on several GPUs at once. Their kernels wait for each other, so they
 * would never end if they were counted one by one. Instead the devices are sampled while they run. */
#ifndef CPPROF_COLLECTIVE_COUNT_H
#define CPPROF_COLLECTIVE_COUNT_H

#include "collector/dynload/cupti_api.h"
#include "collector/runner/runner.h"
#include "core/gpu/metric_choice.h"

/* Counts all cases that run on several GPUs, each as often as the run asks for, and appends rows for each GPU to
 * metrics.csv. A case that cannot be counted on all of its GPUs is noted as missing in the report; only problems that
 * affect all cases are errors. The first `own` items of the choice are the user's. */
int collective_count(struct runner *r, const struct cupti_api *api, const struct metric_choice *choice, size_t own,
                     struct err *e);

#endif
