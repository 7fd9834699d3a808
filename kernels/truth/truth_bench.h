/* truth_bench.h - what the kernels of the family `truth` share: memory for one input, one output and its float64
 * reference, and the life of a variant.
 *
 * A kernel of the family defines three things: its size (plan), its expected output (prepare) and its launch. All
 * values are whole numbers that are exact in their type, so that a single missing operation is an error. Only copies
 * (dram-stream, tma-stream) have the same result when they are done twice. */
#ifndef CPPROF_TRUTH_BENCH_H
#define CPPROF_TRUTH_BENCH_H

#include <math.h>

#include "kernels/verify.h"

struct truth {
    /* the request */
    int rounds; /* iterations of the kernel's loop */
    uint64_t seed;
    int sm_count;
    /* set by plan */
    int grid, threads;
    size_t in_count, out_count; /* floats */
    int whole_max;              /* the input is whole numbers of at most this; 0: it is uniform in [-1, 1) */
    double tolerance;           /* 0: must be exact */
    /* made between plan and prepare */
    float *in, *out;
    double *reference;
    void *more; /* for a kernel that needs another array; set by prepare, freed with the rest */
};

typedef int (*truth_step)(struct truth *t, struct CUstream_st *stream);

int truth_setup(const struct cpprof_config *config, struct CUstream_st *stream, truth_step plan, truth_step prepare,
                void **out);
int truth_poison(void *opaque, struct CUstream_st *stream);
int truth_verify(void *opaque, struct CUstream_st *stream, struct cpprof_verification *result);
void truth_teardown(void *opaque);

/* Returns the number of SMs of the current device; 1 when there is no device. The second function returns 2048 then. */
double truth_sm_count(void);
int truth_threads_per_sm(void); /* 2048 */

template <truth_step PLAN, truth_step PREPARE>
static int truth_setup_as(const struct cpprof_config *config, struct CUstream_st *stream, void **out)
{
    return truth_setup(config, stream, PLAN, PREPARE, out);
}

template <int BYTES> static size_t truth_shared_bytes(const struct cpprof_config *)
{
    return BYTES;
}

/* Returns the number of blocks for a reference with one thread per value. */
static inline unsigned truth_blocks(size_t count, unsigned threads)
{
    return (unsigned)((count + threads - 1) / threads);
}

/* The only axis, and a variant's shapes: one that is measured, and one with another length that is only verified. */
#define TRUTH_AXIS(ROUNDS)                                                                                             \
    {                                                                                                                  \
        "rounds", "times round the kernel's loop", CPPROF_AXIS_SHAPE, 1, 1 << 16, ROUNDS                               \
    }
#define TRUTH_SHAPES(NAME, ROUNDS, SHORT)                                                                              \
    {NAME, {ROUNDS}, 0},                                                                                               \
    {                                                                                                                  \
        "short", {SHORT}, 1                                                                                            \
    }

#endif
