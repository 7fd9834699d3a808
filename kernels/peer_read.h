/* peer_read.h - one GPU reads the memory of another, or its own. It is not a variant: it measures the links between
 * GPUs (collector/runner/role_peers.c). */
#ifndef CPPROF_PEER_READ_H
#define CPPROF_PEER_READ_H

#include <stddef.h>

struct CUstream_st;

#ifdef __cplusplus
extern "C" {
#endif

/* The current device, which must be able to read `from`, copies `bytes`, a multiple of 16, to its own `to`. Returns 0
 * or a cudaError_t. */
int peer_read(const void *from, void *to, size_t bytes, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif

#endif
