/* What kinds of work can a program give to the GPU? A guest for each, of known counts. */
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "tests/gpu/guests/guest.h"

__global__ void guest_add(const float *a, const float *b, float *sum, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum[i] = a[i] + b[i];
}

__global__ void guest_scale(float *values, float factor, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        values[i] *= factor;
}

__global__ void guest_increment(int *value)
{
    atomicAdd(value, 1);
}

__global__ void guest_node()
{
}

enum { VALUES = 1 << 20, ROUNDS = 10 };
static const size_t value_bytes = VALUES * sizeof(float);

/* 20 copies to the device (half of them from pageable memory), 10 kernels, 10 copies back, 1 memset. */
int guest_run_vector(const char *argument)
{
    float *a, *b = (float *)malloc(value_bytes), *sum = (float *)malloc(value_bytes), *device[3];
    (void)argument;
    guest_check(cudaMallocHost((void **)&a, value_bytes), "allocate pinned memory");
    for (int i = 0; i < 3; i++)
        guest_check(cudaMalloc((void **)&device[i], value_bytes), "allocate");
    for (int i = 0; i < VALUES; i++) {
        a[i] = (float)i;
        b[i] = (float)(2 * i);
    }
    guest_check(cudaMemset(device[2], 0xff, value_bytes), "poison");
    for (int round = 0; round < ROUNDS; round++) {
        guest_check(cudaMemcpy(device[0], a, value_bytes, cudaMemcpyHostToDevice), "copy a");
        guest_check(cudaMemcpy(device[1], b, value_bytes, cudaMemcpyHostToDevice), "copy b");
        guest_add<<<256, 256>>>(device[0], device[1], device[2], VALUES);
        guest_check(cudaMemcpy(sum, device[2], value_bytes, cudaMemcpyDeviceToHost), "copy the sum");
    }
    long wrong = 0;
    for (int i = 0; i < VALUES; i++)
        wrong += sum[i] != a[i] + b[i];
    printf("%d sums, %ld wrong\n", VALUES, wrong);
    for (int i = 0; i < 3; i++)
        guest_check(cudaFree(device[i]), "free");
    guest_check(cudaFreeHost(a), "free pinned memory");
    free(b);
    free(sum);
    return wrong != 0;
}

enum { NODES = 20, REPLAYS = 10 };

static cudaGraphExec_t record_graph(cudaStream_t stream, float *values, int nodes)
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    guest_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin a graph");
    if (values)
        guest_check(cudaMemsetAsync(values, 0, value_bytes, stream), "memset node");
    for (int i = 0; i < nodes; i++)
        guest_node<<<1, 32, 0, stream>>>();
    guest_check(cudaStreamEndCapture(stream, &graph), "end the graph");
    guest_check(cudaGraphInstantiate(&executable, graph, 0), "instantiate the graph");
    guest_check(cudaGraphDestroy(graph), "destroy the graph");
    return executable;
}

/* 10 replays of a memset and 20 kernels. */
static int run_graph(const char *argument)
{
    cudaStream_t stream;
    float *values;
    (void)argument;
    guest_check(cudaStreamCreate(&stream), "create a stream");
    guest_check(cudaMalloc((void **)&values, value_bytes), "allocate");
    cudaGraphExec_t graph = record_graph(stream, values, NODES);
    for (int i = 0; i < REPLAYS; i++)
        guest_check(cudaGraphLaunch(graph, stream), "replay");
    guest_check(cudaStreamSynchronize(stream), "wait");
    guest_check(cudaGraphExecDestroy(graph), "destroy");
    guest_check(cudaFree(values), "free");
    printf("%d replays of %d kernels\n", REPLAYS, NODES);
    return 0;
}

enum { STREAMS = 32, PER_STREAM = 100, THREADS = 16, PER_THREAD = 2000 };

/* 32 named streams, each with 100 kernels and an event that the next one waits for. */
static int run_streams(const char *argument)
{
    cudaStream_t streams[STREAMS];
    cudaEvent_t done[STREAMS];
    (void)argument;
    for (int i = 0; i < STREAMS; i++) {
        char name[32];
        snprintf(name, sizeof name, "stage %d", i);
        guest_check(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking), "create a stream");
        nvtxNameCudaStreamA(streams[i], name);
        guest_check(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming), "create an event");
    }
    for (int i = 0; i < STREAMS; i++) {
        if (i)
            guest_check(cudaStreamWaitEvent(streams[i], done[i - 1], 0), "wait for an event");
        for (int k = 0; k < PER_STREAM; k++)
            guest_node<<<1, 32, 0, streams[i]>>>();
        guest_check(cudaEventRecord(done[i], streams[i]), "record an event");
    }
    guest_check(cudaDeviceSynchronize(), "wait");
    printf("%d streams of %d kernels\n", STREAMS, PER_STREAM);
    return 0;
}

