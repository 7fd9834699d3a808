/* collector_floor - what does a kernel launch cost bare, and what under the least
 * that a collector can do?
 *
 *   collector_floor bare|floor [--launches N] [--threads T,...] [--seconds S]
 *
 * Empty kernels, back to back, each thread on a stream of its own. A line for each
 * measurement: threads, ns a launch, seconds since the program began. "floor" is a
 * CUPTI consumer with the record kinds of `cpprof capture` that steps over each
 * record and throws it away; its last line says records and drops. --seconds goes
 * on measuring for so long. tests/gpu/capture_cost.sh runs it. */
#include <cuda_runtime.h>
#include <cupti.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/count_of.h"

enum { MAX_THREADS = 64, WARM_UP = 2000, BUFFER_BYTES = 8 * 1024 * 1024, BUFFER_ALIGNMENT = 8 };

struct options {
    bool floor;
    long launches;
    double seconds;
    int threads[8];
    size_t thread_counts;
};

#define FLOOR_FUNCTIONS(X)                                                                                             \
    X(cuptiGetResultString)                                                                                            \
    X(cuptiGetCallbackName)                                                                                            \
    X(cuptiSetThreadIdType)                                                                                            \
    X(cuptiActivityRegisterCallbacks)                                                                                  \
    X(cuptiActivityEnable)                                                                                             \
    X(cuptiActivityEnableRuntimeApi)                                                                                   \
    X(cuptiActivityEnableDriverApi)                                                                                    \
    X(cuptiActivityFlushAll)                                                                                           \
    X(cuptiActivityGetNextRecord)                                                                                      \
    X(cuptiActivityGetNumDroppedRecords)

/* By dlopen, and only for "floor": the bare program must never have loaded CUPTI. */
static struct {
#define FLOOR_MEMBER(name) decltype(::name) *name;
    FLOOR_FUNCTIONS(FLOOR_MEMBER)
#undef FLOOR_MEMBER
    unsigned long long records; /* CUPTI may hand over buffers on several threads: added atomically */
} cupti;

__global__ void floor_empty()
{
}

static void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "collector_floor: %s: %s\n", what, cudaGetErrorString(error));
        exit(4);
    }
}

