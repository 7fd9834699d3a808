/* How is a launch, a copy or the host of the program delayed? */
#define _GNU_SOURCE
#include "collector/inject/guest_delays.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "collector/activity/activity_buffers.h"
#include "collector/activity/kernel_filter.h"
#include "collector/inject/copy_calls.h"
#include "collector/inject/delay_schedule.h"
#include "core/base/causal_plan.h"

/* For every GPU that CUDA 12 knows. Should the timer stand still, the count of rounds, each of which takes more than a
 * nanosecond, ends the wait. */
static const char delay_code[] = ".version 6.0\n"
                                 ".target sm_50\n"
                                 ".address_size 64\n"
                                 ".visible .entry " CAUSAL_KERNEL "(.param .u64 wait_ns)\n"
                                 "{\n"
                                 "    .reg .pred %p<3>;\n"
                                 "    .reg .b64 %rd<6>;\n"
                                 "    ld.param.u64 %rd1, [wait_ns];\n"
                                 "    mov.u64 %rd2, %globaltimer;\n"
                                 "    mov.u64 %rd3, 0;\n"
                                 "AGAIN:\n"
                                 "    mov.u64 %rd4, %globaltimer;\n"
                                 "    sub.u64 %rd5, %rd4, %rd2;\n"
                                 "    setp.ge.u64 %p1, %rd5, %rd1;\n"
                                 "    @%p1 bra DONE;\n"
                                 "    add.u64 %rd3, %rd3, 1;\n"
                                 "    setp.lt.u64 %p2, %rd3, %rd1;\n"
                                 "    @%p2 bra AGAIN;\n"
                                 "DONE:\n"
                                 "    ret;\n"
                                 "}\n";

#define DRIVER_FUNCTIONS(X)                                                                                            \
    X(cuKernelGetFunction)                                                                                             \
    X(cuLaunchKernel)                                                                                                  \
    X(cuLibraryGetKernel)                                                                                              \
    X(cuLibraryLoadData)                                                                                               \
    X(cuStreamIsCapturing)                                                                                             \
    X(cuThreadExchangeStreamCaptureMode)

/* The host may wait longer than it was asked to by one of so many parts. */
enum { HOST_LATE_PART = 10 };

static struct {
    struct causal_plan plan;
    uint64_t seed;
    pthread_mutex_t lock; /* guards the filters and the schedule; nothing of CUDA is called while it is held */
    struct kernel_filter filters[CAUSAL_TARGETS_MAX];
    struct delay_schedule schedule;
    bool has_copies;                             /* among the targets */
    _Atomic int64_t launches, captured, refused; /* with a delay, and the two reasons to have none */
    _Atomic int64_t host_asked_ns, host_waited_ns;
    struct {
#define DRIVER_MEMBER(name) __typeof__(name) *name;
        DRIVER_FUNCTIONS(DRIVER_MEMBER)
#undef DRIVER_MEMBER
    } driver;
    CUkernel kernel; /* NULL: it could not be loaded */
} delays = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local bool is_inside; /* our own launch */

/* ---- the calls ---- */

static CUstream stream_of_plain(const void *params)
{
    return ((const cuLaunchKernel_params *)params)->hStream;
}

static CUstream stream_of_extended(const void *params)
{
    const CUlaunchConfig *config = ((const cuLaunchKernelEx_params *)params)->config;
    return config ? config->hStream : NULL;
}

static CUstream stream_of_cooperative(const void *params)
{
    return ((const cuLaunchCooperativeKernel_params *)params)->hStream;
}

const CUpti_CallbackId guest_delay_calls[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
};
const size_t guest_delay_call_count = sizeof guest_delay_calls / sizeof guest_delay_calls[0];

/* In the order of guest_delay_calls. */
static const struct {
    CUstream (*stream_of)(const void *params);
    bool of_thread; /* its default stream is the thread's */
} ways[] = {{stream_of_plain, false},   {stream_of_plain, true},        {stream_of_extended, false},
            {stream_of_extended, true}, {stream_of_cooperative, false}, {stream_of_cooperative, true}};

static size_t way_of(CUpti_CallbackId call)
{
    size_t way = 0;
    while (way < guest_delay_call_count && guest_delay_calls[way] != call)
        way++;
    return way;
}

/* ---- the kernel that waits ---- */

