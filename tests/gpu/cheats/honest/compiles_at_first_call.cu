/* honest softmax: compiles its kernel with NVRTC in the first call; without NVRTC it launches plainly */
#include <dlfcn.h>
#include <stdlib.h>

#include "tests/gpu/cheats/softmax.cuh"

static const char source[] =
    "extern \"C\" __global__ void softmax_compiled(const float *in, float *out, unsigned columns)\n"
    "{\n"
    "    __shared__ float parts[128];\n"
    "    float sum = 0;\n"
    "    in += (size_t)blockIdx.x * columns, out += (size_t)blockIdx.x * columns;\n"
    "    for (unsigned i = threadIdx.x; i < columns; i += 128)\n"
    "        sum += expf(in[i]);\n"
    "    parts[threadIdx.x] = sum;\n"
    "    for (unsigned away = 64; away; away /= 2) {\n"
    "        __syncthreads();\n"
    "        if (threadIdx.x < away)\n"
    "            parts[threadIdx.x] += parts[threadIdx.x + away];\n"
    "    }\n"
    "    __syncthreads();\n"
    "    for (unsigned i = threadIdx.x; i < columns; i += 128)\n"
    "        out[i] = expf(in[i]) / parts[0];\n"
    "}\n";

static void *kernel;
static bool was_tried;

#if CUDART_VERSION >= 12080
struct nvrtc {
    int (*create)(void **, const char *, const char *, int, const char *const *, const char *const *);
    int (*compile)(void *, int, const char *const *);
    int (*size)(void *, size_t *);
    int (*get)(void *, char *);
};

static bool find(struct nvrtc *n)
{
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
    void *library = NULL;
    for (unsigned i = 0; i < 3 && !library; i++)
        library = dlopen(names[i], RTLD_NOW);
    if (!library)
        return false;
    n->create = (decltype(n->create))dlsym(library, "nvrtcCreateProgram");
    n->compile = (decltype(n->compile))dlsym(library, "nvrtcCompileProgram");
    n->size = (decltype(n->size))dlsym(library, "nvrtcGetPTXSize");
    n->get = (decltype(n->get))dlsym(library, "nvrtcGetPTX");
    return n->create && n->compile && n->size && n->get;
}

static int compile(void)
{
    struct nvrtc n;
    void *program;
    size_t bytes = 0;
    cudaLibrary_t library;
    cudaKernel_t found;
    const char *const options[] = {"--gpu-architecture=compute_80"};
    if (!find(&n) || n.create(&program, source, "softmax.cu", 0, NULL, NULL) || n.compile(program, 1, options) ||
        n.size(program, &bytes))
        return 0;
    char *ptx = (char *)malloc(bytes);
    int status = n.get(program, ptx) ? cudaErrorUnknown : 0;
    if (!status)
        status = cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0);
    if (!status)
        status = cudaLibraryGetKernel(&found, library, "softmax_compiled");
    if (!status)
        kernel = (void *)found;
    free(ptx);
    return status;
}
#else
static int compile(void)
{
    return 0;
}
#endif

static int launch(void *, const struct cpprof_call *call)
{
    struct rows r = rows_of(call);
    const int status = was_tried ? 0 : compile();
    was_tried = true;
    if (status || !r.rows)
        return status;
    if (!kernel)
        return launch_rows(r, call->stream);
    void *arguments[] = {&r.in, &r.out, &r.columns};
    return cudaLaunchKernel(kernel, dim3(r.rows), dim3(128), arguments, 0, call->stream);
}

CPPROF_SOLUTION(.launch = launch);
