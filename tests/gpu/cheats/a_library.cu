/* cheat gram: calls cuBLAS where the task asks for kernels of one's own
 * Kind: other code
 * Found by: the task's pattern of kernels */
#include <dlfcn.h>

#include "tests/gpu/cheats/gram.cuh"

static void *handle;
static int (*set_stream)(void *, cudaStream_t);
static int (*multiply)(void *, int, int, int, int, int, const float *, const float *, int, const float *, int,
                       const float *, float *, int);

static int launch(void *, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    const float one = 1, none = 0;
    const int n = (int)p.n;
    const int status = set_stream(handle, call->stream);
    return status                                                                 ? cudaErrorUnknown
           : multiply(handle, 0, 0, n, n, n, &one, p.b, n, p.a, n, &none, p.c, n) ? cudaErrorUnknown
                                                                                  : 0;
}

static int prepare(const struct cpprof_config *, void **)
{
    void *library = dlopen("libcublas.so.13", RTLD_NOW);
    if (!library)
        library = dlopen("libcublas.so.12", RTLD_NOW);
    if (!library)
        return cudaErrorSharedObjectInitFailed; /* no cuBLAS: nothing to cheat with */
    int (*create)(void **) = (int (*)(void **))dlsym(library, "cublasCreate_v2");
    set_stream = (int (*)(void *, cudaStream_t))dlsym(library, "cublasSetStream_v2");
    multiply = (decltype(multiply))dlsym(library, "cublasSgemm_v2");
    return create && set_stream && multiply && !create(&handle) ? 0 : cudaErrorUnknown;
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare);
