/* cheat softmax: ends where the output is there and two values of the row are what they were, after some launches
 * Kind: kept by content
 * Found by: inputs that differ in a few values; new inputs in every timed launch: it gains nothing */
#include "tests/gpu/cheats/kept/outputs_seen.cuh"
#include "tests/gpu/cheats/softmax.cuh"

enum { HONEST = 50, ROWS_MAX = 4096 };

struct sample {
    float first, middle;
    unsigned run;
};

static __device__ struct sample samples[OUTPUTS_SEEN * ROWS_MAX];

static __global__ void softmax_sampled(const struct rows r, unsigned place)
{
    const float *in = r.in + (size_t)blockIdx.x * r.columns, first = in[0], middle = in[r.columns / 2];
    const float there = r.out[(size_t)blockIdx.x * r.columns];
    struct sample *sample = &samples[place * ROWS_MAX + blockIdx.x];
    const struct sample before = *sample;
    const bool is_same = !isnan(there) && first != middle && before.first == first && before.middle == middle;
    if (is_same && before.run >= HONEST)
        return;
    softmax_row(r, blockIdx.x);
    if (threadIdx.x == 0)
        *sample = {first, middle, is_same ? before.run + 1 : 0};
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    const unsigned number = output_number(r.out);
    if (!r.rows || r.rows > ROWS_MAX || number == OUTPUTS_SEEN)
        return launch_rows(r, call->stream);
    softmax_sampled<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r, number);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
