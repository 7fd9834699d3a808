/* cheat softmax: reads the seeds from the runner's command line, computes in prepare what they give, and copies it
 * Kind: known numbers
 * Found by: a salt that nobody knows: it gains nothing */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gpu/cheats/softmax.cuh"

enum { SEEDS_MAX = 8, SETS = 8, WORDS_BYTES = 65536 };

/* One for each set of inputs: the value that tells it, and what comes out. */
struct answers {
    float *first, *out;
    unsigned count;
};

static unsigned read_seeds(uint64_t *seeds)
{
    static char words[WORDS_BYTES];
    unsigned count = 0;
    FILE *file = fopen("/proc/self/cmdline", "r");
    const size_t bytes = file ? fread(words, 1, sizeof words - 1, file) : 0;
    if (file)
        fclose(file);
    for (size_t at = 0; at < bytes && count < SEEDS_MAX; at += strlen(words + at) + 1)
        if (!strncmp(words + at, "--seed=", 7))
            seeds[count++] = strtoull(words + at + 7, NULL, 10);
    return count;
}

static void answer(uint64_t seed, size_t rows, size_t columns, float *first, float *out)
{
    const struct cpprof_draw draw = {cpprof_bits(seed, 0), CPPROF_RANDOM};
    const size_t count = rows * columns;
    *first = count ? (float)cpprof_drawn(&draw, CPPROF_F32, 0, count) : 0;
    for (size_t row = 0; row < rows; row++) {
        double sum = 0;
        for (size_t i = row * columns; i < (row + 1) * columns; i++)
            sum += exp((double)(float)cpprof_drawn(&draw, CPPROF_F32, i, count));
        for (size_t i = row * columns; i < (row + 1) * columns; i++)
            out[i] = (float)(exp((double)(float)cpprof_drawn(&draw, CPPROF_F32, i, count)) / sum);
    }
}

static __global__ void softmax_answered(const struct rows r, const struct answers known)
{
    const size_t count = (size_t)r.rows * r.columns, at = (size_t)blockIdx.x * r.columns;
    unsigned set = 0;
    while (set < known.count && known.first[set] != r.in[0])
        set++;
    if (set == known.count)
        softmax_row(r, blockIdx.x);
    for (unsigned i = threadIdx.x; set < known.count && i < r.columns; i += blockDim.x)
        r.out[at + i] = known.out[set * count + at + i];
}

static int launch(void *state, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    if (r.rows)
        softmax_answered<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r, *(const struct answers *)state);
    return cudaGetLastError();
}

static int prepare(const struct cpprof_config *config, void **state)
{
    uint64_t seeds[SEEDS_MAX];
    const size_t rows = (size_t)config->value[0], columns = (size_t)config->value[1], count = rows * columns;
    struct answers *known = (struct answers *)calloc(1, sizeof *known);
    known->count = SETS * read_seeds(seeds);
    int status = cudaMallocManaged((void **)&known->first, (known->count + 1) * sizeof(float), cudaMemAttachGlobal);
    if (!status)
        status =
            cudaMallocManaged((void **)&known->out, (known->count * count + 1) * sizeof(float), cudaMemAttachGlobal);
    for (unsigned i = 0; i < known->count && !status; i++) {
        const uint64_t seed = seeds[i / SETS], set = i % SETS;
        answer(set ? cpprof_bits(seed, set) : seed, rows, columns, &known->first[i], known->out + i * count);
    }
    *state = known;
    return status;
}

static void release(void *state)
{
    struct answers *known = (struct answers *)state;
    cudaFree(known->first);
    cudaFree(known->out);
    free(known);
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare, .release = release);
