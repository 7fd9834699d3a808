/* What if the program profiles itself? Guests that load CUPTI, before or after CUDA has begun. */
#include <cuda_profiler_api.h>
#include <cupti.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gpu/guests/guest.h"

enum { LAUNCHES = 1000, BUFFER_BYTES = 1024 * 1024 };

#define GUEST_FUNCTIONS(X)                                                                                             \
    X(cuptiSubscribe)                                                                                                  \
    X(cuptiUnsubscribe)                                                                                                \
    X(cuptiEnableCallback)                                                                                             \
    X(cuptiActivityRegisterCallbacks)                                                                                  \
    X(cuptiActivityEnable)                                                                                             \
    X(cuptiActivityDisable)                                                                                            \
    X(cuptiActivityFlushAll)                                                                                           \
    X(cuptiActivityGetNextRecord)

static struct {
#define GUEST_MEMBER(name) decltype(::name) *name;
    GUEST_FUNCTIONS(GUEST_MEMBER)
#undef GUEST_MEMBER
} cupti;

static long calls_seen, kernels_seen;

static bool load_cupti(void)
{
    void *library = dlopen("libcupti.so.13", RTLD_NOW);
    if (!library)
        return false;
#define GUEST_LOAD(name)                                                                                               \
    cupti.name = (decltype(cupti.name))dlsym(library, #name);                                                          \
    if (!cupti.name)                                                                                                   \
        return false;
    GUEST_FUNCTIONS(GUEST_LOAD)
#undef GUEST_LOAD
    return true;
}

static void start_when(const char *argument)
{
    if (!strcmp(argument, "late"))
        guest_check(cudaFree(NULL), "start CUDA");
    if (!load_cupti()) {
        printf("no CUPTI: %s\n", dlerror());
        exit(4);
    }
}

static void CUPTIAPI on_call(void *, CUpti_CallbackDomain, CUpti_CallbackId, const void *opaque)
{
    const CUpti_CallbackData *data = (const CUpti_CallbackData *)opaque;
    calls_seen += data->callbackSite == CUPTI_API_ENTER;
}

/* Its own subscriber counts its launches: the count must be right, whoever else looks on. */
static int run_subscriber(const char *argument)
{
    CUpti_SubscriberHandle subscriber;
    start_when(argument);
    CUptiResult result = cupti.cuptiSubscribe(&subscriber, on_call, NULL);
    if (result == CUPTI_SUCCESS)
        result = cupti.cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
                                           CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000);
    guest_launch(NULL, LAUNCHES);
    printf("own subscriber: result %d, %ld launches seen\n", (int)result, calls_seen);
    if (result == CUPTI_SUCCESS)
        cupti.cuptiUnsubscribe(subscriber);
    return 0;
}

static void CUPTIAPI buffer_requested(uint8_t **buffer, size_t *bytes, size_t *max_records)
{
    *buffer = (uint8_t *)aligned_alloc(8, BUFFER_BYTES);
    *bytes = *buffer ? BUFFER_BYTES : 0;
    *max_records = 0;
}

static void CUPTIAPI buffer_completed(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid_bytes)
{
    CUpti_Activity *record = NULL;
    while (cupti.cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS)
        kernels_seen += record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    free(buffer);
}

/* Its own activity records: as a framework's profiler does. */
static int run_activity(const char *argument)
{
    start_when(argument);
    CUptiResult result = cupti.cuptiActivityRegisterCallbacks(buffer_requested, buffer_completed);
    if (result == CUPTI_SUCCESS)
        result = cupti.cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    guest_launch(NULL, LAUNCHES);
    if (result == CUPTI_SUCCESS)
        result = cupti.cuptiActivityFlushAll(1);
    if (result == CUPTI_SUCCESS)
        result = cupti.cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    printf("own records: result %d, %ld kernels seen\n", (int)result, kernels_seen);
    return 0;
}

/* 5 kernels, then 7 between cudaProfilerStart and cudaProfilerStop, then 9. */
static int run_marked(const char *argument)
{
    (void)argument;
    guest_launch(NULL, 5);
    guest_check(cudaProfilerStart(), "start");
    guest_launch(NULL, 7);
    guest_check(cudaProfilerStop(), "stop");
    guest_launch(NULL, 9);
    printf("marked\n");
    return 0;
}

extern const struct guest guests_profile[] = {
    {"subscriber", "has a CUPTI subscriber of its own; early or late: before or after CUDA has begun", run_subscriber},
    {"activity", "has CUPTI records of its own; early or late", run_activity},
    {"marked", "marks a part by cudaProfilerStart and cudaProfilerStop", run_marked},
};
extern const size_t guests_profile_count = sizeof guests_profile / sizeof guests_profile[0];
