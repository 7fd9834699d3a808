/* played_stream.h - streams of a device that is played: copies and fills are done at once, in memory of the host. For
 * one source of a test, which is linked with --wrap for each of these calls. */
#ifndef CPPROF_PLAYED_STREAM_H
#define CPPROF_PLAYED_STREAM_H

#include <string.h>

#include "collector/runner/device.h"

cudaError_t __wrap_cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t __wrap_cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    (void)kind;
    memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t __wrap_cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t s);
cudaError_t __wrap_cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t s)
{
    (void)s;
    return __wrap_cudaMemcpy(to, from, bytes, kind);
}

cudaError_t __wrap_cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream);
cudaError_t __wrap_cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    memset(at, value, bytes);
    return cudaSuccess;
}

cudaError_t __wrap_cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags);
cudaError_t __wrap_cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
    (void)flags;
    *out = NULL;
    return cudaSuccess;
}

cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream);
cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

#endif
