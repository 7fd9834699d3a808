/* allreduce_bench.h - what the variants of the family `allreduce` share: inputs and their float64 sums, and the
 * life of a variant.
 *
 *   out[r][i] = in[0][i] + in[1][i] + ... + in[n - 1][i]      on each rank r of n
 *
 * With as many devices as ranks each rank is a device of its own. With fewer, all ranks live on the current device:
 * one launch of ctas x n blocks, in which blockIdx.y is the rank. The kernels are the same; the pointers differ.
 *
 * Every kernel adds in the order of the ranks, in fp32: all ranks, and all variants, get the same bits.
 */
#ifndef CPPROF_ALLREDUCE_BENCH_H
#define CPPROF_ALLREDUCE_BENCH_H

#include <stddef.h>
#include <stdint.h>

#include "cpprof/variant.h"
#include "kernels/allreduce/allreduce_problem.h"

#ifdef __cplusplus
extern "C" {
#endif

struct allreduce_run {
    struct allreduce_problem problem;
    struct allreduce_pick pick;
    enum allreduce_dtype dtype;
    int value_bytes;
    uint64_t seed;
    int step_is_rounded; /* partial sums are rounded to the dtype, not only the result */
    int ctas;            /* per rank */
    int devices;         /* 1, or one per rank */
    int device[ALLREDUCE_RANKS_MAX];
    struct CUstream_st *side[ALLREDUCE_RANKS_MAX]; /* for each rank on a device of its own; else NULL */
    struct CUevent_st *fork, *join[ALLREDUCE_RANKS_MAX];
    void *memory_in[ALLREDUCE_RANKS_MAX],
        *memory_out[ALLREDUCE_RANKS_MAX]; /* where in and out begin, without the offset */
    void *sums[ALLREDUCE_RANKS_MAX];      /* for the comparison */
    int is_failure_said;
    int is_forked; /* within a series, whose fork and join surround all of its launches */
    int launched;  /* launches in this series */
};

/* Allocates memory, fills inputs, enables peer access, makes streams; sets no kernel. allreduce_close frees all of it,
 * also after an error. */
int allreduce_open(struct allreduce_run *run, const struct cpprof_config *config, struct CUstream_st *stream);
void allreduce_close(struct allreduce_run *run);
/* Draws the inputs of a rank from `seed`, on that rank's stream. Its device must be current. */
int allreduce_fill_rank(const struct allreduce_run *run, int rank, uint64_t seed, struct CUstream_st *own);
/* Makes all ranks wait for the work of `stream`, and the reverse. They do nothing where all ranks are on one device. */
int allreduce_fork(const struct allreduce_run *run, struct CUstream_st *stream);
int allreduce_join(const struct allreduce_run *run, struct CUstream_st *stream);
/* Called before and after a series of launches: fork and join of struct cpprof_variant. */
int allreduce_begin_series(void *opaque, struct CUstream_st *stream);
int allreduce_end_series(void *opaque, struct CUstream_st *stream);
/* Gives the stream of a rank and makes its device current; allreduce_home returns to the first device. */
int allreduce_enter(const struct allreduce_run *run, int rank, struct CUstream_st *stream, struct CUstream_st **own);
void allreduce_home(const struct allreduce_run *run);
/* Returns how many bytes of a message are data. */
size_t allreduce_message_bytes(const struct allreduce_run *run);

int allreduce_setup(const struct allreduce_kernel *kernel, const struct cpprof_config *config,
                    struct CUstream_st *stream, void **out);
int allreduce_poison(void *opaque, struct CUstream_st *stream);
int allreduce_launch(void *opaque, struct CUstream_st *stream);
int allreduce_verify(void *opaque, struct CUstream_st *stream, struct cpprof_verification *result);
void allreduce_teardown(void *opaque);

extern const struct cpprof_axis allreduce_axes[ALLREDUCE_AXIS_COUNT];
extern const struct cpprof_shape allreduce_shapes[ALLREDUCE_SHAPE_COUNT];

#ifdef __cplusplus
}

template <const struct allreduce_kernel *KERNEL>
static int allreduce_setup_as(const struct cpprof_config *config, struct CUstream_st *stream, void **out)
{
    return allreduce_setup(KERNEL, config, stream, out);
}
#endif

#define ALLREDUCE_VARIANT(NAME, SUMMARY, PATTERN, EXPECT, REFUSE, SHARED, SETUP, SIGNALS, IMPROVES_ON, DECLARE)        \
    {                                                                                                                  \
        sizeof(struct cpprof_variant), "allreduce/" NAME, SUMMARY, PATTERN, allreduce_axes, ALLREDUCE_AXIS_COUNT,      \
            allreduce_shapes, ALLREDUCE_SHAPE_COUNT, EXPECT, sizeof EXPECT / sizeof EXPECT[0], REFUSE, SHARED,         \
            allreduce_flops, allreduce_bytes, SETUP, allreduce_poison, allreduce_launch, allreduce_verify,             \
            allreduce_teardown, SIGNALS, allreduce_bus_factor, NULL, IMPROVES_ON, allreduce_begin_series,              \
            allreduce_end_series, allreduce_variant_devices, DECLARE                                                   \
    }

#endif
