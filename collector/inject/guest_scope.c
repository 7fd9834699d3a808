/* Should this moment be recorded? */
#define _GNU_SOURCE
#include "collector/inject/guest_scope.h"

#include <pthread.h>
#include <stdatomic.h>

#include "collector/activity/activity.h"
#include "collector/activity/activity_buffers.h"
#include "collector/inject/copy_calls.h"
#include "collector/inject/device_runtime.h"
#include "collector/inject/guest_delays.h"
#include "collector/inject/guest_edges.h"
#include "collector/inject/guest_launching.h"
#include "collector/inject/guest_migrations.h"
#include "collector/inject/guest_samples.h"
#include "collector/inject/guest_trigger.h"
#include "collector/inject/nvtx_watch.h"

enum { RETRY_NS = 1000000000 };

enum watch { NOT_YET, UNDER_WAY, WATCHING, REFUSED };

enum recording { OFF, ON, UNSURE }; /* the state that CUPTI accepted last; UNSURE when it refused a part */

static struct {
    const struct cupti_api *api;
    CUpti_SubscriberHandle subscriber;
    _Atomic int watch;
    struct err refusal;        /* written once, before REFUSED */
    int64_t open_ns, close_ns; /* written once, before `ready` */
    atomic_bool ready;
    atomic_bool stopped;
    atomic_bool started; /* by cudaProfilerStart, or because recording begins at the start */
    bool has_range, has_delays, has_edges, has_trigger, has_migrations, has_modules;
    const struct range_watch *_Atomic ranges; /* NULL when no range was asked for */
    _Atomic int64_t callbacks_ns;
    struct err failure; /* the first failure to switch; written once, before `has_failed` */
    atomic_bool has_failed;
    _Atomic int64_t retry_ns; /* a refused switch is not tried again before this time */
    pthread_mutex_t lock;     /* guards the fields below; never held across a call of CUPTI */
    bool applying;
    enum recording recording;
} scope = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_wanted(void)
{
    const int64_t now_ns = buffer_now_ns();
    return atomic_load(&scope.started) && now_ns >= scope.open_ns && now_ns < scope.close_ns &&
           (!scope.has_trigger || guest_trigger_is_on(now_ns)) && (!scope.has_range || nvtx_watch_is_open());
}

/* The caller holds the lock. */
static bool is_due(bool wanted)
{
    return scope.recording != (wanted ? ON : OFF) && buffer_now_ns() >= atomic_load(&scope.retry_ns);
}

/* Called by the thread that applies. */
static void note_refusal(const struct err *e)
{
    atomic_store(&scope.retry_ns, buffer_now_ns() + RETRY_NS);
    if (!atomic_load(&scope.has_failed)) {
        scope.failure = *e;
        atomic_store(&scope.has_failed, true);
    }
    activity_wake();
}

/* Called without the lock by the thread that applies. Half of the records would be useless, and would still cost. */
static enum recording switch_to(bool wanted, struct err *e)
{
    if (!activity_collect(wanted, e))
        return wanted ? ON : OFF;
    note_refusal(e);
    return wanted && !activity_collect(false, NULL) ? OFF : UNSURE;
}

static void tell_others(bool on)
{
    uint64_t now_ns = 0;
    nvtx_watch_recording(on);
    guest_samples_recording(on);
    scope.api->cuptiGetTimestamp(&now_ns);
    guest_trigger_switched(on, (int64_t)now_ns);
}

/* One thread applies at a time. Another one that comes meanwhile leaves it to the first, which checks again before it
 * returns. */
int guest_scope_apply(struct err *e)
{
    struct err failure;
    failure.code = 0; /* clearing the long text would be slow, and NVTX calls are many */
    if (!atomic_load(&scope.ready))
        return 0;
    pthread_mutex_lock(&scope.lock);
    if (!scope.applying) {
        scope.applying = true;
        for (bool wanted; !failure.code && is_due(wanted = is_wanted());) {
            pthread_mutex_unlock(&scope.lock);
            const enum recording recording = switch_to(wanted, &failure);
            tell_others(recording != OFF);
            pthread_mutex_lock(&scope.lock);
            scope.recording = recording;
        }
        scope.applying = false;
    }
    pthread_mutex_unlock(&scope.lock);
    return failure.code ? err_set(e, failure.code, "%s", failure.text) : 0;
}

