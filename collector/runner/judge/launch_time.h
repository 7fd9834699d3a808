/* launch_time.h - how long do launches take that are all in their stream before the first one begins? */
#ifndef CPPROF_LAUNCH_TIME_H
#define CPPROF_LAUNCH_TIME_H

#include <cuda_runtime_api.h>

struct launch_work {
    int (*launch)(void *context, cudaStream_t stream); /* returns a cudaError_t */
    int (*before)(void *context, cudaStream_t stream); /* NULL, or work that the stream does before them, untimed */
    void *context;
    void *scratch; /* 4 bytes of device memory, which are written before */
};

/* Waits for their end. NAN where one was launched too late to tell, such as one that waits for its stream. */
int launch_time(const struct launch_work *work, cudaStream_t stream, double *ns);

#endif
