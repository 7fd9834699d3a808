/* What does a program do while the library sits in it? One that the tests of the guest (test_guest*.c) start: it loads
 * the library as CUDA does, plays CUPTI's part with the scripted one, and ends in the way that its argument names. It
 * never prints: what it prints, somebody else printed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <generated_nvtx_meta.h>

#include "core/base/count_of.h"
#include "tests/collector/code/played_cubin.h"
#include "tests/collector/fake_cupti.h"

/* A failed check ends the host with a status that no scenario has. */
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            _exit(__LINE__ % 100 + 100);                                                                               \
    } while (0)

enum { THREADS = 4, EACH = 50 };

extern const void *(*fake_nvtx_given)(uint32_t);
static void *library;

static void initialize(void)
{
    int (*entry)(void);
    *(void **)&entry = dlsym(library, "InitializeInjection");
    CHECK(entry && entry() == 1);
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static off_t trace_bytes(void)
{
    char path[4096];
    struct stat s;
    snprintf(path, sizeof path, "%s/trace-%d-0.bin", getenv("CPPROF_CAPTURE_DIR"), (int)getpid());
    return stat(path, &s) ? 0 : s.st_size;
}

static bool report_has(const char *text)
{
    static char report[65536];
    char path[4096];
    snprintf(path, sizeof path, "%s/process-capture-%d-0.json", getenv("CPPROF_CAPTURE_DIR"), (int)getpid());
    FILE *file = fopen(path, "re");
    const size_t length = file ? fread(report, 1, sizeof report - 1, file) : 0;
    report[length] = '\0';
    if (file)
        fclose(file);
    return strstr(report, text);
}

/* Until the guest has written that much: no more than ten seconds. */
static void await_trace(off_t bytes)
{
    for (int i = 0; i < 1000 && trace_bytes() < bytes; i++)
        sleep_ms(10);
    CHECK(trace_bytes() >= bytes);
}

static void add_kernel(struct fake_buffer *b, uint32_t number, const char *name)
{
    const CUpti_ActivityKernel10 record = {.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                           .start = 1000 + 10ull * number,
                                           .end = 1005 + 10ull * number,
                                           .correlationId = number,
                                           .name = name};
    fake_buffer_add(b, &record);
}

/* A buffer with kernels first to first + count - 1. */
static void deliver(uint32_t first, uint32_t count)
{
    struct fake_buffer buffer;
    CHECK(fake_buffer_open(&buffer));
    for (uint32_t i = 0; i < count; i++)
        add_kernel(&buffer, first + i, "_Z4tilePf");
    fake_buffer_complete(&buffer);
}

/* Until the flush period has passed. */
static void deliver_and_await(void)
{
    initialize();
    deliver(1, 5);
    await_trace(5 * 96);
}

static void *deliver_many(void *context)
{
    const uint32_t thread = *(const uint32_t *)context;
    for (uint32_t i = 0; i < EACH; i++)
        deliver(1 + (thread * EACH + i) * 10, 10);
    return NULL;
}

static void *exit_five(void *unused)
{
    (void)unused;
    exit(5);
}

static void on_threads(void *(*run)(void *), bool join)
{
    static uint32_t numbers[THREADS];
    pthread_t threads[THREADS];
    for (uint32_t t = 0; t < THREADS; t++) {
        numbers[t] = t;
        CHECK(!pthread_create(&threads[t], NULL, run, &numbers[t]));
    }
    for (uint32_t t = 0; t < THREADS; t++)
        CHECK(!(join ? pthread_join(threads[t], NULL) : pthread_detach(threads[t])));
}

static int idle(void)
{
    initialize();
    return 6;
}

static int plain(void)
{
    initialize();
    deliver(1, 3);
    deliver(4, 3);
    return 7;
}

/* Long enough for some thousand samples. */
static int sampled(void)
{
    initialize();
    deliver(1, 3);
    sleep_ms(600);
    deliver(4, 3);
    return 7;
}

/* As a daemon: what it prints nobody gets, least of all a file of ours. */
static int closed_stdio(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        close(fd);
    deliver_and_await();
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        CHECK(write(fd, "printed", 7) < 0 && errno == EBADF);
    return 7;
}

/* It closes all files but the first three, and opens one of its own. */
static int closed_files(void)
{
    char path[4096];
    struct stat own;
    deliver_and_await();
    close_range(STDERR_FILENO + 1, ~0U, 0);
    snprintf(path, sizeof path, "%s/own", getenv("CPPROF_CAPTURE_DIR"));
    int fds[16];
    for (size_t i = 0; i < COUNT_OF(fds); i++) /* under every number that may have been ours */
        CHECK((fds[i] = open(path, O_RDWR | O_CREAT, 0600)) >= 0);
    deliver(6, 5);
    sleep_ms(200); /* some flush periods */
    CHECK(!fstat(fds[0], &own) && own.st_size == 0);
    return 7;
}

static int threads(void)
{
    initialize();
    on_threads(deliver_many, true);
    return 0;
}

static int exit_threads(void)
{
    initialize();
    on_threads(deliver_many, true);
    on_threads(exit_five, false);
    pause();
    return 1;
}

/* Exit comes while the guest stands still; 200 ms later it goes on. */
static void *open_gate_soon(void *unused)
{
    sleep_ms(200);
    fake_cupti_open_gate();
    return unused;
}

static int exit_decoding(void)
{
    pthread_t opener;
    initialize();
    fake_cupti_close_gate(FAKE_DECODER);
    deliver(1, 10);
    fake_cupti_await_at_gate();
    deliver(11, 10);
    CHECK(!pthread_create(&opener, NULL, open_gate_soon, NULL) && !pthread_detach(opener));
    return 8;
}

/* The disk takes nothing any more. */
static int stuck_disk(void)
{
    initialize();
    fake_cupti_close_gate(FAKE_DECODER);
    deliver(1, 5);
    fake_cupti_await_at_gate();
    return 3;
}

/* CUPTI does not come back from a flush. */
static int stuck_flush(void)
{
    struct fake_buffer held;
    deliver_and_await();
    fake_cupti_close_gate("cuptiActivityFlushAll");
    CHECK(fake_buffer_open(&held));
    add_kernel(&held, 6, "_Z4tilePf");
    fake_cupti_hold(&held);
    return 3;
}

/* At the end there is work for `buffers * count * ms`. */
static int end_slowly(uint32_t buffers, uint32_t count, long ms)
{
    initialize();
    fake_cupti_slow_down(ms);
    for (uint32_t i = 0; i < buffers; i++)
        deliver(1 + i * count, count);
    return 3;
}

static int slow_end(void)
{
    return end_slowly(4, 5, 100);
}

static int endless_end(void)
{
    return end_slowly(1000, 2, 20);
}

/* The guest goes its own way, which its report shows, before CUPTI answers. */
static void *open_gate_after_report(void *unused)
{
    for (int i = 0; i < 1000 && !report_has("could not be attached"); i++)
        sleep_ms(10);
    fake_cupti_open_gate();
    return unused;
}

static int late(void)
{
    pthread_t opener;
    struct fake_buffer buffer;
    fake_cupti_close_gate("cuptiActivityRegisterCallbacks");
    CHECK(!pthread_create(&opener, NULL, open_gate_after_report, NULL));
    initialize();
    CHECK(!pthread_join(opener, NULL));
    CHECK(!fake_cupti_enabled(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    CHECK(!fake_buffer_open(&buffer));
    return 6;
}

/* Buffers of a MiB, at most two of which may wait: six come while the guest stands still. */
static int slow_disk(void)
{
    struct fake_buffer first;
    initialize();
    fake_cupti_close_gate(FAKE_DECODER);
    CHECK(fake_buffer_open(&first)); /* the guest hears of the first one */
    fake_cupti_await_at_gate();
    add_kernel(&first, 1, "_Z4tilePf");
    const CUpti_ActivityMemset4 clear = {.kind = CUPTI_ACTIVITY_KIND_MEMSET, .start = 1, .end = 2};
    fake_buffer_add(&first, &clear);
    fake_buffer_complete(&first);
    for (uint32_t i = 0; i < 5; i++) {
        struct fake_buffer buffer;
        CHECK(fake_buffer_open(&buffer));
        add_kernel(&buffer, 2 + i, "_Z4tilePf");
        fake_buffer_add(&buffer, &clear);
        fake_buffer_complete(&buffer);
    }
    fake_cupti_open_gate();
    return 0;
}

/* A buffer goes to somebody else, who frees it as one of its own. */
static int taken_over(void)
{
    struct fake_buffer buffer;
    initialize();
    CHECK(fake_buffer_open(&buffer));
    free(buffer.bytes);
    return 0;
}

static int unfinished(void)
{
    struct fake_buffer held;
    initialize();
    CHECK(fake_buffer_open(&held));
    const CUpti_ActivityKernel10 running = {
        .kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, .start = 500, .correlationId = 1, .name = "_Z4tilePf"};
    fake_buffer_add(&held, &running);
    fake_cupti_hold(&held); /* until a flush */
    exit(0);
}

static int drops(void)
{
    struct fake_buffer buffer;
    const CUpti_ActivityStream unknown = {.kind = CUPTI_ACTIVITY_KIND_STREAM};
    initialize();
    CHECK(fake_buffer_open(&buffer));
    add_kernel(&buffer, 1, "_Z4tilePf");
    fake_buffer_add(&buffer, &unknown);
    fake_buffer_spoil(&buffer);
    fake_buffer_complete(&buffer);
    fake_cupti_drop(6);
    return 0;
}

static void add_marker(struct fake_buffer *b, uint32_t id, CUpti_ActivityFlag flag, uint64_t at, const char *name,
                       const char *domain)
{
    const CUpti_ActivityMarker2 marker = {.kind = CUPTI_ACTIVITY_KIND_MARKER,
                                          .flags = flag,
                                          .timestamp = at,
                                          .id = id,
                                          .objectKind = CUPTI_ACTIVITY_OBJECT_THREAD,
                                          .objectId.pt = {.processId = 1, .threadId = 77},
                                          .name = name,
                                          .domain = domain};
    fake_buffer_add(b, &marker);
}

/* Two nested ranges, the outer one's end in an earlier buffer; a moment; one that never ends. */
static int ranges(void)
{
    struct fake_buffer early, late;
    initialize();
    CHECK(fake_buffer_open(&early) && fake_buffer_open(&late));
    add_marker(&late, 1, CUPTI_ACTIVITY_FLAG_MARKER_START, 100, "step", NULL);
    add_marker(&late, 2, CUPTI_ACTIVITY_FLAG_MARKER_START, 200, "forward", "torch");
    add_marker(&late, 2, CUPTI_ACTIVITY_FLAG_MARKER_END, 300, NULL, "torch");
    add_marker(&late, 3, CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS, 350, "tick", NULL);
    add_marker(&late, 4, CUPTI_ACTIVITY_FLAG_MARKER_START, 360, "open", NULL);
    add_marker(&early, 1, CUPTI_ACTIVITY_FLAG_MARKER_END, 400, NULL, NULL);
    fake_buffer_complete(&early);
    await_trace(0);
    fake_buffer_complete(&late);
    return 0;
}

/* A wait and its call; one whose call never comes; names. */
static int waits(void)
{
    struct fake_buffer buffer;
    initialize();
    CHECK(fake_buffer_open(&buffer));
    CUpti_ActivitySynchronization2 wait = {.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
                                           .type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE,
                                           .start = 10,
                                           .end = 20,
                                           .correlationId = 5,
                                           .contextId = 1,
                                           .streamId = 7};
    fake_buffer_add(&buffer, &wait);
    const CUpti_ActivityAPI call = {.kind = CUPTI_ACTIVITY_KIND_RUNTIME,
                                    .cbid = CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020,
                                    .start = 9,
                                    .end = 21,
                                    .threadId = 4321,
                                    .correlationId = 5};
    fake_buffer_add(&buffer, &call);
    wait.start = 30;
    wait.end = 40;
    wait.correlationId = 6;
    fake_buffer_add(&buffer, &wait);
    const CUpti_ActivityName name = {.kind = CUPTI_ACTIVITY_KIND_NAME,
                                     .objectKind = CUPTI_ACTIVITY_OBJECT_STREAM,
                                     .objectId.dcs = {.deviceId = 0, .contextId = 1, .streamId = 7},
                                     .name = "copies"};
    fake_buffer_add(&buffer, &name);
    fake_buffer_complete(&buffer);
    return 0;
}

static int kernels(void)
{
    struct fake_buffer buffer;
    initialize();
    CHECK(fake_buffer_open(&buffer));
    for (uint32_t i = 0; i < 6; i++)
        add_kernel(&buffer, 1 + i, i % 3 ? "_Z5otherPf" : "_Z4tilePf");
    fake_buffer_complete(&buffer);
    return 0;
}

/* These end without a word to anyone. */
static int hard_exit(void)
{
    deliver_and_await();
    _exit(9);
}

static int killed(void)
{
    deliver_and_await();
    return raise(SIGKILL);
}

static int crashes(void)
{
    deliver_and_await();
    signal(SIGSEGV, SIG_DFL); /* a sanitizer may have its own handler */
    return raise(SIGSEGV);
}

/* CPPROF_CAPTURE_FROM_START=off. The child ends in the usual way: nothing of the parent's may change. */
static int forks(void)
{
    deliver_and_await();
    const off_t before = trace_bytes();
    const pid_t child = fork();
    if (!child) {
        if (fake_cupti_tell(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000,
                            &(CUpti_CallbackData){.callbackSite = CUPTI_API_EXIT}))
            exit(fake_cupti_enabled(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) ? 2 : 3);
        exit(1);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3);
    CHECK(trace_bytes() == before);
    deliver(6, 5);
    return 0;
}

static atomic_bool enough;

static void *deliver_until_enough(void *context)
{
    (void)context;
    while (!atomic_load(&enough))
        deliver(1, 10);
    return NULL;
}

/* What the parent's other threads had locked stays locked here: whoever waits for it is ended. */
static void ask_for_buffers(struct fake_buffer *lent)
{
    struct fake_buffer buffer;
    alarm(20);
    for (int i = 0; i < 1000; i++)
        CHECK(!fake_buffer_open(&buffer));
    fake_buffer_complete(lent);
    exit(0);
}

/* While buffers are lent, filled and given back all the time. */
static int forks_with_buffers(void)
{
    pthread_t threads[THREADS];
    struct fake_buffer lent;
    initialize();
    CHECK(fake_buffer_open(&lent));
    for (int t = 0; t < THREADS; t++)
        CHECK(!pthread_create(&threads[t], NULL, deliver_until_enough, NULL));
    for (int i = 0; i < 20; i++) {
        int status;
        const pid_t child = fork();
        if (!child)
            ask_for_buffers(&lent);
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
    }
    atomic_store(&enough, true);
    for (int t = 0; t < THREADS; t++)
        CHECK(!pthread_join(threads[t], NULL));
    fake_buffer_complete(&lent);
    return 0;
}

static int forks_and_execs(void)
{
    deliver_and_await();
    const pid_t child = fork();
    if (!child) {
        execl("/proc/self/exe", "guest_host", "plain", (char *)NULL);
        _exit(1);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    return 0;
}

/* 64 KiB is all that a file may have: 20,000 events are 1.9 MB. */
static int full_disk(void)
{
    const struct rlimit small = {64 * 1024, 64 * 1024};
    initialize();
    CHECK(!setrlimit(RLIMIT_FSIZE, &small));
    deliver(1, 100);
    await_trace(100 * 96);
    for (uint32_t i = 0; i < 200; i++)
        deliver(101 + i * 100, 100);
    return 4;
}

/* What goes on and off asks for the kinds, which CUPTI takes at any time, and not for single calls. */
static bool records(void)
{
    const bool on = fake_cupti_enabled(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    CHECK(fake_cupti_enabled(CUPTI_ACTIVITY_KIND_RUNTIME) == on);
    CHECK(fake_cupti_enabled(CUPTI_ACTIVITY_KIND_DRIVER) == on);
    CHECK(!fake_cupti_enabled(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION));
    CHECK(!fake_cupti_call_enabled(false, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000));
    CHECK(!fake_cupti_call_enabled(true, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel));
    return on;
}

static bool knows_managed_calls(void)
{
    return fake_cupti_call_enabled(false, CUPTI_RUNTIME_TRACE_CBID_cudaMallocManaged_v6000) &&
           fake_cupti_call_enabled(true, CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged);
}

/* What is asked for by default, and what not. */
static int defaults(void)
{
    initialize();
    CHECK(!fake_cupti_subscribed()); /* the program may */
    static const CUpti_ActivityKind on[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                            CUPTI_ACTIVITY_KIND_MEMCPY,
                                            CUPTI_ACTIVITY_KIND_MEMCPY2,
                                            CUPTI_ACTIVITY_KIND_MEMSET,
                                            CUPTI_ACTIVITY_KIND_MARKER,
                                            CUPTI_ACTIVITY_KIND_NAME,
                                            CUPTI_ACTIVITY_KIND_OVERHEAD};
    static const CUpti_ActivityKind off[] = {
        CUPTI_ACTIVITY_KIND_KERNEL,          CUPTI_ACTIVITY_KIND_RUNTIME,
        CUPTI_ACTIVITY_KIND_DRIVER,          CUPTI_ACTIVITY_KIND_GRAPH_TRACE,
        CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER};
    for (size_t i = 0; i < COUNT_OF(on); i++)
        CHECK(fake_cupti_enabled(on[i]));
    for (size_t i = 0; i < COUNT_OF(off); i++)
        CHECK(!fake_cupti_enabled(off[i]));
    CHECK(!fake_cupti_call_enabled(false, CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020));
    CHECK(fake_cupti_call_enabled(false, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000));
    CHECK(fake_cupti_call_enabled(true, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel));
    CHECK(fake_cupti_call_enabled(false, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020));
    CHECK(fake_cupti_call_enabled(false, CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020));
    CHECK(fake_cupti_call_enabled(false, CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000));
    CHECK(knows_managed_calls());
    return 0;
}

/* A CUPTI that takes no ids of calls is asked for all. */
static int defaults_of_12(void)
{
    initialize();
    CHECK(fake_cupti_enabled(CUPTI_ACTIVITY_KIND_RUNTIME) && fake_cupti_enabled(CUPTI_ACTIVITY_KIND_DRIVER));
    CHECK(!fake_cupti_enabled(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION));
    CHECK(!knows_managed_calls());
    return 0;
}

static int everything(void)
{
    initialize();
    CHECK(fake_cupti_enabled(CUPTI_ACTIVITY_KIND_RUNTIME) && fake_cupti_enabled(CUPTI_ACTIVITY_KIND_DRIVER));
    CHECK(fake_cupti_enabled(CUPTI_ACTIVITY_KIND_GRAPH_TRACE));
    CHECK(fake_cupti_enabled(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION));
    return 0;
}

static void tell_call(CUpti_CallbackDomain domain, CUpti_CallbackId id, CUpti_ApiCallbackSite site, bool expected)
{
    CHECK(fake_cupti_tell(domain, id, &(CUpti_CallbackData){.callbackSite = site}) == expected);
}

static int profiler(void)
{
    initialize();
    CHECK(!records());
    tell_call(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000, CUPTI_API_ENTER, true);
    CHECK(!records());
    tell_call(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000, CUPTI_API_EXIT, true);
    CHECK(records());
    tell_call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop, CUPTI_API_ENTER, true);
    CHECK(!records());
    return 0;
}

static void await_records(bool on)
{
    for (int i = 0; i < 1000 && fake_cupti_enabled(CUPTI_ACTIVITY_KIND_DRIVER) != on; i++)
        sleep_ms(10);
    CHECK(records() == on);
}

/* CPPROF_CAPTURE_FROM_START=off: CUPTI refuses a part of it, and later no more. */
static int refused_for_a_while(void)
{
    initialize();
    fake_cupti_refuse_kind(CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_ERROR_HARDWARE_BUSY);
    tell_call(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000, CUPTI_API_EXIT, true);
    CHECK(!records());
    fake_cupti_refuse_kind(CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_SUCCESS);
    await_records(true);
    deliver(1, 5);
    fake_cupti_refuse("cuptiActivityDisable", CUPTI_ERROR_UNKNOWN);
    tell_call(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStop_v4000, CUPTI_API_ENTER, true);
    CHECK(records());
    fake_cupti_refuse("cuptiActivityDisable", CUPTI_SUCCESS);
    await_records(false);
    return 0;
}

/* CPPROF_CAPTURE_FROM_START=off: the report says it at once. */
static int refused_and_killed(void)
{
    deliver_and_await();
    fake_cupti_refuse("cuptiActivityEnable", CUPTI_ERROR_UNKNOWN);
    tell_call(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000, CUPTI_API_EXIT, true);
    for (int i = 0; i < 1000 && !report_has("could not be switched"); i++)
        sleep_ms(10);
    return raise(SIGKILL);
}

/* CPPROF_CAPTURE_RANGE=step: a launch is none of the calls that the guest listens to; nor are the profiler's. */
static int callbacks(void)
{
    initialize();
    CHECK(fake_cupti_subscribed());
    tell_call(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, CUPTI_API_ENTER, false);
    tell_call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_ENTER, false);
    tell_call(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStop_v4000, CUPTI_API_ENTER, false);
    return 0;
}

static void add_call(struct fake_buffer *b, CUpti_ActivityKind kind, CUpti_CallbackId id, uint32_t number)
{
    const CUpti_ActivityAPI call = {
        .kind = kind, .cbid = id, .start = number, .end = number + 1, .threadId = 4321, .correlationId = number};
    fake_buffer_add(b, &call);
}

/* CPPROF_CAPTURE_FROM_START=off: whole kinds bring every call. */
static int calls(void)
{
    struct fake_buffer buffer;
    initialize();
    CHECK(fake_buffer_open(&buffer));
    add_call(&buffer, CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020, 1);
    add_call(&buffer, CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, 2);
    add_call(&buffer, CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged, 3);
    add_call(&buffer, CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020, 4);
    fake_buffer_complete(&buffer);
    return 0;
}

/* As under a CUPTI that is older than the GPU. */
static int launches_alone(void)
{
    struct fake_buffer buffer;
    initialize();
    CHECK(fake_buffer_open(&buffer));
    add_call(&buffer, CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, 1);
    add_call(&buffer, CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020, 2);
    fake_buffer_complete(&buffer);
    return 0;
}

static const void *export_table(uint32_t id)
{
    (void)id;
    return NULL;
}

static void initialize_nvtx(void)
{
    int (*entry)(const void *(*)(uint32_t));
    *(void **)&entry = dlsym(library, "InitializeInjectionNvtx2");
    CHECK(entry && entry(export_table) == 1 && fake_nvtx_given == export_table);
}

static void nvtx(CUpti_CallbackId id, const void *parameters, const void *result)
{
    const CUpti_NvtxData data = {.functionParams = parameters, .functionReturnValue = result};
    CHECK(fake_cupti_tell(CUPTI_CB_DOMAIN_NVTX, id, &data));
}

static void push(const char *name)
{
    nvtx(CUPTI_CBID_NVTX_nvtxRangePushA, &(nvtxRangePushA_params){name}, NULL);
}

static void pop(void)
{
    nvtx(CUPTI_CBID_NVTX_nvtxRangePop, NULL, NULL);
}

static void *push_until_enough(void *unused)
{
    while (!atomic_load(&enough)) {
        push("step");
        pop();
    }
    return unused;
}

/* CUPTI was loaded before the fork: nothing is recorded, and nothing hangs. */
static void begin_cuda_in_child(void)
{
    alarm(20);
    pop();
    initialize();
    push("step");
    CHECK(!records());
    pop();
    CHECK(!records());
    exit(0);
}

/* CPPROF_CAPTURE_RANGE=step. NVTX has begun and CUDA has not: that is for the children. */
static int forks_before_cuda(void)
{
    pthread_t threads[THREADS];
    initialize_nvtx();
    push("step");
    for (int t = 0; t < THREADS; t++)
        CHECK(!pthread_create(&threads[t], NULL, push_until_enough, NULL));
    for (int i = 0; i < 20; i++) {
        int status;
        const pid_t child = fork();
        if (!child)
            begin_cuda_in_child();
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
    }
    atomic_store(&enough, true);
    for (int t = 0; t < THREADS; t++)
        CHECK(!pthread_join(threads[t], NULL));
    return 0;
}

static void *push_step(void *unused)
{
    push("step"); /* another thread may be switching just now, and looks again when it is done */
    for (int i = 0; i < 1000 && !fake_cupti_enabled(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL); i++)
        sleep_ms(1);
    CHECK(fake_cupti_enabled(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    pop();
    return unused;
}

/* CPPROF_CAPTURE_RANGE=step */
static int range(void)
{
    initialize();
    CHECK(!records());
    pop(); /* its push came before CUDA */
    push("other");
    CHECK(!records());
    push("step");
    CHECK(records());
    push("inner");
    pop();
    CHECK(records());
    pop();
    CHECK(!records());
    pop();
    const nvtxRangeId_t id = 12;
    nvtx(CUPTI_CBID_NVTX_nvtxRangeStartA, &(nvtxRangeStartA_params){"step"}, &id);
    CHECK(records());
    nvtx(CUPTI_CBID_NVTX_nvtxRangeEnd, &(nvtxRangeEnd_params){id}, NULL);
    CHECK(!records());
    on_threads(push_step, true);
    CHECK(!records());
    return 0;
}

static void push_at(const char *name, uint64_t now_ns)
{
    fake_cupti_set_time(now_ns);
    push(name);
}

static void pop_at(uint64_t now_ns)
{
    fake_cupti_set_time(now_ns);
    pop();
}

/* CPPROF_CAPTURE_RANGE=step. CUPTI has only the end of a range that switches recording on; of one while it is on,
 * both; of one that began before, the end. */
static int range_events(void)
{
    struct fake_buffer early, late;
    initialize();
    CHECK(fake_buffer_open(&early) && fake_buffer_open(&late));
    push_at("step", 100);
    push_at("step", 110);
    add_marker(&late, 2, CUPTI_ACTIVITY_FLAG_MARKER_START, 110, "step", NULL);
    push_at("inner", 120);
    add_marker(&late, 3, CUPTI_ACTIVITY_FLAG_MARKER_START, 120, "inner", NULL);
    add_marker(&early, 3, CUPTI_ACTIVITY_FLAG_MARKER_END, 130, NULL, NULL);
    pop_at(130);
    add_marker(&early, 2, CUPTI_ACTIVITY_FLAG_MARKER_END, 139, NULL, NULL);
    pop_at(140);
    add_marker(&late, 4, CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS, 150, "step", NULL);
    add_marker(&early, 1, CUPTI_ACTIVITY_FLAG_MARKER_END, 199, NULL, NULL);
    CHECK(records());
    pop_at(200);
    CHECK(!records());
    fake_buffer_complete(&early);
    const nvtxRangeId_t id = 12;
    fake_cupti_set_time(300);
    nvtx(CUPTI_CBID_NVTX_nvtxRangeStartA, &(nvtxRangeStartA_params){"step"}, &id);
    add_marker(&late, 9, CUPTI_ACTIVITY_FLAG_MARKER_END, 320, NULL, NULL); /* of what began before 100 */
    add_marker(&late, 12, CUPTI_ACTIVITY_FLAG_MARKER_END, 399, NULL, NULL);
    fake_cupti_set_time(400);
    nvtx(CUPTI_CBID_NVTX_nvtxRangeEnd, &(nvtxRangeEnd_params){id}, NULL);
    push_at("step", 500); /* for good */
    add_marker(&late, 14, CUPTI_ACTIVITY_FLAG_MARKER_START, 500, "step", NULL);
    fake_buffer_complete(&late);
    return 0;
}

static void await_no_records(void)
{
    for (int i = 0; i < 1000 && fake_cupti_enabled(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL); i++)
        sleep_ms(10);
    CHECK(!records());
}

static void *push_and_end(void *unused)
{
    push_at("step", 100);
    push("inner");
    CHECK(records());
    return unused;
}

static const nvtxRangeId_t handed_over = 7;

static void *start_step(void *unused)
{
    nvtx(CUPTI_CBID_NVTX_nvtxRangeStartA, &(nvtxRangeStartA_params){"step"}, &handed_over);
    return unused;
}

static void *end_step(void *unused)
{
    nvtx(CUPTI_CBID_NVTX_nvtxRangeEnd, &(nvtxRangeEnd_params){handed_over}, NULL);
    return unused;
}

static void on_thread(void *(*run)(void *))
{
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, run, NULL) && !pthread_join(thread, NULL));
}

/* CPPROF_CAPTURE_RANGE=step: a thread ends inside it; another one begins it, a third one ends it. */
static int range_threads(void)
{
    initialize();
    on_thread(push_and_end);
    await_no_records();
    fake_cupti_set_time(900);
    on_thread(start_step);
    CHECK(records());
    sleep_ms(100);
    CHECK(records());
    fake_cupti_set_time(1000);
    on_thread(end_step);
    CHECK(!records());
    return 0;
}

/* CPPROF_CAPTURE_RANGE=step: 1000 deep, and pops of another domain in between. */
static int range_deep(void)
{
    char memory;
    void *const domain = &memory;
    const nvtxEventAttributes_t other = {.version = NVTX_VERSION,
                                         .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                         .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                         .message.ascii = "other"};
    initialize();
    nvtx(CUPTI_CBID_NVTX_nvtxDomainCreateA, &(nvtxDomainCreateA_params){"jax"}, &domain);
    for (int i = 0; i < 500; i++)
        push("outside");
    push_at("step", 100);
    for (int i = 0; i < 500; i++) {
        push("inside");
        nvtx(CUPTI_CBID_NVTX_nvtxDomainRangePushEx, &(nvtxDomainRangePushEx_params){domain, {&other}}, NULL);
    }
    for (int i = 0; i < 500; i++)
        nvtx(CUPTI_CBID_NVTX_nvtxDomainRangePop, &(nvtxDomainRangePop_params){domain}, NULL);
    for (int i = 0; i < 500; i++) {
        CHECK(records());
        pop();
    }
    CHECK(records());
    pop_at(200);
    CHECK(!records());
    for (int i = 0; i < 500; i++)
        pop();
    push_at("step", 300);
    CHECK(records());
    pop_at(400);
    CHECK(!records());
    return 0;
}

/* CPPROF_CAPTURE_RANGE=étape@forêt, in UTF-8, whatever the locale: in each way that wide texts come. */
static int range_wide(void)
{
    static const wchar_t name[] = {0xe9, 't', 'a', 'p', 'e', 0}, domain_name[] = {'f', 'o', 'r', 0xea, 't', 0},
                         longer[] = {0xe9, 't', 'a', 'p', 'e', 's', 0}, broken[] = {0xe9, 0xd800, 0};
    char domain_memory, string_memory;
    void *const domain = &domain_memory, *const string = &string_memory;
    initialize();
    /* CUPTI's header has no parameters for it, and a char in those of the string. */
    nvtx(CUPTI_CBID_NVTX_nvtxDomainCreateW, &(nvtxDomainCreateA_params){(const void *)domain_name}, &domain);
    nvtx(CUPTI_CBID_NVTX_nvtxDomainRegisterStringW, &(nvtxDomainRegisterStringW_params){domain, (const void *)name},
         &string);
    const nvtxEventAttributes_t ways[] = {
        {.messageType = NVTX_MESSAGE_TYPE_UNICODE, .message.unicode = name},
        {.messageType = NVTX_MESSAGE_TYPE_REGISTERED, .message.registered = string},
        {.messageType = NVTX_MESSAGE_TYPE_UNICODE, .message.unicode = longer},
        {.messageType = NVTX_MESSAGE_TYPE_UNICODE, .message.unicode = broken},
        {.messageType = NVTX_MESSAGE_TYPE_UNICODE},
    };
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        nvtx(CUPTI_CBID_NVTX_nvtxDomainRangePushEx, &(nvtxDomainRangePushEx_params){domain, {&ways[i]}}, NULL);
        CHECK(records() == (i < 2));
        nvtx(CUPTI_CBID_NVTX_nvtxDomainRangePop, &(nvtxDomainRangePop_params){domain}, NULL);
        CHECK(!records());
    }
    nvtx(CUPTI_CBID_NVTX_nvtxRangePushW, &(nvtxRangePushW_params){name}, NULL); /* of the default domain */
    CHECK(!records());
    pop();
    /* The handles of a domain that is gone come again, as others. */
    nvtx(CUPTI_CBID_NVTX_nvtxDomainDestroy, &(nvtxDomainDestroy_params){domain}, NULL);
    nvtx(CUPTI_CBID_NVTX_nvtxDomainCreateA, &(nvtxDomainCreateA_params){"jax"}, &domain);
    nvtx(CUPTI_CBID_NVTX_nvtxDomainRangePushEx, &(nvtxDomainRangePushEx_params){domain, {&ways[0]}}, NULL);
    CHECK(!records());
    return 0;
}

/* CPPROF_CAPTURE_RANGE=step, CPPROF_CAPTURE_FROM_START=off: the first one is not recorded, the second one in part. */
static int range_unrecorded(void)
{
    initialize();
    push_at("step", 100);
    pop_at(200);
    push_at("step", 300);
    CHECK(!records());
    tell_call(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000, CUPTI_API_EXIT, true);
    CHECK(records());
    pop_at(400);
    return 0;
}

/* One of the length `ns`; recording is on inside, or off. */
static void step_of(uint64_t ns, bool recorded)
{
    static uint64_t now_ns = 1000;
    push_at("step", now_ns);
    CHECK(records() == recorded);
    push("step"); /* a nested one counts nothing */
    pop();
    pop_at(now_ns + ns);
    now_ns += ns + 10;
}

static void steps_of(int count, uint64_t ns, bool recorded)
{
    for (int i = 0; i < count; i++)
        step_of(ns, recorded);
}

static void *step_on_thread(void *unused)
{
    step_of(100, false);
    return unused;
}

/* CPPROF_CAPTURE_RANGE=step, CPPROF_CAPTURE_WHEN=4..5: the third is one that was started. */
static int when_occurrences(void)
{
    const nvtxRangeId_t id = 12;
    initialize();
    step_of(100, false);
    on_thread(step_on_thread);
    nvtx(CUPTI_CBID_NVTX_nvtxRangeStartA, &(nvtxRangeStartA_params){"step"}, &id);
    CHECK(!records());
    step_of(100, true);
    push("other");
    CHECK(records()); /* between them, too */
    pop();
    nvtx(CUPTI_CBID_NVTX_nvtxRangeEnd, &(nvtxRangeEnd_params){id}, NULL);
    CHECK(records());
    deliver(1, 5);
    step_of(100, true);
    CHECK(!records());
    steps_of(3, 100, false);
    return 0;
}

/* The same: the process is killed, and its report has what was recorded. */
static int when_killed(void)
{
    initialize();
    steps_of(3, 100, false);
    steps_of(2, 100, true);
    CHECK(!records());
    for (int i = 0; i < 1000 && !report_has("\"last\""); i++)
        sleep_ms(10);
    return raise(SIGKILL);
}

/* CPPROF_CAPTURE_RANGE=step, CPPROF_CAPTURE_WHEN=4..5: it ends before. */
static int when_never(void)
{
    initialize();
    steps_of(3, 100, false);
    return 0;
}

/* CPPROF_CAPTURE_RANGE=step, CPPROF_CAPTURE_WHEN=slower:1.2 */
static int when_slower(void)
{
    initialize();
    steps_of(6, 100, false);
    step_of(500, false); /* the seventh: not enough is known */
    step_of(120, false);
    step_of(120, false); /* not more than 1.2 times the median */
    for (int i = 0; i < 3; i++) {
        step_of(121, false);
        steps_of(8, 300, true); /* which are not compared */
        CHECK(!records());
        step_of(100, false);
    }
    step_of(500, false);
    step_of(100, false); /* three times are enough */
    return 0;
}

/* CPPROF_CAPTURE_RANGE=step, CPPROF_CAPTURE_WHEN=4..5: a thread ends inside the last one. */
static void *end_in_step(void *unused)
{
    push("step");
    CHECK(records());
    return unused;
}

static int when_thread_ends(void)
{
    initialize();
    steps_of(3, 100, false);
    step_of(100, true);
    on_thread(end_in_step);
    await_no_records();
    return 0;
}

static void touch_trigger(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/record", getenv("CPPROF_CAPTURE_DIR"));
    const int fd = open(path, O_WRONLY | O_CREAT, 0600);
    CHECK(fd >= 0 && !futimens(fd, NULL) && !close(fd));
}

/* CPPROF_CAPTURE_WHEN=file, for 200 ms each time. What is there before the program counts for nothing. */
static int when_file(void)
{
    touch_trigger();
    initialize();
    CHECK(!fake_cupti_subscribed());
    sleep_ms(200);
    CHECK(!records());
    for (int i = 0; i < 2; i++) {
        touch_trigger();
        await_records(true);
        deliver(1 + (uint32_t)i * 5, 5);
        await_records(false);
    }
    return 0;
}

/* CPPROF_CAPTURE_RANGE=step, CPPROF_CAPTURE_WHEN=2: the driver says early which GPU there is to sample. */
static int when_sampled(void)
{
    CHECK(dlopen(getenv("TEST_DRIVER"), RTLD_NOW));
    initialize();
    step_of(100, false);
    sleep_ms(500);
    push("step");
    CHECK(records());
    deliver(1, 3);
    sleep_ms(300);
    pop();
    sleep_ms(500);
    return 7;
}

/* How many files of this process are the folder of the bundle? */
static int open_folders(void)
{
    struct stat folder, one;
    int count = 0;
    CHECK(!stat(getenv("CPPROF_CAPTURE_DIR"), &folder));
    for (int fd = 0; fd < 1024; fd++)
        count += !fstat(fd, &one) && one.st_dev == folder.st_dev && one.st_ino == folder.st_ino;
    return count;
}

/* CPPROF_CAPTURE_SAMPLE_NS: the lock on the folder is not inherited. */
static int forks_with_lock(void)
{
    initialize();
    deliver(1, 3);
    for (int i = 0; i < 1000 && !open_folders(); i++)
        sleep_ms(10);
    CHECK(open_folders() == 1);
    const pid_t child = fork();
    if (!child)
        _exit(open_folders());
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
    CHECK(open_folders() == 1);
    return 7;
}

/* Ranges of 20 MB of different texts, and kernels before and after. */
static int many_names(void)
{
    enum { NAMES = 5000, LENGTH = 4000 };
    struct fake_buffer buffer;
    char *texts = malloc((size_t)NAMES * (LENGTH + 1));
    initialize();
    CHECK(texts && fake_buffer_open(&buffer));
    add_kernel(&buffer, 1, "_Z4tilePf");
    for (uint32_t i = 0; i < NAMES; i++) {
        char *text = texts + (size_t)i * (LENGTH + 1);
        memset(text, 'x', LENGTH);
        text[LENGTH] = '\0';
        text[snprintf(text, LENGTH, "%u", i)] = '-';
        add_marker(&buffer, i + 1, CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS, 2000 + i, text, NULL);
    }
    add_kernel(&buffer, NAMES, "_Z5otherPf"); /* at 51000 */
    if (getenv("CPPROF_CAPTURE_RANGE")) {
        add_marker(&buffer, NAMES + 1, CUPTI_ACTIVITY_FLAG_MARKER_START, 60000, "step", "torch");
        add_marker(&buffer, NAMES + 1, CUPTI_ACTIVITY_FLAG_MARKER_END, 60010, NULL, NULL);
    }
    fake_buffer_complete(&buffer);
    return 0;
}

/* CPPROF_CAPTURE_RANGE=step@torch: a registered name in a domain of the program's. */
static int range_domain(void)
{
    char domain_memory, other_memory, string_memory;
    void *const domain = &domain_memory, *const other = &other_memory, *const string = &string_memory;
    initialize_nvtx();
    nvtx(CUPTI_CBID_NVTX_nvtxDomainCreateA, &(nvtxDomainCreateA_params){"torch"}, &domain);
    nvtx(CUPTI_CBID_NVTX_nvtxDomainCreateA, &(nvtxDomainCreateA_params){"jax"}, &other);
    nvtx(CUPTI_CBID_NVTX_nvtxDomainRegisterStringA, &(nvtxDomainRegisterStringA_params){domain, "step"}, &string);
    const nvtxEventAttributes_t step = {.version = NVTX_VERSION,
                                        .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                        .messageType = NVTX_MESSAGE_TYPE_REGISTERED,
                                        .message.registered = string};
    push("step"); /* the default domain's */
    initialize(); /* CUDA begins after NVTX */
    CHECK(!records());
    nvtx(CUPTI_CBID_NVTX_nvtxDomainRangePushEx, &(nvtxDomainRangePushEx_params){other, {&step}}, NULL);
    CHECK(!records());
    nvtx(CUPTI_CBID_NVTX_nvtxDomainRangePushEx, &(nvtxDomainRangePushEx_params){domain, {&step}}, NULL);
    CHECK(records());
    pop();
    nvtx(CUPTI_CBID_NVTX_nvtxDomainRangePop, &(nvtxDomainRangePop_params){other}, NULL);
    CHECK(records());
    nvtx(CUPTI_CBID_NVTX_nvtxDomainRangePop, &(nvtxDomainRangePop_params){domain}, NULL);
    CHECK(!records());
    return 0;
}

/* From 150 ms on, for 300 ms. */
static int window(void)
{
    initialize();
    CHECK(!records() && knows_managed_calls() && !fake_cupti_subscribed());
    sleep_ms(300);
    CHECK(records());
    sleep_ms(400);
    CHECK(!records());
    return 0;
}

/* The record of the call says it; without a flush period, which is a minute, by one of the early flushes. */
static int managed(void)
{
    struct fake_buffer held;
    initialize();
    CHECK(fake_buffer_open(&held));
    add_call(&held, CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaMallocManaged_v6000, 1);
    fake_cupti_hold(&held);
    for (int i = 0; i < 1000 && !fake_cupti_enabled(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER); i++)
        sleep_ms(10);
    CHECK(fake_cupti_enabled(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER));
    return 0;
}

/* CPPROF_CAPTURE_RANGE=step: the call itself is seen. */
static int managed_at_once(void)
{
    initialize();
    tell_call(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaMallocManaged_v6000, CUPTI_API_ENTER, true);
    CHECK(!fake_cupti_enabled(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER));
    tell_call(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaMallocManaged_v6000, CUPTI_API_EXIT, true);
    CHECK(fake_cupti_enabled(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER));
    return 0;
}

static int managed_without(void)
{
    struct fake_buffer buffer;
    initialize();
    CHECK(fake_buffer_open(&buffer));
    add_call(&buffer, CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaMallocManaged_v6000, 1);
    add_kernel(&buffer, 2, "_Z4tilePf");
    fake_buffer_complete(&buffer);
    await_trace(96);
    CHECK(!fake_cupti_enabled(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER));
    return 0;
}

/* CPPROF_CAPTURE_RANGE=step */
static int managed_without_in_range(void)
{
    initialize();
    tell_call(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaMallocManaged_v6000, CUPTI_API_EXIT, true);
    CHECK(!fake_cupti_enabled(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER));
    return 0;
}

static void run_with(const void *code, size_t bytes, const char *kernel)
{
    struct fake_buffer buffer;
    CHECK(fake_cupti_load_module(code, bytes));
    CHECK(fake_buffer_open(&buffer));
    add_kernel(&buffer, 1, kernel);
    fake_buffer_complete(&buffer);
}

/* The code of tests/gpu/guests/device_launches.cu is loaded, and one of its kernels runs. */
static void run_with_code(const char *kernel)
{
    static unsigned char code[1 << 20];
    FILE *file = fopen(getenv("FAKE_CUBIN"), "re");
    const size_t bytes = file ? fread(code, 1, sizeof code, file) : 0;
    CHECK(bytes);
    fclose(file);
    run_with(code, bytes, kernel);
}

static int device_launches(void)
{
    CHECK(dlopen(getenv("FAKE_LIBRARY"), RTLD_NOW));
    initialize();
    run_with_code("_Z6directiP14CUgraphExec_st");
    return 0;
}

static int device_launches_linked(void)
{
    CHECK(dlopen(getenv("FAKE_LIBRARY"), RTLD_NOW));
    initialize();
    run_with_code("_Z5plainiP14CUgraphExec_st");
    return 0;
}

/* CPPROF_CAPTURE_RANGE=step: the guest has subscribed. */
static int device_launches_in_range(void)
{
    initialize();
    CHECK(dlopen(getenv("FAKE_LIBRARY"), RTLD_NOW));
    run_with_code("_Z6directiP14CUgraphExec_st");
    return 0;
}

/* CPPROF_CAPTURE_FROM_START=off, as the next ones: a kernel runs whose module could not be looked at. */
static int device_launches_unreadable(void)
{
    initialize();
    run_with("PTX", 3, "leaf");
    return 0;
}

static int device_launches_unshown(void)
{
    initialize();
    run_with(NULL, 0, "leaf");
    return 0;
}

static void run_with_kernels(uint32_t count, const char *kernel)
{
    size_t bytes;
    unsigned char *code = played_cubin(count, &bytes);
    CHECK(code);
    run_with(code, bytes, kernel);
    free(code);
}

/* As many as are kept, twice the same, and the last of them runs. */
static int device_launches_many(void)
{
    initialize();
    run_with_kernels(100000, "leaf");
    run_with_kernels(100000, "k100000");
    return 0;
}

static int device_launches_too_many(void)
{
    initialize();
    run_with_kernels(100001, "leaf");
    return 0;
}

static int device_launches_late(void)
{
    initialize();
    CHECK(!fake_cupti_subscribed());
    CHECK(dlopen(getenv("FAKE_LIBRARY"), RTLD_NOW));
    for (int i = 0; i < 1000 && !fake_cupti_subscribed(); i++) {
        deliver(1, 1);
        sleep_ms(10);
    }
    CHECK(fake_cupti_subscribed());
    return 0;
}

/* As NCCL has: no reason to subscribe, which the program may. */
static int device_code_alone(void)
{
    CHECK(dlopen(getenv("FAKE_LIBRARY"), RTLD_NOW));
    initialize();
    CHECK(!fake_cupti_subscribed());
    return 0;
}

static int device_launches_refused(void)
{
    CHECK(dlopen(getenv("FAKE_LIBRARY"), RTLD_NOW));
    fake_cupti_refuse("cuptiSubscribe", CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    initialize();
    deliver(1, 1);
    return 0;
}

/* Another profiler was first. */
static int refused(void)
{
    fake_cupti_refuse("cuptiSubscribe", CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    initialize();
    CHECK(!fake_cupti_enabled(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    return 11;
}

/* It does not matter when nothing hangs on the program's calls. */
static int subscribed_by_another(void)
{
    fake_cupti_refuse("cuptiSubscribe", CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    return plain();
}

static int forwards(void)
{
    initialize_nvtx();
    CHECK(!fake_cupti_subscribed());
    initialize();
    return 0;
}

/* CPPROF_METRICS and CPPROF_CAPTURE_RANGE=step@torch: the domain is older than CUDA. CUPTI refuses to count, which
 * shows that it was asked to. */
static int counters_range(void)
{
    char domain_memory;
    void *const domain = &domain_memory;
    const nvtxEventAttributes_t step = {.version = NVTX_VERSION,
                                        .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                        .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                        .message.ascii = "step"};
    const cuLaunchKernel_params parameters = {.gridDimX = 1};
    const CUpti_CallbackData launch = {
        .callbackSite = CUPTI_API_ENTER, .symbolName = "_Z4tilePf", .functionParams = &parameters};
    initialize_nvtx();
    nvtx(CUPTI_CBID_NVTX_nvtxDomainCreateA, &(nvtxDomainCreateA_params){"torch"}, &domain);
    initialize();
    nvtx(CUPTI_CBID_NVTX_nvtxDomainRangePushEx, &(nvtxDomainRangePushEx_params){domain, {&step}}, NULL);
    CHECK(fake_cupti_tell(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &launch));
    tell_call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_EXIT, true);
    return 0;
}

/* The program has loaded the driver that TEST_DRIVER names. */
static int gpus(void)
{
    CHECK(dlopen(getenv("TEST_DRIVER"), RTLD_NOW));
    initialize();
    return 0;
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } scenes[] = {
        {"idle", idle},
        {"plain", plain},
        {"launches_alone", launches_alone},
        {"sampled", sampled},
        {"closed_stdio", closed_stdio},
        {"closed_files", closed_files},
        {"threads", threads},
        {"exit_threads", exit_threads},
        {"slow_disk", slow_disk},
        {"exit_decoding", exit_decoding},
        {"stuck_disk", stuck_disk},
        {"stuck_flush", stuck_flush},
        {"slow_end", slow_end},
        {"endless_end", endless_end},
        {"late", late},
        {"forks_with_buffers", forks_with_buffers},
        {"forks_before_cuda", forks_before_cuda},
        {"refused_for_a_while", refused_for_a_while},
        {"refused_and_killed", refused_and_killed},
        {"counters_range", counters_range},
        {"gpus", gpus},
        {"taken_over", taken_over},
        {"unfinished", unfinished},
        {"drops", drops},
        {"ranges", ranges},
        {"waits", waits},
        {"kernels", kernels},
        {"hard_exit", hard_exit},
        {"killed", killed},
        {"crashes", crashes},
        {"forks", forks},
        {"forks_and_execs", forks_and_execs},
        {"full_disk", full_disk},
        {"defaults", defaults},
        {"defaults_of_12", defaults_of_12},
        {"everything", everything},
        {"profiler", profiler},
        {"callbacks", callbacks},
        {"range", range},
        {"range_domain", range_domain},
        {"range_events", range_events},
        {"range_threads", range_threads},
        {"range_deep", range_deep},
        {"range_wide", range_wide},
        {"range_unrecorded", range_unrecorded},
        {"many_names", many_names},
        {"when_occurrences", when_occurrences},
        {"when_killed", when_killed},
        {"when_never", when_never},
        {"when_slower", when_slower},
        {"when_thread_ends", when_thread_ends},
        {"when_file", when_file},
        {"when_sampled", when_sampled},
        {"forks_with_lock", forks_with_lock},
        {"window", window},
        {"calls", calls},
        {"managed", managed},
        {"managed_at_once", managed_at_once},
        {"device_launches", device_launches},
        {"device_launches_linked", device_launches_linked},
        {"managed_without", managed_without},
        {"managed_without_in_range", managed_without_in_range},
        {"device_launches_in_range", device_launches_in_range},
        {"device_launches_unreadable", device_launches_unreadable},
        {"device_launches_unshown", device_launches_unshown},
        {"device_launches_many", device_launches_many},
        {"device_launches_too_many", device_launches_too_many},
        {"device_launches_late", device_launches_late},
        {"device_launches_refused", device_launches_refused},
        {"device_code_alone", device_code_alone},
        {"refused", refused},
        {"subscribed_by_another", subscribed_by_another},
        {"forwards", forwards},
    };
    library = dlopen(getenv("CUDA_INJECTION64_PATH"), RTLD_NOW);
    CHECK(library && count == 2);
    for (size_t i = 0; i < COUNT_OF(scenes); i++)
        if (!strcmp(scenes[i].name, arguments[1]))
            return scenes[i].run();
    return 99;
}
