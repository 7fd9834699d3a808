/* sdpa_codes.cuh - codes as the hardware converts them to halves, from compute capability 8.9 on.
 *
 * One instruction gives two halves with their true values: no power of two has to be corrected, so scales are those of
 * sdpa_tile.cuh without SDPA_DECODE. */
#ifndef CPPROF_SDPA_CODES_CUH
#define CPPROF_SDPA_CODES_CUH

#include <cuda_fp8.h>
#include <float.h>

#include "kernels/sdpa/sdpa_registers.cuh"

namespace sdpa
{

/* Converts the lower two codes of a word; the upper two. */
static __device__ __forceinline__ unsigned lower_halves(unsigned codes)
{
    const __half2_raw two = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(codes & 0xffff), __NV_E4M3);
    return (unsigned)two.y << 16 | two.x;
}
static __device__ __forceinline__ unsigned upper_halves(unsigned codes)
{
    return lower_halves(codes >> 16);
}

/* Returns the factor from dot products of codes to exponents of two. Scales are not negative. The scale of a head
 * without values may be 0, but a score of minus infinity must stay minus infinity. */
static __device__ __forceinline__ float exponent_scale(const head &h)
{
    return fmaxf(h.score_scale * (SDPA_LOG2_E / (SDPA_DECODE * SDPA_DECODE)), FLT_MIN);
}

/* Returns the factor from sums of weighted codes to outputs; the weights add up to `total`. */
static __device__ __forceinline__ float output_factor(const head &h, float total)
{
    return __fdividef(h.value_scale * (1 / SDPA_DECODE), total);
}

} // namespace sdpa

#endif
