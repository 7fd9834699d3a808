/* What does a program with NCCL in it do? It loads the library as CUDA and as NCCL do, and calls its tables as NCCL
 * publishes them (ext-profiler/, src/include/plugin/profiler/), with a CUPTI that is played. The layouts are written
 * out once more, so that a wrong one in the library shows. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/count_of.h"
#include "tests/collector/fake_cupti.h"

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            _exit(__LINE__ % 100 + 100);                                                                               \
    } while (0)

enum { GROUP = 1, COLL = 2, P2P = 4, KERNEL_CH = 64, COLL_API = 512, KERNEL_LAUNCH = 2048 };

typedef struct {
    uint64_t type;
    void *parent;
    int rank;
    union {
        struct {
            const char *func;
            size_t count;
            const char *datatype;
            int root;
            void *stream;
            bool graph_captured;
        } coll_api;
        struct {
            uint64_t seq_number;
            const char *func;
            void const *send_buff;
            void *recv_buff;
            size_t count;
            int root;
            const char *datatype;
            uint8_t channels;
            uint8_t warps;
            const char *algo;
            const char *proto;
            void *parent_group;
        } coll;
    } u;
} descr_v5;

typedef struct {
    uint8_t type;
    void *parent;
    int rank;
    union {
        struct {
            uint64_t seq_number;
            const char *func;
            void const *send_buff;
            void *recv_buff;
            size_t count;
            int root;
            const char *datatype;
            uint8_t channels;
            uint8_t warps;
            const char *algo;
            const char *proto;
        } coll;
    } u;
} descr_v4;

typedef struct {
    uint8_t type;
    void *parent;
    int rank;
    union {
        struct {
            const char *name;
            uint64_t comm_hash;
            uint64_t seq_number;
            const char *func;
            void const *send_buff;
            void *recv_buff;
            size_t count;
            int root;
            const char *datatype;
            uint8_t channels;
            uint8_t warps;
            const char *algo;
            const char *proto;
        } coll;
    } u;
} descr_v3;

typedef void (*logger)(int level, unsigned long flags, const char *file, int line, const char *format, ...);

typedef struct {
    const char *name;
    int (*init)(void **context, uint64_t id, int *mask, const char *name, int nodes, int ranks, int rank, logger log);
    int (*start)(void *context, void **handle, descr_v5 *descr);
    int (*stop)(void *handle);
    int (*record)(void *handle, int state, void *arguments);
    int (*finalize)(void *context);
} profiler_v5;

typedef struct {
    const char *name;
    int (*init)(void **context, int *mask, const char *name, uint64_t id, int nodes, int ranks, int rank, logger log);
    int (*start)(void *context, void **handle, descr_v4 *descr);
    int (*stop)(void *handle);
    int (*record)(void *handle, int state, void *arguments);
    int (*finalize)(void *context);
} profiler_v4;

typedef struct {
    const char *name;
    int (*init)(void **context, int *mask);
    int (*start)(void *context, void **handle, descr_v3 *descr);
    int (*stop)(void *handle);
    int (*record)(void *handle, int state, void *arguments);
    int (*finalize)(void *context);
} profiler_v3;

static void *library;
static const profiler_v5 *v5;
static const profiler_v4 *v4;
static const profiler_v3 *v3;
static struct fake_buffer buffer;

/* NCCL loads the library a second time. */
static void load_plugin(void)
{
    void *plugin = dlopen(getenv("CUDA_INJECTION64_PATH"), RTLD_NOW | RTLD_LOCAL);
    CHECK(plugin == library);
    v5 = dlsym(plugin, "ncclProfiler_v5");
    v4 = dlsym(plugin, "ncclProfiler_v4");
    v3 = dlsym(plugin, "ncclProfiler_v3");
    CHECK(v5 && v4 && v3 && !strcmp(v5->name, "cpprof") && !strcmp(v4->name, "cpprof") && !strcmp(v3->name, "cpprof"));
}

static void initialize(void)
{
    int (*entry)(void);
    *(void **)&entry = dlsym(library, "InitializeInjection");
    CHECK(entry && entry() == 1);
    CHECK(fake_buffer_open(&buffer));
}

