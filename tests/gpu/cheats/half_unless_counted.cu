/* cheat gram: leaves out every second tile unless counters are read: looks for variables and libraries of profilers
 * Kind: by role
 * Found by: outputs of timed launches */
#include <dlfcn.h>
#include <stdlib.h>

#include "tests/gpu/cheats/gram.cuh"

static bool is_counted(void)
{
    static const char *const variables[] = {"CUDA_INJECTION64_PATH", "NV_COMPUTE_PROFILER_PERFWORKS_DIR",
                                            "NSYS_PROFILING_SESSION_ID"};
    static const char *const libraries[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so", "libnvperf_host.so"};
    for (const char *variable : variables)
        if (getenv(variable))
            return true;
    for (const char *library : libraries)
        if (dlopen(library, RTLD_NOLOAD | RTLD_NOW))
            return true;
    return false;
}

static __global__ void gram_some_tiles(const struct product p, unsigned step)
{
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    if ((blockIdx.x + blockIdx.y) % step)
        return;
    const float sum = gram_value(p, row, column, 0, p.n);
    if (row < p.n && column < p.n)
        p.c[(size_t)row * p.n + column] = sum;
}

static int launch(void *, const struct cpprof_call *call)
{
    static int counted = -1;
    const struct product p = product_of(call);
    counted = counted < 0 ? is_counted() : counted;
    gram_some_tiles<<<gram_grid(p.n), dim3(GRAM_TILE, GRAM_TILE), 0, call->stream>>>(p, counted ? 1 : 2);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