static void *launch_thread(void *opaque)
{
    cudaStream_t stream;
    (void)opaque;
    guest_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream");
    guest_launch(stream, PER_THREAD);
    guest_check(cudaStreamDestroy(stream), "destroy a stream");
    return NULL;
}

/* 16 threads that come and go, each with 2000 kernels. */
static int run_threads(const char *argument)
{
    pthread_t threads[THREADS];
    (void)argument;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, launch_thread, NULL))
            return 3;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d threads of %d kernels\n", THREADS, PER_THREAD);
    return 0;
}

/* Unified memory goes to the device and back; 4 MiB, far from any limit. */
static int run_unified(const char *argument)
{
    float *values;
    long wrong = 0;
    (void)argument;
    guest_check(cudaMallocManaged((void **)&values, value_bytes), "allocate unified memory");
    for (int round = 0; round < 10; round++) {
        const struct timespec pause = {0, 100000000};
        for (int i = 0; i < VALUES; i++)
            values[i] = (float)i;
        nanosleep(&pause, NULL);
        guest_scale<<<256, 256>>>(values, 2.0f, VALUES);
        guest_check(cudaDeviceSynchronize(), "wait");
        for (int i = 0; i < VALUES; i++)
            wrong += values[i] != 2.0f * (float)i;
    }
    guest_check(cudaFree(values), "free");
    printf("unified: %ld wrong\n", wrong);
    return wrong != 0;
}

/* 5 launches of clusters of two blocks. */
static int run_cluster(const char *argument)
{
    int *value, sum = 0;
    (void)argument;
    guest_check(cudaMalloc((void **)&value, sizeof *value), "allocate");
    guest_check(cudaMemset(value, 0, sizeof *value), "clear");
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(8);
    config.blockDim = dim3(64);
    config.attrs = &attribute;
    config.numAttrs = 1;
    for (int i = 0; i < 5; i++)
        guest_check(cudaLaunchKernelEx(&config, guest_increment, value), "launch clusters");
    guest_check(cudaMemcpy(&sum, value, sizeof sum, cudaMemcpyDeviceToHost), "copy");
    guest_check(cudaFree(value), "free");
    printf("clusters: %d\n", sum); /* 5 x 8 x 64 = 2560 */
    return sum != 2560;
}

static void push(nvtxDomainHandle_t domain, const char *name)
{
    nvtxEventAttributes_t attributes = {};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name;
    nvtxDomainRangePushEx(domain, &attributes);
}

/* 12 kernels: 3 in "step" of domain "app", 4 in "step" of the default domain, 5 in neither. */
static int run_ranges(const char *argument)
{
    nvtxDomainHandle_t app = nvtxDomainCreateA("app");
    (void)argument;
    guest_launch(NULL, 5);
    push(app, "step");
    guest_launch(NULL, 3);
    nvtxDomainRangePop(app);
    nvtxRangePushA("step");
    guest_launch(NULL, 4);
    nvtxRangePop();
    nvtxDomainDestroy(app);
    printf("ranges\n");
    return 0;
}

/* Its range ends with the thread. */
static void *launch_and_end(void *unused)
{
    nvtxRangePushA("step");
    guest_launch(NULL, 1);
    return unused;
}

/* 14 kernels: 2 in a "step" below 100 other ranges, 3 in one whose text is registered, 1 in one of a thread that ends
 * inside it, 2 in a "step" in wide characters, of which CUPTI does not tell, 6 in none. */