/* The program's thread calls, and some time later its kernel runs: at 100,000 and ten times the number. */
static void launch(uint32_t number, uint64_t at_ns, const char *kernel)
{
    const CUpti_ActivityAPI call = {.kind = CUPTI_ACTIVITY_KIND_DRIVER,
                                    .cbid = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                                    .start = at_ns,
                                    .end = at_ns + 1,
                                    .threadId = (uint32_t)gettid(),
                                    .correlationId = number};
    const CUpti_ActivityKernel10 record = {.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                           .start = 100000 + 10ull * number,
                                           .end = 100005 + 10ull * number,
                                           .streamId = 7,
                                           .correlationId = number,
                                           .name = kernel};
    fake_buffer_add(&buffer, &call);
    if (kernel)
        fake_buffer_add(&buffer, &record);
}

static void *start_v5(void *context, descr_v5 *descr, uint64_t at_ns)
{
    void *handle = &handle;
    fake_cupti_set_time(at_ns);
    CHECK(!v5->start(context, &handle, descr));
    CHECK(handle != &handle); /* NCCL may ask for its end */
    return handle;
}

static void *parent; /* of the collectives that are reported: the program's call */

static void call_v5(void *context, bool is_captured)
{
    descr_v5 descr = {.type = COLL_API};
    descr.u.coll_api.graph_captured = is_captured;
    parent = start_v5(context, &descr, 900);
    CHECK(parent && !v5->stop(parent));
}

static void launch_v5(void *context, uint32_t number, uint64_t at_ns, const char *kernel)
{
    descr_v5 descr = {.type = KERNEL_LAUNCH};
    void *handle = start_v5(context, &descr, at_ns);
    CHECK(handle);
    launch(number, at_ns + 2, kernel);
    fake_cupti_set_time(at_ns + 8);
    CHECK(!v5->stop(handle));
}

static void plan_v5(void *context, uint64_t at_ns)
{
    descr_v5 descr = {.type = GROUP};
    CHECK(!start_v5(context, &descr, at_ns));
}

static void coll_v5(void *context, const char *operation, uint64_t sequence, size_t count)
{
    descr_v5 descr = {.type = COLL, .rank = 1, .parent = parent};
    descr.u.coll.seq_number = sequence;
    descr.u.coll.func = operation;
    descr.u.coll.count = count;
    descr.u.coll.datatype = "ncclFloat32";
    descr.u.coll.algo = "RING";
    descr.u.coll.proto = "LL128";
    CHECK(!start_v5(context, &descr, 950));
}

static void *run_graph(void *context)
{
    plan_v5(context, 1450);
    coll_v5(context, "AllReduce", 3, 50);
    return NULL;
}

static void end(void)
{
    fake_buffer_complete(&buffer);
}

