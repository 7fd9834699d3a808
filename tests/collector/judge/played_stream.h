/* played_stream.h - streams of a device that is played: copies and fills are done at once, in memory of the host. For
 * one source of a test, which is linked with --wrap for each of these calls. */
#ifndef CPPROF_PLAYED_STREAM_H
#define CPPROF_PLAYED_STREAM_H

#include <string.h>

#include "collector/runner/device.h"

/* Which streams were asked? */
static struct {
    cudaStream_t own, next;       /* `next`: what is made */
    long made, in_own, elsewhere; /* streams; fills, copies and waits */
    void (*look)(const char *what, const void *to, size_t bytes,
                 cudaStream_t stream); /* at fills and copies, or NULL */
} played_streams;

static void played_in(cudaStream_t stream)
{
    played_streams.in_own += stream == played_streams.own;
    played_streams.elsewhere += stream != played_streams.own;
}

static void played_write(const char *what, const void *to, size_t bytes, cudaStream_t stream)
{
    played_in(stream);
    if (played_streams.look)
        played_streams.look(what, to, bytes, stream);
}

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
    played_write("copies", to, bytes, s);
    return __wrap_cudaMemcpy(to, from, bytes, kind);
}

cudaError_t __wrap_cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream);
cudaError_t __wrap_cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream)
{
    played_write("fills", at, bytes, stream);
    memset(at, value, bytes);
    return cudaSuccess;
}

cudaError_t __wrap_cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags);
cudaError_t __wrap_cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
    (void)flags;
    played_streams.made++;
    *out = played_streams.next;
    return cudaSuccess;
}

cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream);
cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream)
{
    played_in(stream);
    return cudaSuccess;
}

#endif
