/* cache_read.h - fills the L2 cache with data that is only read, so that no written data stays in it. It is not a
 * variant: it runs before launches that are counted (collector/runner/l2_flush.h). */
#ifndef CPPROF_CACHE_READ_H
#define CPPROF_CACHE_READ_H

#include <stddef.h>

struct CUstream_st;

#ifdef __cplusplus
extern "C" {
#endif

/* Runs one kernel that reads `bytes`, a multiple of 16, of the current device's memory. Returns 0 or a cudaError_t. */
int cache_read(const void *buffer, size_t bytes, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif

#endif
