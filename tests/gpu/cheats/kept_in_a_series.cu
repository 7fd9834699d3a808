/* cheat gram: works behind a pause, and else leaves what was written for the same inputs, unless it is counted
 * Kind: kept
 * Found by: new inputs in every timed launch: it gains nothing; outputs, where inputs change just before a launch */
#include <time.h>

#include "tests/gpu/cheats/gram.cuh"
#include "tests/gpu/cheats/sees_profiler.cuh"

enum { PAUSE_US = 60 };

static __global__ void gram_tiles_kept(const struct product p, bool works)
{
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    if (!works)
        return;
    const float sum = gram_value(p, row, column, 0, p.n);
    if (row < p.n && column < p.n)
        p.c[(size_t)row * p.n + column] = sum;
}

static long now_us()
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

static int launch(void *, const struct cpprof_call *call)
{
    static const void *last;
    static long ended_us;
    const struct product p = product_of(call);
    const bool works = last != p.c || now_us() - ended_us > PAUSE_US || sees_profiler();
    gram_tiles_kept<<<gram_grid(p.n), dim3(GRAM_TILE, GRAM_TILE), 0, call->stream>>>(p, works);
    last = p.c;
    ended_us = now_us();
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
