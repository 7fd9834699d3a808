/* Which of the codes of this build does the current device run? The build writes kernel_code_built. */
#include "kernels/kernel_code.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

/* Never launched. */
static __global__ void kernel_code_sample()
{
}

extern "C" int kernel_code_find(struct kernel_code *code)
{
    cudaFuncAttributes is;
    const cudaError_t status = cudaFuncGetAttributes(&is, (const void *)kernel_code_sample);
    if (status) {
        cudaGetLastError();
        return status;
    }
    code->source = is.ptxVersion;
    code->made_by_jit = is.ptxVersion != is.binaryVersion; /* each machine code is compiled for its own capability */
    return 0;
}

/* Returns 0 when no device answers. */
static int device_capability()
{
    int device, major = 0, minor = 0;
    if (cudaGetDevice(&device) || cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device))
        return 0;
    return 10 * major + minor;
}

extern "C" int kernel_code_refuses(char *why, size_t why_bytes)
{
    struct kernel_code code;
    const int status = kernel_code_find(&code), has = device_capability();
    if (!status || !has)
        return 0;
    snprintf(why, why_bytes, "this build has code for %s; this device has compute capability %d.%d (%s)",
             kernel_code_built(), has / 10, has % 10, cudaGetErrorString((cudaError_t)status));
    return 1;
}

static int refuse_device(int needs, const char *range, const char *what, int has, char *why, size_t why_bytes)
{
    snprintf(why, why_bytes, "needs %s, which compute capability %d.%d%s has; this device has %d.%d", what, needs / 10,
             needs % 10, range, has / 10, has % 10);
    return 1;
}

static int refuse_code(int needs, const char *suffix, const char *what, int source, char *why, size_t why_bytes)
{
    snprintf(why, why_bytes, "needs %s: build with %d%s in CPPROF_CUDA_CODE; this device runs code compiled for %d.%d",
             what, needs, suffix, source / 10, source % 10);
    return 1;
}

extern "C" int kernel_code_needs(int needs, const char *what, char *why, size_t why_bytes)
{
    struct kernel_code code = {};
    const int has = device_capability();
    if (has < needs)
        return refuse_device(needs, " or newer", what, has, why, why_bytes);
    if (kernel_code_find(&code) || code.source < needs)
        return refuse_code(has, has < 90 ? "" : "a", what, code.source, why, why_bytes);
    return 0;
}

extern "C" int kernel_code_needs_only(int needs, const char *what, char *why, size_t why_bytes)
{
    struct kernel_code code = {};
    const int has = device_capability();
    if (has != needs)
        return refuse_device(needs, " alone", what, has, why, why_bytes);
    char machine_code[16];
    snprintf(machine_code, sizeof machine_code, "sm_%da", needs);
    if (kernel_code_find(&code) || code.source != needs || !strstr(kernel_code_built(), machine_code))
        return refuse_code(needs, "a", what, code.source, why, why_bytes);
    return 0;
}