/* The thread was inside the range. The thread that is woken applies the change; a forked child has no such thread. */
static void on_thread_end(void)
{
    if (atomic_load(&scope.ready) && !atomic_load(&scope.stopped))
        activity_wake();
}

int64_t guest_scope_next_ns(void)
{
    const int64_t now_ns = buffer_now_ns(), retry_ns = atomic_load(&scope.retry_ns);
    const int64_t next_ns = now_ns < scope.open_ns    ? scope.open_ns
                            : now_ns < scope.close_ns ? scope.close_ns
                                                      : INT64_MAX;
    const int64_t trigger_ns = guest_trigger_next_ns(now_ns);
    const int64_t first_ns = trigger_ns < next_ns ? trigger_ns : next_ns;
    return now_ns < retry_ns && retry_ns < first_ns ? retry_ns : first_ns;
}

const struct err *guest_scope_refusal(void)
{
    return atomic_load(&scope.has_failed) ? &scope.failure : NULL;
}

static void on_profiler_start(CUpti_ApiCallbackSite site)
{
    if (site == CUPTI_API_EXIT) {
        atomic_store(&scope.started, true);
        guest_scope_apply(NULL);
    }
}

static void on_profiler_stop(CUpti_ApiCallbackSite site)
{
    if (site == CUPTI_API_ENTER) {
        atomic_store(&scope.started, false);
        guest_scope_apply(NULL);
    }
}

/* At this moment nothing has accessed the memory yet. */
static void on_managed_memory(CUpti_ApiCallbackSite site)
{
    if (site == CUPTI_API_EXIT && scope.has_migrations)
        guest_migrations_start(scope.api, 0);
    else if (site == CUPTI_API_EXIT)
        guest_migrations_leave_out();
}

static const struct {
    CUpti_CallbackDomain domain;
    CUpti_CallbackId call;
    void (*handle)(CUpti_ApiCallbackSite site);
    bool only_profiler_scope;
} calls[] = {
    {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000, on_profiler_start, true},
    {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStop_v4000, on_profiler_stop, true},
    {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, on_profiler_start, true},
    {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop, on_profiler_stop, true},
    {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaMallocManaged_v6000, on_managed_memory, false},
    {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged, on_managed_memory, false},
};
enum { CALLS = sizeof calls / sizeof calls[0] };

static void CUPTIAPI called(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId call, const void *data)
{
    (void)user;
    if (atomic_load(&scope.stopped) || !data)
        return;
    const int64_t start_ns = buffer_cpu_ns();
    if (domain == CUPTI_CB_DOMAIN_NVTX) {
        nvtx_watch_take(call, data);
        guest_scope_apply(NULL);
    }
    if (domain == CUPTI_CB_DOMAIN_RESOURCE)
        guest_launching_take(data);
    for (size_t i = 0; i < CALLS && domain != CUPTI_CB_DOMAIN_NVTX; i++)
        if (calls[i].domain == domain && calls[i].call == call)
            calls[i].handle(((const CUpti_CallbackData *)data)->callbackSite);
    int64_t delay_ns = 0;
    if (scope.has_edges && domain == CUPTI_CB_DOMAIN_DRIVER_API)
        guest_edges_take(call, data);
    if (scope.has_delays && domain == CUPTI_CB_DOMAIN_DRIVER_API)
        delay_ns = guest_delays_take(call, data);
    atomic_fetch_add(&scope.callbacks_ns, buffer_cpu_ns() - start_ns - delay_ns);
}

static int enable_callbacks(const struct guest_settings *settings, struct err *e)
{
    CUptiResult result = CUPTI_SUCCESS;
    for (size_t i = 0; i < CALLS && !result; i++)
        if (!calls[i].only_profiler_scope || !settings->from_start)
            result = scope.api->cuptiEnableCallback(1, scope.subscriber, calls[i].domain, calls[i].call);
    for (size_t i = 0; i < guest_delay_call_count && settings->causal && !result; i++)
        result = scope.api->cuptiEnableCallback(1, scope.subscriber, CUPTI_CB_DOMAIN_DRIVER_API, guest_delay_calls[i]);
    for (size_t i = 0; guest_delays_want_copies() && copy_calls_id(i) && !result; i++)
        result = scope.api->cuptiEnableCallback(1, scope.subscriber, CUPTI_CB_DOMAIN_DRIVER_API, copy_calls_id(i));
    for (size_t i = 0; i < nvtx_watch_call_count && settings->range && !result; i++)
        result = scope.api->cuptiEnableCallback(1, scope.subscriber, CUPTI_CB_DOMAIN_NVTX, nvtx_watch_calls[i]);
    return result ? cupti_error(scope.api, result, "watch the program's calls", e) : 0;
}

