/* collective_count.h - counters of arms that run on several GPUs at once. Their kernels wait for each other, so that
 * counted one by one they would never end: the devices are sampled while they run. */
#ifndef CPPROF_COLLECTIVE_COUNT_H
#define CPPROF_COLLECTIVE_COUNT_H

#include "collector/dynload/cupti_api.h"
#include "collector/runner/runner.h"
#include "gpu/metric_choice.h"

/* All cases of the run that are on several GPUs, each as often as it asks for -> metrics.csv, rows for each GPU. One
 * that cannot be counted on each of its GPUs is missing in the report; an error is only what concerns all. The first
 * `own` items of the choice are the user's. */
int collective_count(struct runner *r, const struct cupti_api *api, const struct metric_choice *choice, size_t own,
                     struct err *e);

#endif
