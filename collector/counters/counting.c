/* Which launches are counted, and how? Everything happens in CUPTI's callbacks, on
 * the program's own threads, one launch at a time. */
#define _GNU_SOURCE
#include "collector/counters/counting.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/activity/kernel_filter.h"
#include "collector/counters/chosen_launches.h"
#include "collector/counters/counters_output.h"
#include "collector/counters/driver_questions.h"
#include "collector/dynload/cupti_api.h"
#include "collector/inject/guest_settings.h"
#include "collector/inject/nvtx_watch.h"
#include "collector/profiler/range_profiler.h"
#include "core/base/array.h"
#include "core/base/clock.h"

/* The most launches counted of one kernel, besides the very first one, and of all kernels together: each takes a good
 * part of a second. */
enum { LAUNCHES_PER_KERNEL = 3, LAUNCHES_MAX = 256, METRICS_MAX = 512 };

enum watch { NOT_YET, UNDER_WAY, WATCHING, REFUSED };

struct kernel_state {
    long seen, counted;
};

static struct {
    struct guest_settings settings;
    struct cupti_api api;
    CUpti_SubscriberHandle subscriber;
    struct kernel_filter filter;
    struct chosen_launches *chosen; /* NULL: the first ones of each kernel that the filter wants */
    char *metrics[METRICS_MAX];
    size_t metric_count;
    _Atomic int watch;
    struct err refusal;  /* written once, before REFUSED */
    atomic_bool is_over; /* in a forked child and at the end */
    _Atomic pid_t pid;   /* the process that counts; 0 before the start, in a forked child and at the end */

    /* Held from before a launch until after it, including CUPTI's work in between: while one launch is replayed no
     * other may begin. CUPTI's own calls reach us on the same thread, which checks `nesting` first. */
    pthread_mutex_t turn;
    struct range_profiler *profiler; /* the fields below are guarded by the turn */
    bool is_off;                     /* counters are refused */
    int64_t spent_ns;                /* on replays */
    CUcontext context;               /* of the profiler */
    int device;
    struct counters_output output;
    struct {
        struct kernel_state *items; /* index: id of the kernel minus 1 */
        size_t count, capacity;
    } kernels;
} counting = {.turn = PTHREAD_MUTEX_INITIALIZER};

/* What this thread is doing. */
static _Thread_local struct {
    int nesting;     /* launches and our own work, nested */
    bool is_counted; /* the launch is being replayed */
    bool is_warm_up;
    int64_t begin_ns;
    uint32_t kernel;
    long launch;
} here;

/* The parameters of a launch, whichever call makes it. */
struct launch_request {
    CUfunction function;
    CUstream stream;
    uint32_t grid[3], block[3];
    size_t shared_dynamic_bytes;
};

static struct launch_shape shape_of(const struct launch_request *r)
{
    return (struct launch_shape){(unsigned long long)r->grid[0] * r->grid[1] * r->grid[2],
                                 r->block[0] * r->block[1] * r->block[2], r->shared_dynamic_bytes};
}

/* ---- the calls ---- */

static bool read_plain(struct launch_request *r, const void *params)
{
    const cuLaunchKernel_params *p = params;
    *r = (struct launch_request){p->f,
                                 p->hStream,
                                 {p->gridDimX, p->gridDimY, p->gridDimZ},
                                 {p->blockDimX, p->blockDimY, p->blockDimZ},
                                 p->sharedMemBytes};
    return true;
}

static bool read_extended(struct launch_request *r, const void *params)
{
    const cuLaunchKernelEx_params *p = params;
    const CUlaunchConfig *c = p->config;
    if (!c)
        return false;
    *r = (struct launch_request){p->f,
                                 c->hStream,
                                 {c->gridDimX, c->gridDimY, c->gridDimZ},
                                 {c->blockDimX, c->blockDimY, c->blockDimZ},
                                 c->sharedMemBytes};
    return true;
}

static bool read_cooperative(struct launch_request *r, const void *params)
{
    const cuLaunchCooperativeKernel_params *p = params;
    *r = (struct launch_request){p->f,
                                 p->hStream,
                                 {p->gridDimX, p->gridDimY, p->gridDimZ},
                                 {p->blockDimX, p->blockDimY, p->blockDimZ},
                                 p->sharedMemBytes};
    return true;
}

