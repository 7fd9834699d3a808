/* launch_time.h - how long do launches take that are all in their stream before the first one begins? */
#ifndef CPPROF_LAUNCH_TIME_H
#define CPPROF_LAUNCH_TIME_H

#include <stdbool.h>

#include <cuda_runtime_api.h>

struct launch_work {
    int (*launch)(void *context, cudaStream_t stream); /* returns a cudaError_t */
    int (*before)(void *context, cudaStream_t stream); /* NULL, or work that the stream does before them, untimed */
    void *context;
    void *scratch; /* 4 bytes of device memory, which are written before */
};

/* Waits for their end. NAN where one was launched too late to tell, such as one that waits for its stream. */
int launch_time(const struct launch_work *work, cudaStream_t stream, double *ns);

/* The stream waits for the host for 2 ms, with all that comes behind this. */
int launch_time_hold(cudaStream_t stream);
/* Has the event not happened yet? Leaves no error behind. */
bool launch_time_is_to_come(cudaEvent_t event);

#endif
