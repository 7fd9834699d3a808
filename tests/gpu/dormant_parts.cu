/* What does each part of a collector that waits cost a launch? No record of work is on in any of them.
 *
 * usage: dormant_parts PART SECONDS      prints the median time of the host for a launch, in ns
 *
 *  - none: CUPTI is not loaded
 *  - loaded: it is, and was asked for its version
 *  - subscribed: it has a subscriber, and no callback is enabled
 *  - watched: the same, with callbacks for calls that allocate managed memory
 *  - registered: it knows who takes its buffers
 *  - managed: the same, and records calls that allocate managed memory
 *  - switched: as registered, and records of kernels and calls were on and are off again
 *  - all: the last three and watched: a collector with a --range
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cuda_runtime.h>
#include <cupti.h>
#include <dlfcn.h>

enum { LAUNCHES = 200, ROUNDS_MAX = 1 << 16 };

__global__ void nothing()
{
}

static void *cupti;

/* CUPTI's function of this name, of this type. */
#define CUPTI(name) (reinterpret_cast<decltype(&name)>(dlsym(cupti, #name)))

static void check(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "dormant_parts: %s\n", what);
    exit(4);
}

static void load()
{
    const char *const places[] = {getenv("CPPROF_CUPTI"), "libcupti.so.13", "/usr/local/cuda/lib64/libcupti.so.13",
                                  "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13"};
    for (const char *place : places)
        if (!cupti && place && *place)
            cupti = dlopen(place, RTLD_NOW | RTLD_LOCAL);
    check(cupti, "libcupti.so.13 was not found: set CPPROF_CUPTI to the file");
    uint32_t version;
    check(!CUPTI(cuptiGetVersion)(&version), "CUPTI does not say its version");
}

static void CUPTIAPI called(void *, CUpti_CallbackDomain, CUpti_CallbackId, const void *)
{
}

static void CUPTIAPI requested(uint8_t **bytes, size_t *size, size_t *records)
{
    *size = 1 << 20;
    *bytes = static_cast<uint8_t *>(aligned_alloc(8, *size));
    *records = 0;
}

static void CUPTIAPI completed(CUcontext, uint32_t, uint8_t *bytes, size_t, size_t)
{
    free(bytes);
}

static void subscribe(bool watches)
{
    static CUpti_SubscriberHandle subscriber;
    check(!CUPTI(cuptiSubscribe)(&subscriber, called, nullptr), "CUPTI has a subscriber");
    if (!watches)
        return;
    check(!CUPTI(cuptiEnableCallback)(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
                                      CUPTI_RUNTIME_TRACE_CBID_cudaMallocManaged_v6000) &&
              !CUPTI(cuptiEnableCallback)(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API,
                                          CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged),
          "callbacks are refused");
}

static void take_buffers()
{
    check(!CUPTI(cuptiActivityRegisterCallbacks)(requested, completed), "buffers are refused");
}

static void record_managed()
{
    check(!CUPTI(cuptiActivityEnableRuntimeApi)(CUPTI_RUNTIME_TRACE_CBID_cudaMallocManaged_v6000, 1) &&
              !CUPTI(cuptiActivityEnableDriverApi)(CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged, 1),
          "records of calls are refused");
}

static void switch_once()
{
    const CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                        CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER};
    for (int on = 1; on >= 0; on--) {
        for (CUpti_ActivityKind kind : kinds)
            check(!(on ? CUPTI(cuptiActivityEnable)(kind) : CUPTI(cuptiActivityDisable)(kind)), "records are refused");
        nothing<<<1, 1>>>();
        check(!cudaDeviceSynchronize(), "no kernel runs");
    }
}

static bool begin(const char *part)
{
    const bool all = !strcmp(part, "all");
    if (!strcmp(part, "none"))
        return true;
    load();
    if (!strcmp(part, "subscribed") || !strcmp(part, "watched") || all)
        subscribe(strcmp(part, "subscribed") != 0);
    if (!strcmp(part, "registered") || !strcmp(part, "managed") || !strcmp(part, "switched") || all)
        take_buffers();
    if (!strcmp(part, "managed") || all)
        record_managed();
    if (!strcmp(part, "switched") || all)
        switch_once();
    static const char *const parts[] = {"loaded", "subscribed", "watched", "registered", "managed", "switched", "all"};
    for (const char *one : parts)
        if (!strcmp(part, one))
            return true;
    return false;
}

static int64_t now_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return int64_t(t.tv_sec) * 1000000000 + t.tv_nsec;
}

int main(int argc, char **argv)
{
    static double launch_ns[ROUNDS_MAX];
    if (argc != 3 || atof(argv[2]) <= 0 || !begin(argv[1])) {
        fprintf(stderr,
                "usage: dormant_parts none|loaded|subscribed|watched|registered|managed|switched|all SECONDS\n");
        return 2;
    }
    int rounds = 0;
    nothing<<<1, 1>>>();
    check(!cudaDeviceSynchronize(), "no kernel runs");
    const int64_t end_ns = now_ns() + int64_t(atof(argv[2]) * 1e9);
    for (; rounds < ROUNDS_MAX && now_ns() < end_ns; rounds++) {
        const int64_t begin_ns = now_ns();
        for (int i = 0; i < LAUNCHES; i++)
            nothing<<<1, 1>>>();
        launch_ns[rounds] = double(now_ns() - begin_ns) / LAUNCHES;
        check(!cudaDeviceSynchronize(), "a kernel failed");
    }
    std::nth_element(launch_ns, launch_ns + rounds / 2, launch_ns + rounds);
    printf("%.1f\n", launch_ns[rounds / 2]);
    return 0;
}
