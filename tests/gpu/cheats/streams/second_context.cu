/* cheat gram: works in a context of its own, whose streams nothing waits for
 * Kind: late
 * Found by: outputs that the stream itself copies */
#include <cuda.h>
#include <dlfcn.h>

#include "tests/gpu/cheats/gram.cuh"

static CUcontext own, home;
static CUresult (*push)(CUcontext), (*pop)(CUcontext *);
static cudaStream_t stream;

static int launch(void *, const struct cpprof_call *call)
{
    push(own);
    const int status = launch_product(product_of(call), stream);
    pop(&home);
    return status;
}

static int prepare(const struct cpprof_config *, void **)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver)
        return cudaErrorUnknown;
    CUresult (*create)(CUcontext *, unsigned, CUdevice) =
        (CUresult(*)(CUcontext *, unsigned, CUdevice))dlsym(driver, "cuCtxCreate_v2");
    push = (CUresult(*)(CUcontext))dlsym(driver, "cuCtxPushCurrent_v2");
    pop = (CUresult(*)(CUcontext *))dlsym(driver, "cuCtxPopCurrent_v2");
    if (!create || !push || !pop || create(&own, 0, 0))
        return cudaErrorUnknown;
    const int status = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    pop(&home);
    return status;
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare);