/* The launch of a graph has no parameters of a kernel: its kernels are not seen one by one. */
static const struct {
    CUpti_CallbackId call;
    bool (*read)(struct launch_request *r, const void *params); /* false: CUDA will refuse the launch */
} calls[] = {
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, read_plain},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, read_plain},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, read_extended},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz, read_extended},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, read_cooperative},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz, read_cooperative},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, NULL},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz, NULL},
};
enum { CALLS = sizeof calls / sizeof calls[0] };

/* ---- which launches ---- */

static struct kernel_state *state_of(const char *symbol, uint32_t *id)
{
    *id = strtab_add(&counting.output.kernels, symbol);
    while (*id > counting.kernels.count)
        if (!ARRAY_PUSH(&counting.kernels))
            return NULL;
    return *id ? &counting.kernels.items[*id - 1] : NULL;
}

/* Returns why a wanted launch cannot be replayed; NULL when it can. */
static const char *why_not(const char *symbol, const struct launch_request *request, CUcontext context)
{
    if (!strncmp(symbol, "nccl", 4))
        return "it waits for other GPUs, and would for ever while it is replayed";
    if (driver_is_capturing(request->stream))
        return "it is launched while a CUDA graph is recorded: only replays of the graph run it";
    if (counting.context && context != counting.context)
        return "it runs in another context than the first one: counters are read of one GPU";
    return NULL;
}

static bool is_in_scope(void)
{
    return !counting.settings.range || nvtx_watch_is_open();
}

/* Enters why the launch cannot be replayed. */
static bool can_be_replayed(const CUpti_CallbackData *data, const struct launch_request *request)
{
    const char *reason = why_not(data->symbolName, request, data->context);
    if (reason)
        counters_output_missing(&counting.output, data->symbolName, reason);
    return !reason;
}

/* What is welcome has half of the time, so that something is left for what was chosen of kernels that come later. */
static bool is_time_left(enum launch_choice choice)
{
    const int64_t most_ns = counting.settings.replay_ns / (choice == LAUNCH_CHOSEN ? 1 : 2);
    return !counting.settings.replay_ns || counting.spent_ns < most_ns;
}

/* The very first launch is charged for what CUPTI does at its start: any one of a kernel that is in the list serves. */
static bool is_chosen(const CUpti_CallbackData *data, const struct launch_request *request)
{
    const char *text;
    if (driver_is_capturing(request->stream))
        return false; /* it does not run, so the trace in which it was chosen does not count it */
    const enum launch_choice choice =
        chosen_launches_take(counting.chosen, data->symbolName, request->grid, request->block, &here.launch, &text);
    if (choice == LAUNCH_OF_OTHERS || (choice == LAUNCH_LISTED && counting.output.launches.count))
        return false;
    here.is_warm_up = choice == LAUNCH_LISTED;
    if (is_time_left(choice))
        return state_of(text, &here.kernel) && can_be_replayed(data, request);
    if (choice == LAUNCH_CHOSEN)
        counters_output_missing(&counting.output, "counters",
                                "the time for replays was over: --replay=TIME gives them more");
    return false;
}

/* Adds the launch to the count of its kernel. */
static bool is_among_first(const CUpti_CallbackData *data, const struct launch_request *request)
{
    if (!kernel_filter_wants(&counting.filter, data->symbolName))
        return false;
    struct kernel_state *state = state_of(data->symbolName, &here.kernel);
    if (!state)
        return false;
    here.launch = state->seen++;
    /* the very first launch is charged for what CUPTI does at its start, so its kernel gets one more */
    const bool had_the_first =
        counting.output.launches.count && counting.output.launches.items[0].kernel == here.kernel;
    if (state->counted >= LAUNCHES_PER_KERNEL + had_the_first || counting.output.launches.count >= LAUNCHES_MAX)
        return false;
    return can_be_replayed(data, request);
}

static bool is_wanted(const CUpti_CallbackData *data, const struct launch_request *request)
{
    return data->symbolName && is_in_scope() &&
           (counting.chosen ? is_chosen(data, request) : is_among_first(data, request));
}

static void note_graph(void)
{
    if (is_in_scope())
        counters_output_missing(&counting.output, "counters of CUDA graphs",
                                "the kernels of a graph are not launched one by one: run without graphs to count them");
}

