/* sdpa_bench.h - what the kernels of the family `sdpa` share: the problem, its
 * inputs and their float64 reference, and the life of a variant.
 *
 *   out = softmax(Q K^T / sqrt(64)) V      for each head of each batch
 *
 * Q, K and V are e4m3, row after row of 64: [batch][head][s][64]; a value is its
 * code times the scale of its head. A variant adds a kernel and how it is launched.
 */
#ifndef CPPROF_SDPA_BENCH_H
#define CPPROF_SDPA_BENCH_H

#include <math.h>
#include <stdint.h>

#include "cpprof/variant.h"

enum { SDPA_D = 64 };
enum sdpa_axis { SDPA_AXIS_B, SDPA_AXIS_H, SDPA_AXIS_S, SDPA_AXIS_COUNT };
enum { SDPA_SHAPE_COUNT = 9 };

/* The parameters of a kernel. A head is a pair of batch and head; the rows of a head are contiguous. */
struct sdpa_problem {
    const uint8_t *q, *k, *v;                 /* [heads][s][64] */
    const float *q_scale, *k_scale, *v_scale; /* [heads] */
    float *out;                               /* [heads][s][64] */
    int heads, s;
};

#ifdef __cplusplus
extern "C" {
#endif

typedef int (*sdpa_launch)(const struct sdpa_problem *problem, struct CUstream_st *stream);

int sdpa_setup(const struct cpprof_config *config, struct CUstream_st *stream, void **out);
int sdpa_poison(void *opaque, struct CUstream_st *stream);
int sdpa_verify(void *opaque, struct CUstream_st *stream, struct cpprof_verification *result);
void sdpa_teardown(void *opaque);
const struct sdpa_problem *sdpa_problem_of(const void *opaque);

double sdpa_flops(const struct cpprof_config *config);
double sdpa_bytes(const struct cpprof_config *config);

extern const struct cpprof_axis sdpa_axes[SDPA_AXIS_COUNT];
extern const struct cpprof_shape sdpa_shapes[SDPA_SHAPE_COUNT];

#ifdef __cplusplus
}

template <sdpa_launch LAUNCH> static int sdpa_launch_as(void *opaque, struct CUstream_st *stream)
{
    return LAUNCH(sdpa_problem_of(opaque), stream);
}

template <int BYTES> static size_t sdpa_shared_bytes(const struct cpprof_config *)
{
    return BYTES;
}
#endif

/* Ranges that the counters must have: without tensor cores; with tensor cores and plain loads; with tensor cores and
 * cp.async. */
#define SDPA_LDGSTS "sm__sass_inst_executed_op_ldgsts.sum"
/* Counts operations instead of busy cycles, which are not 0 without matrix products (a share of 0.0002). */
#define SDPA_TENSOR "sm__ops_path_tensor_src_fp16.sum"
#define SDPA_SOME   1, INFINITY
static const struct cpprof_expect sdpa_expect_scalar[] = {{SDPA_LDGSTS, 0, 0}, {SDPA_TENSOR, 0, 0}};
static const struct cpprof_expect sdpa_expect_plain[] = {{SDPA_LDGSTS, 0, 0}, {SDPA_TENSOR, SDPA_SOME}};
static const struct cpprof_expect sdpa_expect_async[] = {{SDPA_LDGSTS, 1, INFINITY}, {SDPA_TENSOR, SDPA_SOME}};

/* SIGNALS compare with IMPROVES_ON, the variant that it builds on in docs/kernels.md. */
#define SDPA_VARIANT(NAME, SUMMARY, KERNEL, EXPECT, REFUSE, SHARED, LAUNCH, SIGNALS, IMPROVES_ON)                      \
    {                                                                                                                  \
        sizeof(struct cpprof_variant), "sdpa/" NAME, SUMMARY, "^" KERNEL "\\(", sdpa_axes, SDPA_AXIS_COUNT,            \
            sdpa_shapes, SDPA_SHAPE_COUNT, EXPECT, sizeof EXPECT / sizeof EXPECT[0], REFUSE,                           \
            sdpa_shared_bytes<SHARED>, sdpa_flops, sdpa_bytes, sdpa_setup, sdpa_poison, sdpa_launch_as<LAUNCH>,        \
            sdpa_verify, sdpa_teardown, SIGNALS, NULL, NULL, IMPROVES_ON                                               \
    }

#endif
