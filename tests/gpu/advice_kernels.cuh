/* advice_kernels.cuh - what the programs of advice.sh and advice_changes.sh share: two kernels that take as long as
 * they are told, and the host's clock. */
#ifndef CPPROF_TESTS_ADVICE_KERNELS_CUH
#define CPPROF_TESTS_ADVICE_KERNELS_CUH

#include <cuda_runtime.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static __device__ void run_for(int us)
{
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    for (long long left = 100000000; left > 0; left--) { /* ends without a timer, too */
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        if (now - begin >= 1000ull * us)
            return;
    }
}
__global__ void advice_first(int us)
{
    run_for(us);
}
__global__ void advice_second(int us)
{
    run_for(us);
}

static void check(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, cudaGetErrorString(error));
    exit(4);
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#endif