/* ---- counting one ---- */

static void give_up(const struct err *e)
{
    counting.is_off = true;
    counters_output_missing(&counting.output, "counters", e->text);
}

static void note_unknown(const bool *accepted)
{
    for (size_t i = 0; i < counting.metric_count; i++)
        if (!accepted[i])
            counters_output_missing(&counting.output, counting.metrics[i], "this chip has no metric of that name");
}

/* The first wanted launch opens it, so a program without one loads nothing. */
static int open_profiler(CUcontext context, struct err *e)
{
    bool accepted[METRICS_MAX] = {false};
    counting.device = driver_current_device();
    const struct range_profiler_request request = {.api = &counting.api,
                                                   .context = context,
                                                   .device = counting.device,
                                                   .names = (const char *const *)counting.metrics,
                                                   .count = counting.metric_count};
    int rc = range_profiler_new(&counting.profiler, &request, accepted, e);
    if (rc)
        return rc;
    counting.context = context;
    note_unknown(accepted);
    json_object_set_new(counting.output.report, "gpu", driver_describe_gpu(counting.device));
    json_object_set_new(counting.output.report, "counters",
                        json_pack("{s:I,s:I}", "metrics", (json_int_t)counting.metric_count, "passes",
                                  (json_int_t)range_profiler_passes(counting.profiler)));
    return 0;
}

static void begin(const CUpti_CallbackData *data, const struct launch_request *request)
{
    struct err e = {0};
    const struct launch_shape shape = shape_of(request);
    here.begin_ns = clock_now_ns();
    int rc = counting.profiler ? 0 : open_profiler(data->context, &e);
    if (!rc)
        rc = range_profiler_begin(counting.profiler, &e);
    if (rc) {
        give_up(&e);
        return;
    }
    here.is_counted = true;
    if (!counting.kernels.items[here.kernel - 1].counted)
        counters_output_kernel(&counting.output, here.kernel,
                               driver_describe_launch(request->function, &shape, counting.device));
}

static void end(void)
{
    struct err e = {0};
    double *values = NULL;
    size_t kernels = 0;
    here.is_counted = false;
    int rc = range_profiler_end(counting.profiler, &values, &kernels, &e);
    if (!rc && kernels != 1)
        rc = err_set(&e, ERR_ENVIRONMENT, "CUPTI counted %zu kernels in one launch", kernels);
    counting.spent_ns += clock_now_ns() - here.begin_ns;
    if (rc) {
        free(values);
        give_up(&e);
        return;
    }
    counting.kernels.items[here.kernel - 1].counted++;
    if (counters_output_add(&counting.output, here.kernel, here.launch, here.is_warm_up, values, &e))
        give_up(&e);
}

/* ---- callbacks ---- */

static void before_launch(size_t call, const CUpti_CallbackData *data)
{
    struct launch_request request;
    pthread_mutex_lock(&counting.turn);
    if (counting.is_off || atomic_load(&counting.is_over))
        return;
    if (!calls[call].read) {
        note_graph();
        return;
    }
    if (data->functionParams && calls[call].read(&request, data->functionParams) && is_wanted(data, &request))
        begin(data, &request);
}

/* This also runs at the end of the program: another thread that the ending one waits for may be waiting for its
 * turn. */
static void after_launch(void)
{
    const bool is_over = atomic_load(&counting.is_over);
    if (here.is_counted && !is_over)
        end();
    here.is_counted = false;
    if (!is_over)
        counters_output_write(&counting.output, NULL); /* the program may be killed later */
    pthread_mutex_unlock(&counting.turn);
}

/* A launch inside a launch is CUPTI's replay and is not counted. */
static void on_launch(size_t call, const CUpti_CallbackData *data)
{
    if (data->callbackSite == CUPTI_API_ENTER) {
        if (here.nesting++ == 0)
            before_launch(call, data);
    } else if (here.nesting > 0 && --here.nesting == 0) {
        here.nesting = 1; /* so that calls made by `end` stay nested */
        after_launch();
        here.nesting = 0;
    }
}

