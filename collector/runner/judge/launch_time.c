/* Is what comes behind in a stream there before it begins? */
#define _GNU_SOURCE
#include "collector/runner/judge/launch_time.h"

#include <unistd.h>

enum { LATE_US = 2000 };

static void be_late(void *unused)
{
    (void)unused;
    usleep(LATE_US);
}

int launch_time_hold(cudaStream_t stream)
{
    return cudaLaunchHostFunc(stream, be_late, NULL);
}

bool launch_time_is_to_come(cudaEvent_t event)
{
    const bool to_come = cudaEventQuery(event) == cudaErrorNotReady;
    if (to_come) /* which is no error, and must not look like one of the next launch */
        cudaGetLastError();
    return to_come;
}
