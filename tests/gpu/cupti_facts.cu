// How does this CUPTI behave where its documentation leaves room? The answers
// decide how the captured program's own profilers are treated.
//
//   cupti_facts QUESTION        prints "QUESTION: ..." lines
#include <cuda_runtime.h>
#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

__global__ void nothing()
{
}

struct client {
    long requested, completed, kernels, devices;
};
static client first, second;

static void request(client *c, uint8_t **bytes, size_t *size, size_t *records)
{
    c->requested++;
    *size = 1 << 20;
    *bytes = static_cast<uint8_t *>(calloc(1, *size));
    *records = 0;
}

static void complete(client *c, uint8_t *bytes, size_t valid)
{
    CUpti_Activity *record = nullptr;
    c->completed++;
    while (cuptiActivityGetNextRecord(bytes, valid, &record) == CUPTI_SUCCESS) {
        c->kernels += record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
        c->devices += record->kind == CUPTI_ACTIVITY_KIND_DEVICE;
    }
    free(bytes);
}

static void CUPTIAPI request_first(uint8_t **b, size_t *s, size_t *r)
{
    request(&first, b, s, r);
}
static void CUPTIAPI complete_first(CUcontext, uint32_t, uint8_t *b, size_t, size_t v)
{
    complete(&first, b, v);
}
static void CUPTIAPI request_second(uint8_t **b, size_t *s, size_t *r)
{
    request(&second, b, s, r);
}
static void CUPTIAPI complete_second(CUcontext, uint32_t, uint8_t *b, size_t, size_t v)
{
    complete(&second, b, v);
}
static void CUPTIAPI called(void *, CUpti_CallbackDomain, CUpti_CallbackId, const void *)
{
}

static void launch(int count)
{
    for (int i = 0; i < count; i++)
        nothing<<<1, 32>>>();
}

static void start()
{
    cuptiActivityRegisterCallbacks(request_first, complete_first);
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
}

static void say(const char *question, const char *what, const client &c)
{
    printf("%s: %s: %ld requested, %ld completed, %ld kernels, %ld devices\n", question, what, c.requested, c.completed,
           c.kernels, c.devices);
}

// ---- which step of counting loads the library with the chips' data, and what does each take? ----

static double now_ms()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static void step(const char *q, const char *what, int result, double *since_ms)
{
    const double took_ms = now_ms() - *since_ms;
    char line[1024];
    bool is_there = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        is_there |= strstr(line, "libnvperf_host") != nullptr;
    if (maps)
        fclose(maps);
    printf("%s: %s %.1f ms (%d), libnvperf_host %s\n", q, what, took_ms, result, is_there ? "loaded" : "not loaded");
    *since_ms = now_ms();
}

// Without the host's half, but for the last step.
static void count_steps(const char *q)
{
    double since = now_ms();
    step(q, "driver and context", cudaFree(nullptr), &since);
    CUcontext context = nullptr;
    void *get_current = nullptr; // through the runtime, so that nothing links libcuda
    cudaDriverEntryPointQueryResult found;
    if (!cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &get_current, 12000, cudaEnableDefault, &found) &&
        get_current)
        reinterpret_cast<CUresult (*)(CUcontext *)>(get_current)(&context);
    if (!context)
        return;
    CUpti_Profiler_Initialize_Params init = {CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    step(q, "initialize", cuptiProfilerInitialize(&init), &since);
    CUpti_Profiler_GetCounterAvailability_Params availability = {
        CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE};
    availability.ctx = context;
    step(q, "availability", cuptiProfilerGetCounterAvailability(&availability), &since);
    CUpti_RangeProfiler_Enable_Params enable = {CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE};
    enable.ctx = context;
    step(q, "enable", cuptiRangeProfilerEnable(&enable), &since);
    const char *names[] = {"smsp__inst_executed.sum", "dram__bytes_read.sum"};
    CUpti_RangeProfiler_GetCounterDataSize_Params size = {CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE};
    size.pRangeProfilerObject = enable.pRangeProfilerObject;
    size.pMetricNames = names;
    size.numMetrics = 2;
    size.maxNumOfRanges = size.maxNumRangeTreeNodes = 64;
    if (enable.pRangeProfilerObject)
        step(q, "size of the counter data", cuptiRangeProfilerGetCounterDataSize(&size), &since);
    CUpti_Profiler_Host_GetSupportedChips_Params chips = {CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE};
    step(q, "names of the chips", cuptiProfilerHostGetSupportedChips(&chips), &since);
}

int main(int count, char **arguments)
{
    const char *q = count > 1 ? arguments[1] : "";
    if (!strcmp(q, "registered")) { // can one see that another client has registered?
        cudaFree(nullptr);
        const int before = cuptiActivityFlushAll(0);
        cuptiActivityRegisterCallbacks(request_first, complete_first);
        printf("%s: flush before registering %d, after %d, registering again %d\n", q, before, cuptiActivityFlushAll(0),
               cuptiActivityRegisterCallbacks(request_second, complete_second));
    } else if (!strcmp(q, "reset")) { // what does a reset lose that nobody flushed before?
        start();
        launch(100);
        cudaDeviceSynchronize();
        cudaDeviceReset();
        cuptiActivityFlushAll(1);
        say(q, "100 kernels, then cudaDeviceReset, then a flush", first);
    } else if (!strcmp(q, "takeover")) { // who gets what when a second client registers?
        start();
        launch(100);
        cudaDeviceSynchronize();
        cuptiActivityRegisterCallbacks(request_second, complete_second);
        launch(50);
        cudaDeviceSynchronize();
        cuptiActivityFlushAll(1);
        say(q, "first", first);
        say(q, "second", second);
    } else if (!strcmp(q, "leftover")) { // does a forced flush return every buffer?
        start();
        launch(100);
        cudaDeviceSynchronize();
        cuptiActivityFlushAll(0);
        cuptiActivityFlushAll(1);
        say(q, "ended", first);
        cuptiActivityFlushAll(1);
        say(q, "again", first);
    } else if (!strcmp(q, "device")) { // does switching device records on make some at once?
        start();
        launch(1);
        cudaDeviceSynchronize();
        cuptiActivityEnable(CUPTI_ACTIVITY_KIND_DEVICE);
        cuptiActivityFlushAll(1);
        say(q, "after switching on late", first);
    } else if (!strcmp(q, "subscribers")) { // may another subscribe after one has let go?
        CUpti_SubscriberHandle a, b;
        const int one = cuptiSubscribe(&a, called, nullptr), two = cuptiSubscribe(&b, called, nullptr);
        const int gone = cuptiUnsubscribe(a), again = cuptiSubscribe(&b, called, nullptr);
        start();
        cuptiUnsubscribe(b);
        launch(10);
        cudaDeviceSynchronize();
        cuptiActivityFlushAll(1);
        printf("%s: first %d, second %d, let go %d, third %d\n", q, one, two, gone, again);
        say(q, "records without a subscriber", first);
    } else if (!strcmp(q, "count-steps")) { // could the host's half be another process?
        count_steps(q);
    } else {
        fprintf(stderr, "usage: cupti_facts registered|reset|takeover|leftover|device|subscribers|count-steps\n");
        return 2;
    }
    return 0;
}