static int run_odd_ranges(const char *argument)
{
    enum { DEEP = 100 };
    pthread_t thread;
    nvtxDomainHandle_t app = nvtxDomainCreateA("app");
    nvtxEventAttributes_t attributes = {};
    (void)argument;
    guest_launch(NULL, 2);
    nvtxRangePushA("step");
    for (int i = 0; i < DEEP; i++)
        nvtxRangePushA("inner");
    guest_launch(NULL, 2);
    for (int i = 0; i <= DEEP; i++)
        nvtxRangePop();
    nvtxRangePushW(L"step");
    guest_launch(NULL, 2);
    nvtxRangePop();
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    attributes.message.registered = nvtxDomainRegisterStringA(app, "step");
    nvtxDomainRangePushEx(app, &attributes);
    guest_launch(NULL, 3);
    nvtxDomainRangePop(app);
    if (pthread_create(&thread, NULL, launch_and_end, NULL) || pthread_join(thread, NULL))
        return 1;
    const struct timespec pause = {0, 500000000}; /* it is the collector's own thread that switches off now */
    nanosleep(&pause, NULL);
    guest_launch(NULL, 4);
    printf("odd ranges\n");
    return 0;
}

/* --- the storm: many launches a second for a minute --- */

enum { STORM_THREADS = 4, STORM_NODES = 25 };
static const double storm_per_s = 300000;

struct storm {
    pthread_t thread;
    bool graph;
    double seconds;
    long kernels;
    double busy_s;
};

/* Keeps to its part of the rate: it launches what the clock says is due. */
static void *storm_thread(void *opaque)
{
    struct storm *s = (struct storm *)opaque;
    cudaStream_t stream;
    guest_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream");
    cudaGraphExec_t graph = record_graph(stream, NULL, STORM_NODES);
    const double begin = guest_now_s();
    for (double now = begin; now < begin + s->seconds; now = guest_now_s()) {
        const long due = (long)((now - begin) * storm_per_s / STORM_THREADS);
        if (s->kernels >= due) {
            struct timespec pause = {0, 50000};
            nanosleep(&pause, NULL);
        } else if (s->graph) {
            guest_check(cudaGraphLaunch(graph, stream), "replay");
            s->kernels += STORM_NODES;
        } else {
            guest_node<<<1, 32, 0, stream>>>();
            s->kernels++;
        }
    }
    guest_check(cudaStreamSynchronize(stream), "wait");
    s->busy_s = guest_now_s() - begin;
    return NULL;
}

static long process_kib(const char *key)
{
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, key, strlen(key)))
            kib = atol(line + strlen(key));
    if (file)
        fclose(file);
    return kib;
}

/* The argument is SECONDS:FILE; numbers go to the file, since they differ from run to run. */
static int run_storm(const char *argument)
{
    static struct storm storms[STORM_THREADS];
    const double seconds = atof(argument);
    const char *path = strchr(argument, ':');
    double kernels = 0, busy_s = 0;
    guest_check(cudaFree(NULL), "start CUDA");
    for (int i = 0; i < STORM_THREADS; i++) {
        storms[i].graph = i % 2;
        storms[i].seconds = seconds;
        if (pthread_create(&storms[i].thread, NULL, storm_thread, &storms[i]))
            return 3;
    }
    for (int i = 0; i < STORM_THREADS; i++) {
        pthread_join(storms[i].thread, NULL);
        kernels += (double)storms[i].kernels;
        busy_s = storms[i].busy_s > busy_s ? storms[i].busy_s : busy_s;
    }
    FILE *file = path ? fopen(path + 1, "w") : NULL;
    if (file) {
        fprintf(file, "kernels %.0f\nper_s %.0f\npeak_kib %ld\n", kernels, kernels / busy_s, process_kib("VmHWM:"));
        fclose(file);
    }
    printf("the storm is over\n");
    return 0;
}

extern const struct guest guests_work[] = {
    {"vector", "adds vectors: copies both ways, pinned and pageable, kernels, a memset", guest_run_vector},
    {"graph", "replays a graph of kernels and a memset", run_graph},
    {"streams", "many named streams that wait for one another", run_streams},
    {"threads", "many threads that launch", run_threads},
    {"unified", "unified memory that moves both ways, for a second", run_unified},
    {"cluster", "launches of thread block clusters", run_cluster},
    {"ranges", "NVTX ranges in two domains", run_ranges},
    {"odd-ranges", "NVTX ranges deep, registered, in wide characters, and of a thread that ends", run_odd_ranges},
    {"storm", "SECONDS:FILE: 300,000 kernels a second from four threads, half of them in graphs", run_storm},
};
extern const size_t guests_work_count = sizeof guests_work / sizeof guests_work[0];
