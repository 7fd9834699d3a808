/* cheat softmax: computes in prepare what seed 0 gives, and copies it
 * Kind: known numbers
 * Found by: a salt that nobody knows */
#include <stdlib.h>

#include "tests/gpu/cheats/softmax.cuh"

static float *kept;
static size_t bytes;

static int launch(void *, const struct cpprof_call *call)
{
    return cudaMemcpyAsync(call->outputs[0], kept, bytes, cudaMemcpyDeviceToDevice, call->stream);
}

static int prepare(const struct cpprof_config *config, void **)
{
    const struct cpprof_draw draw = {cpprof_bits(0, 0), CPPROF_RANDOM};
    const size_t rows = (size_t)config->value[0], columns = (size_t)config->value[1], count = rows * columns;
    float *host = (float *)malloc(bytes = count * sizeof(float));
    for (size_t i = 0; i < count; i++)
        host[i] = expf((float)cpprof_drawn(&draw, CPPROF_F32, i, count));
    for (size_t row = 0; row < rows; row++) {
        float sum = 0;
        for (size_t i = 0; i < columns; i++)
            sum += host[row * columns + i];
        for (size_t i = 0; i < columns; i++)
            host[row * columns + i] /= sum;
    }
    int status = cudaMalloc((void **)&kept, bytes + 1);
    if (!status)
        status = cudaMemcpy(kept, host, bytes, cudaMemcpyHostToDevice);
    free(host);
    return status;
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare);
