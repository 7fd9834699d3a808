/* sdpa_registers.cuh - weights that never leave the registers (stage 3 on).
 *
 * A lane has scores of two queries, r = lane / 4 and r + 8: low and high. The four lanes of a query
 * (lane / 4 the same) have all of its scores in a tile between them.
 */
#ifndef CPPROF_SDPA_REGISTERS_CUH
#define CPPROF_SDPA_REGISTERS_CUH

#include "kernels/sdpa/sdpa_tile.cuh"

namespace sdpa
{

struct two_rows {
    float low, high;
};

/* Reduces over the four lanes of a query. */
static __device__ __forceinline__ float max_of_four(float value)
{
    value = fmaxf(value, __shfl_xor_sync(~0u, value, 1));
    return fmaxf(value, __shfl_xor_sync(~0u, value, 2));
}
static __device__ __forceinline__ float sum_of_four(float value)
{
    value += __shfl_xor_sync(~0u, value, 1);
    return value + __shfl_xor_sync(~0u, value, 2);
}

/* 2^x with a relative error of at most 2^-22; subnormal results become 0. */
static __device__ __forceinline__ float exp2_fast(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
#define SDPA_LOG2_E 1.44269504088896341f /* from powers of e to powers of 2 */

/* Adding 1.5 x 2^23 to |x| < 2^22 leaves x, rounded, in the lowest bits of the sum. */
#define SDPA_ROUNDER 12582912.0f

/* Below this the exponent of a weight would leave the range of a float. Masked keys have minus infinity. */
#define SDPA_SMALLEST -125.0f

/* 2^x for x <= 0 without the XU: 2^n p(f), x = n + f, |f| <= 1/2, with a relative error of at most 1.1e-4. The
 * coefficients have the smallest maximum relative error on [-1/2, 1/2] among those with p(0) = 1. */
static __device__ __forceinline__ float exp2_polynomial(float x)
{
    x = fmaxf(x, SDPA_SMALLEST);
    const float rounded = x + SDPA_ROUNDER, f = x - (rounded - SDPA_ROUNDER);
    const float p = fmaf(fmaf(fmaf(0.055007335f, f, 0.24221119f), f, 0.69328312f), f, 1.0f);
    return __int_as_float(__float_as_int(p) + (__float_as_int(rounded) << 23));
}

/* How weights are computed: of(x) for scores, exact(x) for the factor by which a new largest score scales down earlier
 * sums. x <= 0 is in units in which a weight is BASE^x; SCALE units are one of e^x. of(0) must be 1, and of(-infinity)
 * must be negligible. */
struct library_exp {
    static constexpr float SCALE = 1;
    static __device__ __forceinline__ float exact(float x)
    {
        return expf(x);
    }
    __device__ __forceinline__ float of(float x) const
    {
        return expf(x);
    }
};

/* Turns scores into weights in place. Returns this lane's part of their sums. */
template <class EXP>
static __device__ __forceinline__ two_rows weigh_in_place(float scores[KEY_GROUPS][4], two_rows top,
                                                          const EXP &exponential)
{
    two_rows total = {0, 0};
#pragma unroll
    for (int n = 0; n < KEY_GROUPS; n++) {
        scores[n][0] = exponential.of(scores[n][0] - top.low);
        scores[n][1] = exponential.of(scores[n][1] - top.low);
        scores[n][2] = exponential.of(scores[n][2] - top.high);
        scores[n][3] = exponential.of(scores[n][3] - top.high);
        total.low += scores[n][0] + scores[n][1];
        total.high += scores[n][2] + scores[n][3];
    }
    return total;
}

/* sums += weights x values of the tile. The accumulators of two groups of 8 keys, as halves, are the left operand for
 * these 16 keys. */
template <class LAYOUT>
static __device__ __forceinline__ void add_values(float sums[D_GROUPS][4], const float weights[KEY_GROUPS][4],
                                                  const uint8_t *v)
{
#pragma unroll
    for (int i = 0; i < KEY_STEPS; i++) {
        const float *left = weights[2 * i], *right = weights[2 * i + 1];
        const unsigned a[4] = {two_halves(left[0], left[1]), two_halves(left[2], left[3]),
                               two_halves(right[0], right[1]), two_halves(right[2], right[3])};
        multiply_values<LAYOUT>(sums, a, v, i * 16);
    }
}

/* Divides by the sums of the weights, of which each lane has a part, and writes. */
static __device__ __forceinline__ void finish_rows(float sums[D_GROUPS][4], two_rows total, const head &h, int first)
{
    scale_rows(sums, h.value_scale / sum_of_four(total.low), h.value_scale / sum_of_four(total.high));
    store_rows(sums, h, first);
}

} // namespace sdpa

#endif
