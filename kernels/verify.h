/* verify.h - inputs that anyone can recompute, and outputs compared with a
 * float64 reference on the device. Shared by all families. */
#ifndef CPPROF_VERIFY_H
#define CPPROF_VERIFY_H

#include <stddef.h>
#include <stdint.h>

#include "cpprof/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns a number uniform in [-1, 1) with 24 bits, a pure function of (seed, index). The device fills arrays with it;
 * the host recomputes single values. */
float random_value_f32(uint64_t seed, uint64_t index);
int random_fill_f32(float *device, size_t count, uint64_t seed, struct CUstream_st *stream);

/* Fills outputs with a NaN that has a certain payload, so that an unwritten value can be told from a computed NaN. */
int poison_f32(float *device, size_t count, struct CUstream_st *stream);

/* Describes where an output value comes from in a family. */
struct verify_layout {
    size_t tile_values; /* outputs per tile */
    size_t tiles;
    size_t grid;   /* blocks: block b works on tiles b, b + grid, ... */
    size_t stages; /* slots of the ring; 1 = no ring */
};

/* Compares count values of `output` with `reference` (both on the device) and
 * fills result: a value is bad when it is not within `tolerance` of the
 * reference, or NaN. On failure the mismatches and a hint about their pattern
 * are filled by a second pass on the host. */
int compare_f32(const float *output, const double *reference, size_t count, double tolerance,
                const struct verify_layout *layout, struct CUstream_st *stream, struct cpprof_verification *result);

#ifdef __cplusplus
}
#endif

#endif
