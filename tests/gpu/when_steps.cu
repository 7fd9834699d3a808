/* What does a step take, in a loop that works like training? Each step lies in the NVTX range "step": a batch is
 * copied, many kernels run, and the host waits. usage: when_steps STEPS [FLOATS]      each kernel changes so many
 * (65536 by default, a microsecond); prints the length of each step in ns, one a line */
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { KERNELS = 200, BATCH_BYTES = 1 << 20, STEPS_MAX = 100000, FLOATS = 1 << 16, FLOATS_MAX = 1 << 28 };

__global__ void scale(float *values)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i] = values[i] * 1.0001f + 0.5f;
}

static void check(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "when_steps: %s\n", cudaGetErrorString(error));
    exit(4);
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void step(float *values, int floats, void *batch, const void *host)
{
    nvtxRangePushA("step");
    check(cudaMemcpyAsync(batch, host, BATCH_BYTES, cudaMemcpyHostToDevice, 0));
    for (int i = 0; i < KERNELS; i++)
        scale<<<floats / 256, 256>>>(values);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    nvtxRangePop();
}

int main(int argc, char **argv)
{
    static int64_t taken_ns[STEPS_MAX];
    const int steps = argc > 1 ? atoi(argv[1]) : 0, floats = argc > 2 ? atoi(argv[2]) : FLOATS;
    float *values;
    void *batch, *host;
    if (steps < 1 || steps > STEPS_MAX || floats < 256 || floats > FLOATS_MAX) {
        fprintf(stderr, "usage: when_steps STEPS [FLOATS]\n");
        return 2;
    }
    check(cudaMalloc(&values, (size_t)floats * sizeof *values));
    check(cudaMalloc(&batch, BATCH_BYTES));
    check(cudaMallocHost(&host, BATCH_BYTES));
    check(cudaMemset(values, 0, (size_t)floats * sizeof *values));
    for (int i = 0; i < steps; i++) {
        const int64_t begin_ns = now_ns();
        step(values, floats, batch, host);
        taken_ns[i] = now_ns() - begin_ns;
    }
    for (int i = 0; i < steps; i++)
        printf("%lld\n", (long long)taken_ns[i]);
    return 0;
}