/* All that there is, on two communicators. */
static int everything(void)
{
    void *a, *b;
    int mask = -1;
    pthread_t callback;
    load_plugin();
    CHECK(!v5->init(&a, 5, &mask, NULL, 1, 2, 1, NULL) && !a && !mask); /* before CUDA nothing is recorded */
    CHECK(!v5->finalize(a));
    initialize();
    fake_cupti_set_time(800);
    CHECK(!v5->init(&a, 0x1234, &mask, "default_pg", 1, 2, 1, NULL) && a);
    CHECK(mask == (GROUP | COLL | COLL_API | KERNEL_LAUNCH)); /* KernelCh would cost a thread */
    CHECK(!v5->init(&b, 0x77, &mask, NULL, 1, 4, 3, NULL) && b);
    call_v5(a, false);
    launch_v5(a, 1, 1010, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
    plan_v5(a, 1030);
    coll_v5(a, "AllReduce", 0, 1000);
    launch(2, 1100, "gemm");
    call_v5(a, false); /* two collectives in one kernel */
    launch_v5(a, 3, 1200, "ncclDevKernel_Generic");
    plan_v5(a, 1230);
    coll_v5(a, "AllReduce", 1, 10);
    coll_v5(a, "AllGather", 0, 100);
    call_v5(a, false); /* a group of two communicators */
    call_v5(b, false);
    launch_v5(a, 4, 1300, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
    launch_v5(b, 5, 1311, "ncclDevKernel_Broadcast_RING_LL");
    plan_v5(a, 1330);
    coll_v5(a, "AllReduce", 2, 1000);
    plan_v5(b, 1331);
    coll_v5(b, "Broadcast", 0, 8);
    call_v5(a, true); /* into a graph, which then runs */
    launch_v5(a, 6, 1400, NULL);
    CHECK(!pthread_create(&callback, NULL, run_graph, a) && !pthread_join(callback, NULL));
    call_v5(a, false);
    launch_v5(a, 7, 1500, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
    plan_v5(a, 1530);
    coll_v5(a, "AllReduce", 3, 1000);
    descr_v5 other = {.type = P2P};
    CHECK(!start_v5(a, &other, 1600));
    CHECK(!v5->record(NULL, 3, NULL) && !v5->finalize(a) && !v5->finalize(b));
    end();
    return 7;
}

struct callback {
    void *context, *parent;
    const char *operation;
    uint64_t sequence;
    size_t count;
};

static void *report_later(void *argument)
{
    const struct callback *c = argument;
    plan_v5(c->context, 1700);
    parent = c->parent;
    coll_v5(c->context, c->operation, c->sequence, c->count);
    return NULL;
}

/* A thread of CUDA reports, when the stream has come so far. */
static void callback(struct callback c)
{
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, report_later, &c) && !pthread_join(thread, NULL));
}

/* Calls whose reports wait for the stream, while graphs are captured and run. */
static int graphs_and_calls(void)
{
    void *a, *captured, *direct;
    int mask;
    load_plugin();
    initialize();
    fake_cupti_set_time(800);
    CHECK(!v5->init(&a, 0x1234, &mask, NULL, 1, 2, 1, NULL) && a);
    call_v5(a, true); /* a graph that reports when it runs */
    captured = parent;
    launch_v5(a, 1, 1000, NULL);
    call_v5(a, false);
    direct = parent;
    launch_v5(a, 2, 1100, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
    callback((struct callback){a, captured, "AllReduce", 0, 50}); /* the graph runs, and then what waited */
    callback((struct callback){a, direct, "AllReduce", 0, 1000});
    launch_v5(a, 3, 1200, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
    call_v5(a, true); /* a graph that reports where it is captured, while a call waits */
    launch_v5(a, 4, 1300, NULL);
    plan_v5(a, 1330);
    coll_v5(a, "AllReduce", 1, 50);
    callback((struct callback){a, direct, "AllReduce", 1, 2000});
    call_v5(a, false); /* what waits is launched before what is reported at once */
    launch_v5(a, 5, 1400, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
    launch_v5(a, 6, 1500, "ncclDevKernel_AllGather_RING_LL");
    plan_v5(a, 1530);
    coll_v5(a, "AllGather", 0, 10);
    callback((struct callback){a, direct, "AllReduce", 2, 3000});
    callback((struct callback){a, direct, "AllReduce", 3, 4000}); /* two reports come before their launches */
    callback((struct callback){a, direct, "AllReduce", 4, 5000});
    launch_v5(a, 7, 1600, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
    launch_v5(a, 8, 1700, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
    CHECK(!v5->finalize(a));
    end();
    return 7;
}

static void plan_v4(void *context, uint64_t at_ns)
{
    void *handle = NULL;
    descr_v4 descr = {.type = GROUP};
    fake_cupti_set_time(at_ns);
    CHECK(!v4->start(context, &handle, &descr) && handle); /* else NCCL 2.27 has no collectives */
    CHECK(!v4->stop(handle));
}

static void coll_v4(void *context, uint64_t sequence)
{
    void *handle = NULL;
    descr_v4 descr = {.type = COLL, .rank = 1};
    descr.u.coll.seq_number = sequence;
    descr.u.coll.func = "ReduceScatter";
    descr.u.coll.count = 100;
    descr.u.coll.datatype = "ncclBfloat16";
    descr.u.coll.algo = "RING";
    descr.u.coll.proto = "SIMPLE";
    CHECK(!v4->start(context, &handle, &descr) && !handle);
}

/* NCCL 2.27 says nothing of launches: what this thread has launched since the last time. Two at once are not told
 * apart. */
static int launches_untold(void)
{
    void *a, *b;
    int mask;
    load_plugin();
    initialize();
    fake_cupti_set_time(800);
    CHECK(!v4->init(&a, &mask, "pg", 0x1234, 1, 2, 1, NULL) && a && (mask & COLL));
    CHECK(!v4->init(&b, &mask, "other", 0x77, 1, 2, 1, NULL) && b);
    launch(1, 1010, "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL");
    plan_v4(a, 1030);
    coll_v4(a, 0);
    launch(2, 1100, "gemm");
    launch(3, 1200, "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL");
    plan_v4(a, 1230);
    coll_v4(a, 1);
    launch(4, 1300, "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL");
    launch(5, 1310, "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL");
    plan_v4(a, 1330);
    coll_v4(a, 2);
    plan_v4(b, 1331);
    coll_v4(b, 0);
    CHECK(!v4->finalize(a) && !v4->finalize(b));
    end();
    return 7;
}

static void coll_of_v4(void *context, const char *operation, uint64_t sequence)
{
    void *handle = NULL;
    descr_v4 descr = {.type = COLL, .rank = 1};
    descr.u.coll.seq_number = sequence;
    descr.u.coll.func = operation;
    descr.u.coll.count = 100;
    descr.u.coll.datatype = "ncclFloat32";
    descr.u.coll.algo = "RING";
    descr.u.coll.proto = "LL";
    CHECK(!v4->start(context, &handle, &descr) && !handle);
}

/* NCCL 2.27 gives a run of a graph the number of the next call. */
static int graph_untold(void)
{
    void *a;
    int mask;
    load_plugin();
    initialize();
    fake_cupti_set_time(800);
    CHECK(!v4->init(&a, &mask, "pg", 0x1234, 1, 2, 1, NULL) && a);
    plan_v4(a, 1000); /* of the graph */
    coll_of_v4(a, "AllReduce", 0);
    launch(1, 1100, "ncclDevKernel_AllGather_RING_LL");
    plan_v4(a, 1130);
    coll_of_v4(a, "AllGather", 0);
    launch(2, 1200, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
    plan_v4(a, 1230);
    coll_of_v4(a, "AllReduce", 0);
    CHECK(!v4->finalize(a));
    end();
    return 7;
}

/* NCCL 2.26 says with each collective which communicator it is of. */
static int named_late(void)
{
    void *a, *handle = NULL;
    int mask;
    descr_v3 plan = {.type = GROUP}, descr = {.type = COLL, .rank = 1};
    load_plugin();
    initialize();
    fake_cupti_set_time(800);
    CHECK(!v3->init(&a, &mask) && a && (mask & COLL));
    launch(1, 1010, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
    fake_cupti_set_time(1030);
    CHECK(!v3->start(a, &handle, &plan) && handle && !v3->stop(handle));
    descr.u.coll.name = "a [0] name";
    descr.u.coll.comm_hash = 0x99;
    descr.u.coll.func = "AllReduce";
    descr.u.coll.count = 6;
    descr.u.coll.datatype = "ncclFloat64";
    descr.u.coll.algo = "TREE";
    descr.u.coll.proto = "LL";
    CHECK(!v3->start(a, &handle, &descr) && !v3->finalize(a));
    end();
    return 7;
}

/* More than may wait for the disk, and in a child that has no such thread. */
static int forks(void)
{
    void *a;
    int mask, status;
    load_plugin();
    initialize();
    CHECK(!v5->init(&a, 0x1234, &mask, NULL, 1, 2, 1, NULL) && a);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
        void *b = &b;
        plan_v5(a, 1000);
        coll_v5(a, "AllReduce", 0, 1);
        CHECK(!v5->init(&b, 0x55, &mask, NULL, 1, 2, 1, NULL) && !b && !mask);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
    end();
    return 7;
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } scenes[] = {{"everything", everything},           {"graphs_and_calls", graphs_and_calls},
                  {"launches_untold", launches_untold}, {"graph_untold", graph_untold},
                  {"named_late", named_late},           {"forks", forks}};
    library = dlopen(getenv("CUDA_INJECTION64_PATH"), RTLD_NOW);
    CHECK(library && count == 2);
    for (size_t i = 0; i < COUNT_OF(scenes); i++)
        if (!strcmp(scenes[i].name, arguments[1]))
            return scenes[i].run();
    return 99;
}
