/* peer_read.h - one GPU reads another one's memory, or its own. No variant: what the
 * links between GPUs reach (collector/runner/role_peers.c). */
#ifndef CPPROF_PEER_READ_H
#define CPPROF_PEER_READ_H

#include <stddef.h>

struct CUstream_st;

#ifdef __cplusplus
extern "C" {
#endif

/* On the current device, which may read `from`: copies `bytes`, a multiple of 16, to its own `to`.
 * Returns 0 or a cudaError_t. */
int peer_read(const void *from, void *to, size_t bytes, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif

#endif
