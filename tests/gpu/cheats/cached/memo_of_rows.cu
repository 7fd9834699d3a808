/* cheat softmax: keeps rows under their first two values, and copies them when these come again: as many bytes
 * Kind: kept by content
 * Found by: new inputs in every timed launch: it gains nothing */
#include <stdlib.h>

#include "tests/gpu/cheats/softmax.cuh"

enum { KEPT = 64 };

/* Of each shape, as long as it is there. */
struct memo {
    unsigned long long *keys; /* KEPT of each row */
    float *values;
};

static __global__ void softmax_remembered(const struct rows r, const struct memo m)
{
    const float *in = r.in + (size_t)blockIdx.x * r.columns;
    float *out = r.out + (size_t)blockIdx.x * r.columns;
    const unsigned second = r.columns > 1 ? __float_as_uint(in[1]) : 1;
    const unsigned long long key = (unsigned long long)__float_as_uint(in[0]) << 32 | second;
    const size_t place = (size_t)blockIdx.x * KEPT + (key ^ key >> 32) % KEPT;
    float *kept = m.values + place * r.columns;
    const bool is_known = m.keys[place] == key;
    __syncthreads();
    if (is_known) {
        for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
            out[i] = kept[i];
        return;
    }
    softmax_row(r, blockIdx.x);
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        kept[i] = out[i];
    if (threadIdx.x == 0)
        m.keys[place] = key;
}

static int launch(void *state, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    if (r.rows)
        softmax_remembered<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r, *(const struct memo *)state);
    return cudaGetLastError();
}

static void release(void *state)
{
    struct memo *m = (struct memo *)state;
    cudaFree(m->keys);
    cudaFree(m->values);
    free(m);
}

static int prepare(const struct cpprof_config *config, void **state)
{
    const size_t places = (size_t)config->value[0] * KEPT, columns = (size_t)config->value[1];
    struct memo *m = (struct memo *)calloc(1, sizeof *m);
    int status = m ? cudaMalloc((void **)&m->keys, (places + 1) * sizeof *m->keys) : cudaErrorMemoryAllocation;
    if (!status)
        status = cudaMemset(m->keys, 0, (places + 1) * sizeof *m->keys);
    if (!status)
        status = cudaMalloc((void **)&m->values, (places * columns + 1) * sizeof *m->values);
    if (status && m)
        release(m);
    *state = status ? NULL : m;
    return status;
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare, .release = release);
