/* Where does the guest call the counters library? These are its only exports; guest_counters.h describes when they are
 * called. */
#include <stddef.h>

#include "collector/counters/counting.h"

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
