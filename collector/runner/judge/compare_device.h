/* compare_device.h - compares outputs where they are, in device memory, so that large ones need not be copied to the
 * host. Only the judge in a process of its own does this. */
#ifndef CPPROF_COMPARE_DEVICE_H
#define CPPROF_COMPARE_DEVICE_H

#include <stddef.h>

#include "collector/runner/judge/compare_word.h"

#ifdef __cplusplus
extern "C" {
#endif

/* These put work into the stream and set *found in host memory; they return a cudaError_t when it is done. `scratch` is
 * device memory for a struct compare_found; the other pointers are to device memory that is aligned to 8 bytes. Each
 * value is loaded once. */
int compare_output(const struct compare_rule *rule, const void *got, const double *expected, void *scratch,
                   struct compare_found *found, struct CUstream_st *stream);

/* Compares bytes with others, or with one that is repeated where `expected` is NULL. There is no hash. */
int compare_memory(const void *got, const void *expected, unsigned char repeated, size_t bytes, void *scratch,
                   struct compare_found *found, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif

#endif
