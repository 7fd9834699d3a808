/* From where to where does a call copy? The driver is the one that the program has loaded. */
#define _GNU_SOURCE
#include "collector/inject/copy_calls.h"

#include <dlfcn.h>
#include <stdatomic.h>

typedef CUresult attribute_getter(void *value, CUpointer_attribute attribute, CUdeviceptr pointer);

static attribute_getter *getter(void)
{
    static _Atomic(attribute_getter *) found;
    attribute_getter *get = atomic_load(&found);
    void *library = get ? NULL : dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (library) {
        *(void **)&get = dlsym(library, "cuPointerGetAttribute");
        atomic_store(&found, get);
    }
    return get;
}

/* Returns the GPU of the memory; -1: it is the host's, -2: that is not known. The driver does not know pageable memory.
 */
static int place_of(CUdeviceptr pointer)
{
    attribute_getter *get = getter();
    unsigned type = 0;
    int device = -2;
    if (!get)
        return -2;
    if (get(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer) || type == CU_MEMORYTYPE_HOST)
        return -1;
    return get(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer) ? -2 : device;
}

static enum cpprof_copy_kind kind_between(int from, int to)
{
    if (from == -2 || to == -2)
        return CPPROF_COPY_UNKNOWN;
    if (from == -1)
        return to == -1 ? CPPROF_COPY_H2H : CPPROF_COPY_H2D;
    if (to == -1)
        return CPPROF_COPY_D2H;
    return from == to ? CPPROF_COPY_D2D : CPPROF_COPY_P2P;
}

/* ---- parameters ---- */

/* Calls of one family have the same members, with the stream behind them where they return at once. */
typedef struct copy_call reader(const void *params);

#define CALL_OF(kind_, stream_) ((struct copy_call){.kind = (kind_), .stream = (stream_)})
#define HAS_STREAM(name)        (((const name##_params *)params)->hStream)

static struct copy_call read_h2d(const void *params)
{
    (void)params;
    return CALL_OF(CPPROF_COPY_H2D, NULL);
}

static struct copy_call read_h2d_async(const void *params)
{
    return CALL_OF(CPPROF_COPY_H2D, HAS_STREAM(cuMemcpyHtoDAsync_v2));
}

static struct copy_call read_d2h(const void *params)
{
    (void)params;
    return CALL_OF(CPPROF_COPY_D2H, NULL);
}

static struct copy_call read_d2h_async(const void *params)
{
    return CALL_OF(CPPROF_COPY_D2H, HAS_STREAM(cuMemcpyDtoHAsync_v2));
}

static struct copy_call read_d2d(const void *params)
{
    const cuMemcpyDtoD_v2_params *p = params;
    return CALL_OF(kind_between(place_of(p->srcDevice), place_of(p->dstDevice)), NULL);
}

static struct copy_call read_d2d_async(const void *params)
{
    const cuMemcpyDtoDAsync_v2_params *p = params;
    return CALL_OF(kind_between(place_of(p->srcDevice), place_of(p->dstDevice)), p->hStream);
}

static struct copy_call read_any(const void *params)
{
    const cuMemcpy_params *p = params;
    return CALL_OF(kind_between(place_of(p->src), place_of(p->dst)), NULL);
}

static struct copy_call read_any_async(const void *params)
{
    const cuMemcpyAsync_params *p = params;
    return CALL_OF(kind_between(place_of(p->src), place_of(p->dst)), p->hStream);
}

static struct copy_call read_peer(const void *params)
{
    (void)params;
    return CALL_OF(CPPROF_COPY_P2P, NULL);
}

static struct copy_call read_peer_async(const void *params)
{
    return CALL_OF(CPPROF_COPY_P2P, HAS_STREAM(cuMemcpyPeerAsync));
}

/* Where one side of a copy of several dimensions is. */
static int side_of(CUmemorytype type, CUdeviceptr device)
{
    if (type == CU_MEMORYTYPE_HOST)
        return -1;
    return type == CU_MEMORYTYPE_ARRAY ? -2 : place_of(device);
}

#define KIND_OF_SIDES(p)                                                                                               \
    ((p) ? kind_between(side_of((p)->srcMemoryType, (p)->srcDevice), side_of((p)->dstMemoryType, (p)->dstDevice))      \
         : CPPROF_COPY_UNKNOWN)

