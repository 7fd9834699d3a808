/* How is the L2 cache emptied of a launch's own data before the launch? */
#include "collector/runner/l2_flush.h"

#include "kernels/cache_read.h"

/* Twice the size: half of a cache may keep copies of the other half's lines, and it is not known which line a full
 * cache evicts. */
enum { TIMES_L2 = 2 };

int l2_flush_open(struct l2_flush *f, const struct device *d, struct err *e)
{
    const size_t bytes = (size_t)d->properties.l2CacheSize * TIMES_L2;
    if (!bytes)
        return err_set(e, ERR_ENVIRONMENT,
                       "'%s' does not say how large its L2 cache is: it cannot be flushed, use --cache hot",
                       d->properties.name);
    *f = (struct l2_flush){.bytes = bytes};
    const cudaError_t status = cudaMalloc(&f->buffer, bytes);
    return status ? device_error(status, "allocate the buffer that flushes the L2 cache", e) : 0;
}

int l2_flush_submit(const struct l2_flush *f, cudaStream_t stream, struct err *e)
{
    const cudaError_t status = cudaMemsetAsync(f->buffer, 0, f->bytes, stream);
    return status ? device_error(status, "flush the L2 cache", e) : 0;
}

int l2_flush_submit_read(const struct l2_flush *f, cudaStream_t stream, struct err *e)
{
    const int status = cache_read(f->buffer, f->bytes, stream);
    return status ? device_error(status, "flush the L2 cache", e) : 0;
}

static size_t persisting_bytes(void)
{
    size_t bytes = 0;
    if (cudaDeviceGetLimit(&bytes, cudaLimitPersistingL2CacheSize))
        cudaGetLastError();
    return bytes;
}

static void set_persisting(size_t bytes)
{
    if (cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, bytes))
        cudaGetLastError();
}

void l2_flush_forbid_persisting(struct l2_flush *f)
{
    f->persisting_bytes = persisting_bytes();
    set_persisting(0);
    if (cudaCtxResetPersistingL2Cache())
        cudaGetLastError();
}

size_t l2_flush_let_persist(struct l2_flush *f)
{
    const size_t found = persisting_bytes();
    set_persisting(f->persisting_bytes);
    return found;
}

void l2_flush_release(struct l2_flush *f)
{
    cudaFree(f->buffer);
    *f = (struct l2_flush){0};
}
