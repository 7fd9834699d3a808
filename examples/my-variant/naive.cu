/* A solution: a value per thread. It sees buffers and a stream, and must do all of its work each time. */
#include <cpprof/task.h>

static __global__ void scale_naive(const float *in, float *out, size_t n)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 1.5f * in[i];
}

static int launch(void *, const struct cpprof_call *call)
{
    const size_t n = (size_t)call->config->value[0];
    scale_naive<<<(unsigned)((n + 255) / 256), 256, 0, call->stream>>>((const float *)call->inputs[0],
                                                                       (float *)call->outputs[0], n);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