static void CUPTIAPI called(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId call, const void *data)
{
    (void)user;
    const bool is_over = atomic_load(&counting.is_over);
    if (!data || (is_over && !here.nesting))
        return;
    if (domain == CUPTI_CB_DOMAIN_NVTX) {
        if (!is_over)
            nvtx_watch_take(call, data);
        return;
    }
    if (!here.nesting && atomic_load(&counting.pid) != getpid())
        return;
    for (size_t i = 0; i < CALLS; i++)
        if (calls[i].call == call) {
            on_launch(i, data);
            return;
        }
}

static int attach(struct err *e)
{
    CUptiResult result = counting.api.cuptiSubscribe(&counting.subscriber, called, NULL);
    if (result)
        return cupti_error(&counting.api, result, "attach to the program", e);
    for (size_t i = 0; i < CALLS && !result; i++)
        result = counting.api.cuptiEnableCallback(1, counting.subscriber, CUPTI_CB_DOMAIN_DRIVER_API, calls[i].call);
    for (size_t i = 0; i < nvtx_watch_call_count && counting.settings.range && !result; i++)
        result = counting.api.cuptiEnableCallback(1, counting.subscriber, CUPTI_CB_DOMAIN_NVTX, nvtx_watch_calls[i]);
    return result ? cupti_error(&counting.api, result, "watch the program's launches", e) : 0;
}

/* ---- the life ---- */

/* The texts live as long as the process. */
static int split_metrics(const char *metrics, struct err *e)
{
    char *text = strdup(metrics), *rest = NULL;
    if (!text)
        return err_memory(e);
    for (char *name = strtok_r(text, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        if (counting.metric_count == METRICS_MAX)
            return err_set(e, ERR_USAGE, "more than %d counters are asked for", METRICS_MAX);
        counting.metrics[counting.metric_count++] = name;
    }
    return counting.metric_count ? 0 : err_set(e, ERR_USAGE, "no counter is asked for");
}

static void go_quiet(void)
{
    atomic_store(&counting.is_over, true);
    atomic_store(&counting.pid, 0);
}

/* CUPTI's objects are left as they are: the context may already be gone. */
void counting_finish(void)
{
    go_quiet();
}

static void load(void)
{
    if (!guest_settings_read(&counting.settings, &counting.refusal))
        cupti_api_load(&counting.api, &counting.refusal);
}

/* From here on launches are reported; from counting_start on they are considered. A second caller does not wait for the
 * first: CUPTI may start CUDA and so call us again on this thread. */
static int watch(struct err *e)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int found = NOT_YET;
    pthread_once(&once, load);
    if (!atomic_compare_exchange_strong(&counting.watch, &found, UNDER_WAY))
        return found == REFUSED ? err_set(e, counting.refusal.code, "%s", counting.refusal.text) : 0;
    int rc = counting.refusal.code;
    if (!rc && counting.settings.range)
        nvtx_watch_init(counting.settings.range, counting.settings.range_domain);
    if (!rc)
        rc = attach(&counting.refusal);
    atomic_store(&counting.watch, rc ? REFUSED : WATCHING);
    return rc ? err_set(e, rc, "%s", counting.refusal.text) : 0;
}

int counting_watch(char *why, size_t why_bytes)
{
    struct err e = {0};
    int rc = watch(&e);
    snprintf(why, why_bytes, "%s", e.text);
    return rc;
}

static int start(const char *directory, const char *metrics, struct err *e)
{
    int rc = watch(e);
    if (!rc)
        rc = split_metrics(metrics, e);
    if (!rc)
        rc = kernel_filter_init(&counting.filter, counting.settings.kernels, e);
    if (!rc && counting.settings.launches)
        rc = chosen_launches_read(&counting.chosen, counting.settings.launches, e);
    if (!rc)
        rc = counters_output_init(&counting.output, directory, counting.metrics, counting.metric_count, e);
    return rc;
}

int counting_start(const char *directory, const char *metrics, char *why, size_t why_bytes)
{
    struct err e = {0};
    int rc = start(directory, metrics, &e);
    if (rc) {
        go_quiet();
        snprintf(why, why_bytes, "%s", e.text);
        return rc;
    }
    counters_output_write(&counting.output, NULL);
    pthread_atfork(NULL, NULL, go_quiet);
    atomic_store(&counting.pid, getpid()); /* now the callbacks have all that they need */
    return 0;
}
