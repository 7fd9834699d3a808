/* sdpa.cuh - variants of the family `sdpa` on buffers of a task. */
#include <cuda_runtime.h>

#include <cpprof/task.h>

#include "kernels/sdpa/sdpa.h"
#include "kernels/sdpa/sdpa_bench.h"
#include "tests/gpu/families/setting.h"

/* Gives *out the scales of all heads, Q, K, V. */
static int plan(const struct cpprof_config *config, void **out)
{
    const int heads = (int)(config->value[SDPA_AXIS_B] * config->value[SDPA_AXIS_H]);
    float scales[SCALES * 64 * 128];
    for (int i = 0; i < SCALES * heads; i++)
        scales[i] = sdpa_scale(i / heads, i % heads);
    const size_t bytes = (size_t)heads * SCALES * sizeof scales[0];
    cudaError_t status = cudaMalloc(out, bytes);
    return status ? status : cudaMemcpy(*out, scales, bytes, cudaMemcpyHostToDevice);
}

static void end(void *scales)
{
    cudaFree(scales);
}

/* A variant is launched with what its setup left, and that begins with the problem. */
template <const struct cpprof_variant *VARIANT> static int solve(void *scales, const struct cpprof_call *call)
{
    const int64_t *value = call->config->value;
    struct sdpa_problem p = {};
    p.q = (const uint8_t *)call->inputs[0];
    p.k = (const uint8_t *)call->inputs[1];
    p.v = (const uint8_t *)call->inputs[2];
    p.out = (float *)call->outputs[0];
    p.heads = (int)(value[SDPA_AXIS_B] * value[SDPA_AXIS_H]);
    p.s = (int)value[SDPA_AXIS_S];
    p.q_scale = (const float *)scales;
    p.k_scale = p.q_scale + p.heads;
    p.v_scale = p.k_scale + p.heads;
    return sdpa_problem_of(&p) == &p ? VARIANT->launch(&p, call->stream) : (int)cudaErrorInvalidValue;
}
