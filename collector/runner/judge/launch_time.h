/* launch_time.h - is what comes behind in a stream there before it begins? */
#ifndef CPPROF_LAUNCH_TIME_H
#define CPPROF_LAUNCH_TIME_H

#include <stdbool.h>

#include <cuda_runtime_api.h>

/* The stream waits for the host for 2 ms, with all that comes behind this. */
int launch_time_hold(cudaStream_t stream);
/* Has the event not happened yet? Leaves no error behind. */
bool launch_time_is_to_come(cudaEvent_t event);

#endif
