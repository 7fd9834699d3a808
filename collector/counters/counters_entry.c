/* Where does the guest call the counters library? These are its only exports; guest_counters.h describes when they are
 * called. */
#include <stddef.h>
#include <stdio.h>

#include "collector/counters/counting.h"
#include "collector/counters/device_samples.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int cpprof_counters_watch(char *why, size_t why_bytes);
EXPORTED int cpprof_counters_start(const char *directory, const char *metrics, char *why, size_t why_bytes);
EXPORTED void cpprof_counters_finish(void);

int cpprof_counters_watch(char *why, size_t why_bytes)
{
    return counting_watch(why, why_bytes);
}

int cpprof_counters_start(const char *directory, const char *metrics, char *why, size_t why_bytes)
{
    return counting_start(directory, metrics, why, why_bytes);
}

void cpprof_counters_finish(void)
{
    counting_finish();
}

#if CUPTI_HAS_COUNTERS
EXPORTED samples_runner cpprof_samples_run;

int cpprof_samples_run(struct samples_run *run, char *why, size_t why_bytes)
{
    struct cupti_api api;
    struct err e = {0};
    int rc = cupti_api_load_pm(&api, &e);
    if (!rc)
        rc = device_samples_run(&api, run, &e);
    if (rc)
        snprintf(why, why_bytes, "%s", e.text);
    return rc;
}
#endif