static void check_cupti(CUptiResult result, const char *what)
{
    const char *text = "";
    if (result == CUPTI_SUCCESS)
        return;
    cupti.cuptiGetResultString(result, &text);
    fprintf(stderr, "collector_floor: %s: %s\n", what, text);
    exit(4);
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void CUPTIAPI buffer_requested(uint8_t **buffer, size_t *bytes, size_t *max_records)
{
    *buffer = (uint8_t *)aligned_alloc(BUFFER_ALIGNMENT, BUFFER_BYTES);
    *bytes = *buffer ? BUFFER_BYTES : 0;
    *max_records = 0; /* as many as fit */
}

static void CUPTIAPI buffer_completed(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid_bytes)
{
    unsigned long long records = 0;
    CUpti_Activity *record = NULL;
    while (cupti.cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS)
        records++;
    __atomic_fetch_add(&cupti.records, records, __ATOMIC_RELAXED);
    free(buffer);
}

/* The calls that start work or wait for it, or allocate managed memory, told by their names as capture tells them. */
static bool is_wanted(const char *name)
{
    static const char *const without[] = {"LaunchHostFunc", "Node"};
    static const char *const wanted[] = {"Launch",      "Memcpy",        "Memset",
                                         "Synchronize", "MallocManaged", "MemAllocManaged"};
    for (size_t i = 0; i < COUNT_OF(without); i++)
        if (strstr(name, without[i]))
            return false;
    for (size_t i = 0; i < COUNT_OF(wanted); i++)
        if (strstr(name, wanted[i]))
            return true;
    return false;
}

static void enable_calls(CUpti_CallbackDomain domain, uint32_t end)
{
    for (uint32_t id = 1; id < end; id++) {
        const char *name = NULL;
        if (cupti.cuptiGetCallbackName(domain, id, &name) || !name || !is_wanted(name))
            continue;
        if (domain == CUPTI_CB_DOMAIN_RUNTIME_API)
            cupti.cuptiActivityEnableRuntimeApi(id, 1);
        else
            cupti.cuptiActivityEnableDriverApi(id, 1);
    }
}

static void load_cupti(void)
{
    void *library = dlopen("libcupti.so.13", RTLD_NOW);
    if (!library) {
        fprintf(stderr, "collector_floor: %s\n", dlerror());
        exit(4);
    }
#define FLOOR_LOAD(name)                                                                                               \
    cupti.name = (decltype(cupti.name))dlsym(library, #name);                                                          \
    if (!cupti.name) {                                                                                                 \
        fprintf(stderr, "collector_floor: libcupti has no " #name "\n");                                               \
        exit(4);                                                                                                       \
    }
    FLOOR_FUNCTIONS(FLOOR_LOAD)
#undef FLOOR_LOAD
}

/* As collector/activity/record_kinds.c does. */
static void start_consumer(void)
{
    static const CUpti_ActivityKind kinds[] = {
        CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
        CUPTI_ACTIVITY_KIND_MEMCPY,
        CUPTI_ACTIVITY_KIND_MEMCPY2,
        CUPTI_ACTIVITY_KIND_MEMSET,
        CUPTI_ACTIVITY_KIND_MARKER,
        CUPTI_ACTIVITY_KIND_NAME,
        CUPTI_ACTIVITY_KIND_OVERHEAD,
    };
    load_cupti();
    check_cupti(cupti.cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM), "set the kind of thread ids");
    check_cupti(cupti.cuptiActivityRegisterCallbacks(buffer_requested, buffer_completed), "register");
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        check_cupti(cupti.cuptiActivityEnable(kinds[i]), "enable a kind of record");
    enable_calls(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_SIZE);
    enable_calls(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_SIZE);
}

struct launcher {
    pthread_t thread;
    pthread_barrier_t *begin;
    cudaStream_t stream;
    long launches;
};

static void launch_many(cudaStream_t stream, long launches)
{
    for (long i = 0; i < launches; i++)
        floor_empty<<<1, 32, 0, stream>>>();
    check(cudaStreamSynchronize(stream), "launch");
}

static void *launcher_run(void *opaque)
{
    struct launcher *l = (struct launcher *)opaque;
    launch_many(l->stream, WARM_UP);
    pthread_barrier_wait(l->begin);
    launch_many(l->stream, l->launches);
    pthread_barrier_wait(l->begin);
    return NULL;
}

/* From the moment when all threads are warm to the end of the last one's work. */
static double measure_ns(int threads, long launches)
{
    static struct launcher launchers[MAX_THREADS];
    pthread_barrier_t begin;
    pthread_barrier_init(&begin, NULL, (unsigned)threads + 1);
    for (int i = 0; i < threads; i++) {
        launchers[i].begin = &begin;
        launchers[i].launches = launches / threads;
        check(cudaStreamCreateWithFlags(&launchers[i].stream, cudaStreamNonBlocking), "create a stream");
        if (pthread_create(&launchers[i].thread, NULL, launcher_run, &launchers[i]))
            exit(4);
    }
    pthread_barrier_wait(&begin);
    const double start = now_s();
    pthread_barrier_wait(&begin);
    const double took_s = now_s() - start;
    for (int i = 0; i < threads; i++) {
        pthread_join(launchers[i].thread, NULL);
        check(cudaStreamDestroy(launchers[i].stream), "destroy a stream");
    }
    pthread_barrier_destroy(&begin);
    return took_s * 1e9 / (double)(launches / threads * threads);
}

static int usage(void)
{
    fprintf(stderr, "usage: collector_floor bare|floor [--launches N] [--threads T,...] [--seconds S]\n");
    return 2;
}

static bool parse_threads(struct options *o, char *text)
{
    const size_t most = COUNT_OF(o->threads);
    o->thread_counts = 0;
    for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
        const int threads = atoi(word);
        if (threads < 1 || threads > MAX_THREADS || o->thread_counts == most)
            return false;
        o->threads[o->thread_counts++] = threads;
    }
    return o->thread_counts > 0;
}

static bool parse(struct options *o, int argc, char **argv)
{
    if (argc < 2 || argc % 2 || (strcmp(argv[1], "bare") && strcmp(argv[1], "floor")))
        return false;
    o->floor = !strcmp(argv[1], "floor");
    for (int i = 2; i < argc; i += 2) {
        if (!strcmp(argv[i], "--launches"))
            o->launches = atol(argv[i + 1]);
        else if (!strcmp(argv[i], "--seconds"))
            o->seconds = atof(argv[i + 1]);
        else if (strcmp(argv[i], "--threads") || !parse_threads(o, argv[i + 1]))
            return false;
    }
    return o->launches >= MAX_THREADS && o->seconds >= 0;
}

int main(int argc, char **argv)
{
    struct options o = {false, 200000, 0, {1}, 1};
    const double began = now_s();
    if (!parse(&o, argc, argv))
        return usage();
    if (o.floor)
        start_consumer();
    check(cudaFree(NULL), "start CUDA");
    do {
        for (size_t i = 0; i < o.thread_counts; i++) {
            const double start_s = now_s() - began;
            const double ns = measure_ns(o.threads[i], o.launches);
            printf("%d %.1f %.3f\n", o.threads[i], ns, start_s);
        }
    } while (now_s() - began < o.seconds);
    size_t dropped = 0;
    if (o.floor) {
        check_cupti(cupti.cuptiActivityFlushAll(1), "flush");
        check_cupti(cupti.cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped), "count drops");
        printf("records %llu dropped %zu\n", cupti.records, dropped);
    }
    return 0;
}