static int subscribe(const struct guest_settings *settings, struct err *e)
{
    CUptiResult result = scope.api->cuptiSubscribe(&scope.subscriber, called, NULL);
    return result ? cupti_error(scope.api, result, "attach to the program", e) : enable_callbacks(settings, e);
}

/* What streams wait for is worth a subscription that nobody else has, and no error: the program may have its own. */
static void watch_edges(void)
{
    CUptiResult result = CUPTI_SUCCESS;
    if (!scope.subscriber)
        result = scope.api->cuptiSubscribe(&scope.subscriber, called, NULL);
    if (result || !guest_edges_start(scope.api))
        return;
    scope.has_edges = true;
    for (size_t i = 0; i < guest_edge_call_count && !result; i++)
        result = scope.api->cuptiEnableCallback(1, scope.subscriber, CUPTI_CB_DOMAIN_DRIVER_API, guest_edge_calls[i]);
    if (result)
        guest_edges_forget();
}

void guest_scope_watch_modules(const char *file)
{
    CUptiResult result = CUPTI_SUCCESS;
    if (scope.has_modules || (!scope.subscriber && !file))
        return;
    if (!scope.subscriber)
        result = scope.api->cuptiSubscribe(&scope.subscriber, called, NULL);
    if (!result)
        result = scope.api->cuptiEnableCallback(1, scope.subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                                                CUPTI_CBID_RESOURCE_MODULE_LOADED);
    scope.has_modules = !result;
    if (result && file)
        guest_launching_unseen(file, "and CUPTI does not show it: another profiler may be attached");
}

bool guest_scope_watches_modules(void)
{
    return scope.has_modules;
}

bool guest_scope_needs_calls(const struct guest_settings *settings)
{
    return settings->range || !settings->from_start || settings->causal;
}

bool guest_scope_switches(const struct guest_settings *settings)
{
    return settings->range || !settings->from_start || settings->when || settings->delay_ns || settings->duration_ns;
}

/* A second caller does not wait for the first: CUPTI may start CUDA and so call us again on this thread. */
int guest_scope_watch(const struct cupti_api *api, const struct guest_settings *settings, struct err *e)
{
    int found = NOT_YET;
    if (!atomic_compare_exchange_strong(&scope.watch, &found, UNDER_WAY))
        return found == REFUSED ? err_set(e, scope.refusal.code, "%s", scope.refusal.text) : 0;
    scope.api = api;
    scope.has_range = settings->range && !trigger_rule_counts(&settings->trigger);
    scope.has_trigger = settings->when;
    scope.has_migrations = settings->migrations;
    atomic_store(&scope.started, settings->from_start);
    if (settings->range) {
        nvtx_watch_init(settings->range, settings->range_domain);
        atomic_store(&scope.ranges, nvtx_watch_keep(api->cuptiGetTimestamp, on_thread_end));
    }
    if (settings->when) {
        guest_trigger_init(&settings->trigger, settings->when, settings->directory, settings->duration_ns);
        nvtx_watch_occurrences(guest_trigger_began, guest_trigger_ended);
    }
    scope.has_delays = settings->causal;
    int rc = settings->causal ? guest_delays_init(settings, &scope.refusal) : 0;
    if (!rc && guest_scope_needs_calls(settings))
        rc = subscribe(settings, &scope.refusal);
    if (!rc && settings->all_calls)
        watch_edges();
    if (!rc)
        guest_scope_watch_modules(device_runtime_look());
    atomic_store(&scope.watch, rc ? REFUSED : WATCHING);
    return rc ? err_set(e, rc, "%s", scope.refusal.text) : 0;
}

const struct range_watch *guest_scope_ranges(void)
{
    return atomic_load(&scope.ranges);
}

void guest_scope_start(const struct guest_settings *settings, int64_t start_ns)
{
    scope.open_ns = start_ns + settings->delay_ns;
    scope.close_ns = settings->duration_ns && !settings->when ? scope.open_ns + settings->duration_ns : INT64_MAX;
    atomic_store(&scope.ready, true);
}

void guest_scope_stop(void)
{
    atomic_store(&scope.stopped, true);
}

int64_t guest_scope_callbacks_ns(void)
{
    return atomic_load(&scope.callbacks_ns);
}