/* Uses the library that the program has loaded; we never load it. */
static bool find_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
#define DRIVER_RESOLVE(name)                                                                                           \
    if (!library || !(*(void **)&delays.driver.name = dlsym(library, #name)))                                          \
        return false;
    DRIVER_FUNCTIONS(DRIVER_RESOLVE)
#undef DRIVER_RESOLVE
    return true;
}

/* A kernel of a library belongs to no context: a launch takes that of its stream. Loading is refused while any thread
 * records a graph, unless this one says that it knows. In the first context it is loaded here, as code that is loaded
 * at a launch may wait for what runs. */
static void load(void)
{
    CUfunction function = NULL;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    CUlibrary library = NULL;
    CUkernel kernel = NULL;
    if (!find_driver())
        return;
    delays.driver.cuThreadExchangeStreamCaptureMode(&mode);
    if (!delays.driver.cuLibraryLoadData(&library, delay_code, NULL, NULL, 0, NULL, NULL, 0) &&
        !delays.driver.cuLibraryGetKernel(&kernel, library, CAUSAL_KERNEL))
        delays.kernel = kernel;
    if (delays.kernel)
        delays.driver.cuKernelGetFunction(&function, delays.kernel);
    delays.driver.cuThreadExchangeStreamCaptureMode(&mode);
}

/* Nobody waits for the thread that loads, which may need locks that others hold. */
static bool is_loaded(void)
{
    enum { NOT_YET, UNDER_WAY, DONE };
    static _Atomic int state = NOT_YET;
    int found = NOT_YET;
    if (atomic_compare_exchange_strong(&state, &found, UNDER_WAY)) {
        load();
        atomic_store(&state, found = DONE);
    }
    return found == DONE && delays.kernel;
}

/* A stream of which that cannot be said is left alone: it may be the default one while another one records. */
static bool is_capturing(CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return delays.driver.cuStreamIsCapturing(stream, &status) || status != CU_STREAM_CAPTURE_STATUS_NONE;
}

/* Where the host has waited, the kernel only tells of it. */
static bool launch(CUstream stream, size_t target, size_t dose, bool on_host)
{
    uint64_t wait_ns = on_host || dose == CAUSAL_OUT_OF_TURN ? 0 : (uint64_t)delays.plan.doses_ns[dose];
    void *parameters[] = {&wait_ns};
    return !delays.driver.cuLaunchKernel((CUfunction)delays.kernel, 1, 1, 1, (unsigned)dose + 1, (unsigned)target + 1,
                                         1, 0, stream, parameters, NULL);
}

/* ---- which calls ---- */

/* A call that is about to start work. */
struct starting {
    const char *symbol; /* of a kernel; NULL: a copy */
    struct copy_call copy;
    CUstream stream;
};

static bool read_kernel(struct starting *s, CUpti_CallbackId call, const CUpti_CallbackData *data)
{
    const size_t way = way_of(call);
    if (way == guest_delay_call_count || !data->symbolName)
        return false;
    s->symbol = data->symbolName;
    s->stream = ways[way].stream_of(data->functionParams);
    if (!s->stream && ways[way].of_thread)
        s->stream = CU_STREAM_PER_THREAD;
    return true;
}

static bool read_copy(struct starting *s, CUpti_CallbackId call, const CUpti_CallbackData *data)
{
    if (!delays.has_copies || !copy_calls_read(call, data->functionParams, &s->copy))
        return false;
    s->symbol = NULL;
    s->stream = s->copy.stream;
    return true;
}

/* The caller holds the lock. */
static bool is_of(const struct starting *s, size_t index)
{
    const struct causal_target *target = &delays.plan.targets[index];
    if (target->pattern)
        return s->symbol && kernel_filter_wants(&delays.filters[index], s->symbol);
    return !s->symbol && (!target->copies || target->copies == (uint32_t)s->copy.kind);
}

/* Returns the first target of this place that it belongs to; target_count: there is none. */
static size_t find_target(const struct starting *s, bool on_host)
{
    size_t target = 0;
    pthread_mutex_lock(&delays.lock);
    while (target < delays.plan.target_count && (delays.plan.targets[target].on_host != on_host || !is_of(s, target)))
        target++;
    pthread_mutex_unlock(&delays.lock);
    return target;
}

static size_t take_turn(size_t target)
{
    pthread_mutex_lock(&delays.lock);
    const size_t dose = delay_schedule_take(&delays.schedule, target, buffer_now_ns());
    pthread_mutex_unlock(&delays.lock);
    return dose;
}

/* The program's thread computes, so to speak: it does not sleep, which would take longer than it was asked to. */
static void wait_on_host(size_t dose)
{
    const int64_t wait_ns = dose == CAUSAL_OUT_OF_TURN ? 0 : delays.plan.doses_ns[dose], from_ns = buffer_now_ns();
    int64_t waited_ns = 0;
    while (waited_ns < wait_ns)
        waited_ns = buffer_now_ns() - from_ns;
    atomic_fetch_add(&delays.host_asked_ns, wait_ns);
    atomic_fetch_add(&delays.host_waited_ns, waited_ns);
}

static void delay(size_t target, CUstream stream)
{
    const bool on_host = delays.plan.targets[target].on_host;
    const size_t dose = take_turn(target);
    if (on_host)
        wait_on_host(dose);
    const bool launched = launch(stream, target, dose, on_host);
    atomic_fetch_add(launched ? &delays.launches : &delays.refused, 1);
}

/* The host waits first. What is recorded of it stands in front of the delay on the stream. */
static void delay_all(const size_t targets[2], bool loaded, CUstream stream)
{
    const bool captured = loaded && is_capturing(stream);
    for (size_t i = 0; i < 2; i++) {
        if (targets[i] == delays.plan.target_count)
            continue;
        if (!loaded || captured)
            atomic_fetch_add(captured ? &delays.captured : &delays.refused, 1);
        else
            delay(targets[i], stream);
    }
}

int64_t guest_delays_take(CUpti_CallbackId call, const CUpti_CallbackData *data)
{
    struct starting s;
    if (is_inside || data->callbackSite != CUPTI_API_ENTER || !data->functionParams)
        return 0;
    is_inside = true;
    const bool is_start = read_kernel(&s, call, data) || read_copy(&s, call, data);
    const bool loaded = is_start && is_loaded(); /* at the first call of any, before something waits for a target */
    const int64_t from_ns = buffer_cpu_ns();
    if (is_start) {
        const size_t targets[] = {find_target(&s, true), find_target(&s, false)};
        delay_all(targets, loaded, s.stream);
    }
    is_inside = false;
    return buffer_cpu_ns() - from_ns;
}

/* ---- the beginning and the end ---- */

int guest_delays_init(const struct guest_settings *settings, struct err *e)
{
    int rc = causal_plan_init(&delays.plan, settings->causal, settings->doses ? settings->doses : CAUSAL_DOSES, e);
    for (size_t i = 0; i < delays.plan.target_count && !rc; i++)
        if (delays.plan.targets[i].pattern)
            rc = kernel_filter_init(&delays.filters[i], delays.plan.targets[i].pattern, e);
        else
            delays.has_copies = true;
    if (rc)
        return rc;
    delays.seed = (uint64_t)buffer_now_ns() & INT64_MAX;
    delay_schedule_init(&delays.schedule, delays.plan.target_count, delays.plan.dose_count, delays.seed);
    return 0;
}

json_t *guest_delays_facts(void)
{
    if (!delays.plan.target_count)
        return NULL;
    pthread_mutex_lock(&delays.lock);
    const json_int_t blocks = delays.schedule.blocks;
    pthread_mutex_unlock(&delays.lock);
    return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "seed", (json_int_t)delays.seed, "launches",
                     (json_int_t)atomic_load(&delays.launches), "captured", (json_int_t)atomic_load(&delays.captured),
                     "refused", (json_int_t)atomic_load(&delays.refused), "blocks", blocks, "host_asked_ns",
                     (json_int_t)atomic_load(&delays.host_asked_ns), "host_waited_ns",
                     (json_int_t)atomic_load(&delays.host_waited_ns));
}

const char *guest_delays_missing(void)
{
    if (atomic_load(&delays.refused))
        return delays.kernel ? "the driver refused to launch some of them"
                             : "the driver could not load the kernel that waits: it takes CUDA 12.0 and its compiler "
                               "of PTX";
    if (atomic_load(&delays.captured))
        return "kernels and copies that were launched while a CUDA graph was recorded are not delayed, nor is the graph";
    const int64_t asked_ns = atomic_load(&delays.host_asked_ns);
    return atomic_load(&delays.host_waited_ns) > asked_ns + asked_ns / HOST_LATE_PART
               ? "the host waited for more than a tenth longer than it was asked to: its CPU was busy"
               : NULL;
}

bool guest_delays_want_copies(void)
{
    return delays.has_copies;
}
