// Which side's records does a launch make, and what do they cost? The choice in
// collector/activity/record_kinds.c, asked of the installed CUPTI.
//
//   call_sides MODE LAUNCHES      MODE: none, kernel, runtime, driver, both, all
//
// Prints: mode, API (runtime or driver) that launched, ns a launch, and how many
// kernel, runtime and driver records came for each launch.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cupti.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

__global__ void nothing()
{
}

static unsigned long long seen[3]; // kernel, runtime, driver

static void CUPTIAPI requested(uint8_t **bytes, size_t *size, size_t *records)
{
    *size = 8 << 20;
    *bytes = static_cast<uint8_t *>(calloc(1, *size));
    *records = 0;
}

static void CUPTIAPI completed(CUcontext, uint32_t, uint8_t *bytes, size_t, size_t valid)
{
    CUpti_Activity *record = nullptr;
    while (cuptiActivityGetNextRecord(bytes, valid, &record) == CUPTI_SUCCESS)
        seen[record->kind == CUPTI_ACTIVITY_KIND_RUNTIME ? 1 : record->kind == CUPTI_ACTIVITY_KIND_DRIVER ? 2 : 0]++;
    free(bytes);
}

static void check(int status, const char *what)
{
    if (status) {
        fprintf(stderr, "call_sides: %s failed with %d\n", what, status);
        exit(4);
    }
}

static void choose(const char *mode)
{
    if (!strcmp(mode, "none"))
        return;
    check(cuptiActivityRegisterCallbacks(requested, completed), "cuptiActivityRegisterCallbacks");
    check(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "kernel records");
    if (!strcmp(mode, "runtime") || !strcmp(mode, "both"))
        check(cuptiActivityEnableRuntimeApi(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, 1), "cudaLaunchKernel");
    if (!strcmp(mode, "driver") || !strcmp(mode, "both"))
        check(cuptiActivityEnableDriverApi(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, 1), "cuLaunchKernel");
    if (!strcmp(mode, "all")) {
        check(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME), "runtime records");
        check(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_DRIVER), "driver records");
    }
}

static double now_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

int main(int count, char **arguments)
{
    const char *mode = count > 1 ? arguments[1] : "both";
    const int launches = count > 2 ? atoi(arguments[2]) : 20000;
    check(cudaFree(nullptr), "cudaFree");
    choose(mode);
    cudaFunction_t function;
    check(cudaGetFuncBySymbol(&function, reinterpret_cast<const void *>(nothing)), "cudaGetFuncBySymbol");
    void *symbol = nullptr;
    cudaDriverEntryPointQueryResult found;
    check(cudaGetDriverEntryPointByVersion("cuLaunchKernel", &symbol, 12000, cudaEnableDefault, &found),
          "cuLaunchKernel");
    auto launch = reinterpret_cast<decltype(&cuLaunchKernel)>(symbol);
    for (int side = 0; side < 2; side++) {
        cuptiActivityFlushAll(0);
        memset(seen, 0, sizeof seen);
        const double start = now_ns();
        for (int i = 0; i < launches; i++) {
            if (side)
                check(launch(reinterpret_cast<CUfunction>(function), 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr),
                      "cuLaunchKernel");
            else
                nothing<<<1, 32>>>();
        }
        const double each = (now_ns() - start) / launches;
        check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        if (strcmp(mode, "none"))
            cuptiActivityFlushAll(1);
        printf("%s %s %.0f %.2f %.2f %.2f\n", mode, side ? "driver" : "runtime", each,
               static_cast<double>(seen[0]) / launches, static_cast<double>(seen[1]) / launches,
               static_cast<double>(seen[2]) / launches);
    }
    return 0;
}