static struct copy_call read_2d(const void *params)
{
    const CUDA_MEMCPY2D *p = ((const cuMemcpy2D_v2_params *)params)->pCopy;
    return CALL_OF(KIND_OF_SIDES(p), NULL);
}

static struct copy_call read_2d_async(const void *params)
{
    const CUDA_MEMCPY2D *p = ((const cuMemcpy2DAsync_v2_params *)params)->pCopy;
    return CALL_OF(KIND_OF_SIDES(p), HAS_STREAM(cuMemcpy2DAsync_v2));
}

static struct copy_call read_3d(const void *params)
{
    const CUDA_MEMCPY3D *p = ((const cuMemcpy3D_v2_params *)params)->pCopy;
    return CALL_OF(KIND_OF_SIDES(p), NULL);
}

static struct copy_call read_3d_async(const void *params)
{
    const CUDA_MEMCPY3D *p = ((const cuMemcpy3DAsync_v2_params *)params)->pCopy;
    return CALL_OF(KIND_OF_SIDES(p), HAS_STREAM(cuMemcpy3DAsync_v2));
}

/* ---- calls ---- */

#define ID(name) CUPTI_DRIVER_TRACE_CBID_##name

static const struct {
    CUpti_CallbackId id;
    reader *read;
    bool of_thread; /* its default stream is the thread's */
} calls[] = {
    {ID(cuMemcpyHtoD_v2), read_h2d, false},
    {ID(cuMemcpyHtoD_v2_ptds), read_h2d, true},
    {ID(cuMemcpyHtoDAsync_v2), read_h2d_async, false},
    {ID(cuMemcpyHtoDAsync_v2_ptsz), read_h2d_async, true},
    {ID(cuMemcpyDtoH_v2), read_d2h, false},
    {ID(cuMemcpyDtoH_v2_ptds), read_d2h, true},
    {ID(cuMemcpyDtoHAsync_v2), read_d2h_async, false},
    {ID(cuMemcpyDtoHAsync_v2_ptsz), read_d2h_async, true},
    {ID(cuMemcpyDtoD_v2), read_d2d, false},
    {ID(cuMemcpyDtoD_v2_ptds), read_d2d, true},
    {ID(cuMemcpyDtoDAsync_v2), read_d2d_async, false},
    {ID(cuMemcpyDtoDAsync_v2_ptsz), read_d2d_async, true},
    {ID(cuMemcpy), read_any, false},
    {ID(cuMemcpy_ptds), read_any, true},
    {ID(cuMemcpyAsync), read_any_async, false},
    {ID(cuMemcpyAsync_ptsz), read_any_async, true},
    {ID(cuMemcpyPeer), read_peer, false},
    {ID(cuMemcpyPeer_ptds), read_peer, true},
    {ID(cuMemcpyPeerAsync), read_peer_async, false},
    {ID(cuMemcpyPeerAsync_ptsz), read_peer_async, true},
    {ID(cuMemcpy2D_v2), read_2d, false},
    {ID(cuMemcpy2D_v2_ptds), read_2d, true},
    {ID(cuMemcpy2DUnaligned_v2), read_2d, false},
    {ID(cuMemcpy2DUnaligned_v2_ptds), read_2d, true},
    {ID(cuMemcpy2DAsync_v2), read_2d_async, false},
    {ID(cuMemcpy2DAsync_v2_ptsz), read_2d_async, true},
    {ID(cuMemcpy3D_v2), read_3d, false},
    {ID(cuMemcpy3D_v2_ptds), read_3d, true},
    {ID(cuMemcpy3DAsync_v2), read_3d_async, false},
    {ID(cuMemcpy3DAsync_v2_ptsz), read_3d_async, true},
};
enum { CALLS = sizeof calls / sizeof calls[0] };

CUpti_CallbackId copy_calls_id(size_t index)
{
    return index < CALLS ? calls[index].id : CUPTI_DRIVER_TRACE_CBID_INVALID;
}

bool copy_calls_read(CUpti_CallbackId call, const void *params, struct copy_call *copy)
{
    size_t at = 0;
    while (at < CALLS && calls[at].id != call)
        at++;
    if (at == CALLS || !params)
        return false;
    *copy = calls[at].read(params);
    if (!copy->stream && calls[at].of_thread)
        copy->stream = CU_STREAM_PER_THREAD;
    return true;
}
