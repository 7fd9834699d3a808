/* How does the guest start, work and end without disturbing the program? */
#define _GNU_SOURCE
#include "collector/inject/guest_life.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/activity/activity.h"
#include "collector/activity/activity_buffers.h"
#include "collector/inject/device_runtime.h"
#include "collector/inject/guest_collectives.h"
#include "collector/inject/guest_counters.h"
#include "collector/inject/guest_delays.h"
#include "collector/inject/guest_edges.h"
#include "collector/inject/guest_file.h"
#include "collector/inject/guest_gpus.h"
#include "collector/inject/guest_launching.h"
#include "collector/inject/guest_migrations.h"
#include "collector/inject/guest_report.h"
#include "collector/inject/guest_samples.h"
#include "collector/inject/guest_scope.h"
#include "collector/inject/guest_settings.h"
#include "collector/inject/guest_stage.h"
#include "collector/inject/guest_stand_aside.h"
#include "collector/inject/guest_trigger.h"
#include "core/base/files.h"
#include "core/base/str.h"

enum { SHARDS_MAX = 1000, EXIT_THREADS = 8, FIRST_FLUSH_NS = 20000000 };

static struct {
    struct guest_settings settings;
    struct cupti_api api;
    struct shard_writer shard;
    struct guest_report report;
    char trace_name[64];
    bool records; /* records a trace; counters are read in another process, because their replay would spoil it */
    struct err unattached; /* why the requested recording is not possible */
    int64_t start_ns;      /* on the events' clock */
    int64_t began_ns;      /* on CLOCK_MONOTONIC */
    int32_t own_thread;
    bool told_refusal;
    pid_t loaded_by;   /* the process in which CUDA or NVTX first called the library */
    _Atomic pid_t pid; /* the process that records; 0 in a forked child */
} guest;

/* Longest time that any thread waits for another, also at exit. */
static int64_t longest_wait_ns(void)
{
    return STAGE_PATIENCES_MAX * guest.settings.patience_ns;
}

static void log_error(const struct err *e)
{
    if (guest.settings.log && e->code)
        dprintf(STDERR_FILENO, "cpprof: %s\n", e->text);
}

static bool is_taken(const char *path)
{
    return access(path, F_OK) == 0;
}

/* The pid may have been used before, by another program or in another container. */
static int open_files(struct err *e)
{
    struct str shard, report;
    str_init(&shard);
    str_init(&report);
    int rc = ERR_ENVIRONMENT;
    for (int n = 0; n < SHARDS_MAX && rc; n++) {
        snprintf(guest.trace_name, sizeof guest.trace_name, "trace-%d-%d.bin", (int)getpid(), n);
        str_clear(&report);
        str_addf(&report, "%s/process-capture-%d-%d.json", guest.settings.directory, (int)getpid(), n);
        if (is_taken(files_join(&shard, guest.settings.directory, guest.trace_name)) || is_taken(str_text(&report)))
            continue;
        rc = shard_writer_open(&guest.shard, str_text(&shard), guest.settings.rank, guest.start_ns, e);
        if (rc && errno != EEXIST)
            break;
        guest.shard.fd = guest_file_above_stdio(guest.shard.fd);
        if (!rc)
            rc = guest_report_open(&guest.report, &guest.settings, n, guest.trace_name, e);
    }
    str_release(&shard);
    str_release(&report);
    return rc;
}

static void write_report(const char *ended_by)
{
    struct guest_cost cost = {.cpu_ns = buffer_cpu_ns(), .callbacks_ns = guest_scope_callbacks_ns()};
    struct err e = {0};
    activity_cost(&cost.trace);
    guest_report_cost(&guest.report, &cost, &guest.shard);
    json_t *when = guest_trigger_facts();
    if (when)
        json_object_set_new(guest.report.members, "when", when);
    json_t *collectives = guest_collectives_facts();
    if (collectives)
        json_object_set_new(guest.report.members, "collectives", collectives);
    const char *why, *what = guest_migrations_missing(&why);
    if (what)
        guest_report_missing(&guest.report, what, why);
    if (guest_launching_missing())
        guest_report_missing(&guest.report, DEVICE_LAUNCHES, guest_launching_missing());
    if (guest.settings.causal && guest.records)
        json_object_set_new(guest.report.members, "causal", guest_delays_facts());
    if (guest_report_write(&guest.report, ended_by, &e))
        log_error(&e);
}

/* The GPUs can be listed once CUDA is up, which the first record proves. */
static void describe_gpus(void)
{
    struct activity_cost cost;
    activity_cost(&cost);
    if (!cost.records || guest.report.asked_gpus)
        return;
    guest_report_gpus(&guest.report);
    write_report(NULL);
}

static void tell_missing(const struct err *e)
{
    if (!e->code)
        return;
    guest_report_missing(&guest.report, guest.settings.metrics ? "counters" : "trace", e->text);
    log_error(e);
}

/* A callback that switches recording cannot report a refusal, so it is reported here. It is written at once, since the
 * program may be killed. */
static void tell_refusal(void)
{
    const struct err *refusal = guest_scope_refusal();
    if (!refusal || !guest.records || guest.told_refusal)
        return;
    struct err e = *refusal;
    guest.told_refusal = true;
    err_context(&e, "recording could not be switched when it was to be, and was tried again every second");
    tell_missing(&e);
    write_report(NULL);
}

/* Flushes CUPTI at intervals that grow, from CUPTI's first buffer up to the requested period. The first records are
 * wanted soon, above all because they show whether managed memory is used. */
struct rhythm {
    int64_t period_ns, next_ns;
    bool has_begun;
};

static void rhythm_step(struct rhythm *r, const struct activity_cost *cost)
{
    const int64_t now_ns = buffer_now_ns(), slowest_ns = guest.settings.flush_ns;
    if (!r->has_begun && cost->buffers) {
        r->has_begun = true;
        r->period_ns = FIRST_FLUSH_NS < slowest_ns ? FIRST_FLUSH_NS : slowest_ns;
        r->next_ns = now_ns + r->period_ns;
    } else if (now_ns >= r->next_ns) {
        r->period_ns = r->period_ns < slowest_ns / 3 * 2 ? r->period_ns / 2 * 3 : slowest_ns;
        r->next_ns = now_ns + r->period_ns;
    }
}

/* A library that came later may bring code that launches kernels, and some of it may be loaded already. */
static void look_for_device_runtime(void)
{
    const char *file = device_runtime_look();
    if (file && !guest_scope_watches_modules()) {
        guest_scope_watch_modules(file);
        guest_launching_unseen(file, "and was loaded after CUDA had started: which kernels do is not known");
    }
}

/* With a subscriber the call itself was seen (guest_scope). */
static void look_for_managed_memory(void)
{
    if (!activity_has_managed())
        return;
    if (guest.settings.migrations)
        guest_migrations_start(&guest.api, buffer_now_ns() - guest.began_ns);
    else
        guest_migrations_leave_out();
}

/* Setting up takes longer than what a condition records, so it must not wait for the first kernel that is recorded. */
static int device_to_sample(void)
{
    const int device = activity_first_device();
    return device < 0 && guest.settings.when ? guest_gpus_first_active() : device;
}

static void sample_gpu(void)
{
    if (guest.settings.sample_ns && !guest_samples_has_begun()) {
        const int device = device_to_sample();
        if (device >= 0)
            guest_samples_begin(&guest.settings, device);
    }
    guest_samples_store(&guest.shard);
}

/* The program waits: the last samples have half of its patience, in which nothing else progresses. */
static void finish_samples(void)
{
    const bool has_kernels = activity_first_device() >= 0;
    if (!guest.settings.sample_ns || !(has_kernels || guest_samples_has_begun()) || guest_stage_has(STAGE_ABANDONED))
        return; /* without a kernel nothing is missing */
    guest_samples_end(guest.settings.patience_ns / 2);
    guest_samples_store(&guest.shard);
    json_t *facts = guest_samples_facts();
    if (facts)
        json_object_set_new(guest.report.members, "samples", facts);
    if (has_kernels && guest_samples_missing())
        guest_report_missing(&guest.report, "samples", guest_samples_missing());
}

static void record(void)
{
    struct rhythm rhythm = {.period_ns = guest.settings.flush_ns, .next_ns = buffer_now_ns() + guest.settings.flush_ns};
    while (!guest_stage_has(STAGE_ENDING)) {
        const int64_t scope_ns =
            guest_scope_next_ns(); /* read before it is applied, so that a change in between ends the wait */
        struct err e = {0};
        guest_scope_apply(NULL);
        tell_refusal();
        activity_wait(scope_ns < rhythm.next_ns ? scope_ns : rhythm.next_ns);
        const bool is_time = buffer_now_ns() >= rhythm.next_ns;
        struct activity_cost cost;
        activity_cost(&cost); /* a program that does nothing on the GPU is not disturbed */
        if (activity_drain(is_time && cost.lent_buffers ? ACTIVITY_FLUSH_ENDED : ACTIVITY_FLUSH_NONE, NULL, NULL, &e))
            tell_missing(&e);
        if (guest_stage_has(STAGE_ABANDONED))
            return; /* the program is exiting: CUPTI and the driver may be gone */
        if (is_time) {
            guest_trigger_look(buffer_now_ns());
            guest_collectives_store(&guest.shard);
        }
        look_for_managed_memory();
        look_for_device_runtime();
        describe_gpus();
        if (guest_trigger_has_news())
            write_report(NULL);
        sample_gpu();
        guest_edges_store(&guest.shard);
        rhythm_step(&rhythm, &cost);
    }
    struct err e = {0};
    if (activity_finish(NULL, NULL, &e))
        tell_missing(&e);
    guest_collectives_stop();
    guest_collectives_store(&guest.shard);
    guest_edges_store(&guest.shard);
    finish_samples();
}

/* Nothing is recorded: there is no shard, and the report has the reason. */
static void give_up_trace(void)
{
    struct str path;
    str_init(&path);
    shard_writer_close(&guest.shard, NULL);
    unlink(files_join(&path, guest.settings.directory, guest.trace_name));
    guest.shard.written_bytes = 0;
    str_release(&path);
    json_object_set_new(guest.report.members, "trace", json_null());
}

/* After a forced flush CUPTI has no buffers. Missing ones went to a consumer that registered after us. */
static void tell_unreturned(void)
{
    struct activity_cost cost;
    struct err e = {0};
    activity_cost(&cost);
    if (!cost.lent_buffers)
        return;
    err_set(&e, ERR_ENVIRONMENT, "%llu buffers of records never came back: another part of the program took CUPTI over",
            (unsigned long long)cost.lent_buffers);
    tell_missing(&e);
}

/* A CUPTI that is older than the GPU refuses nothing and records no work: an empty trace is then no evidence. */
static void tell_workless(void)
{
    const struct shard_writer *w = &guest.shard;
    struct err e = {0};
    if (!guest.records || guest.settings.kernels || !w->launches || w->works || w->dropped[CPPROF_EVENT_KERNEL])
        return;
    err_set(
        &e, ERR_ENVIRONMENT,
        "CUPTI %u recorded calls that launch (%llu) and no work of theirs: they failed, or this CUPTI is older than "
        "the GPU ('cpprof doctor' tries a kernel of its own)",
        guest.api.version, (unsigned long long)w->launches);
    tell_missing(&e);
}

/* Something was begun on one thread and was not finished when another one started. */
static int watch_failed(struct err *e)
{
    if (guest.records)
        return guest_scope_watch(&guest.api, &guest.settings, e);
    return guest.settings.metrics && !guest.unattached.code ? guest_counters_watch(e) : 0;
}

/* The report calls abandoned work "running", because it never ended. */
static void finish(void)
{
    struct err e = {0};
    if (guest_stage_has(STAGE_ABANDONED))
        return;
    tell_unreturned();
    tell_workless();
    tell_refusal();
    if (guest_delays_missing())
        guest_report_missing(&guest.report, "delays", guest_delays_missing());
    if (guest_edges_missing())
        guest_report_missing(&guest.report, "stream waits", guest_edges_missing());
    if (watch_failed(&e))
        tell_missing(&e);
    e = (struct err){0};
    if (shard_writer_close(&guest.shard, &e))
        tell_missing(&e);
    if (!guest.report.asked_gpus && !guest_stage_has(STAGE_ABANDONED))
        guest_report_gpus(&guest.report);
    write_report("exit");
}

/* The program's thread that attaches may still be doing so; it owns the other facts. */
static void tell_late(void)
{
    struct err e = {0};
    err_set(&e, ERR_ENVIRONMENT, "the collector could not be attached to the program within %.3g s",
            (double)longest_wait_ns() / 1e9);
    tell_missing(&e);
    give_up_trace();
    if (guest_report_write(&guest.report, NULL, &e))
        log_error(&e);
}

/* All decoding and writing happens here, with all signals blocked: a signal to the program belongs to the program, and
 * a full disk is an error code. */
static void *live(void *unused)
{
    struct err e = {0};
    guest.own_thread = gettid();
    pthread_setname_np(pthread_self(), "cpprof");
    if (open_files(&e)) {
        log_error(&e);
        guest_stage_enter(STAGE_ABANDONED); /* nothing can be stored, and the program goes on alone */
        return unused;
    }
    guest_stage_enter(STAGE_OPENED);
    if (!guest_stage_await_or_abandon(STAGE_ATTACHED, longest_wait_ns())) {
        tell_late();
        return unused;
    }
    if (guest.api.version)
        guest_report_cupti(&guest.report, &guest.api);
    tell_missing(&guest.unattached);
    if (!guest.records)
        give_up_trace();
    write_report(NULL);
    guest_stage_enter(STAGE_REPORTED);
    if (guest.records)
        record();
    else
        guest_stage_await(STAGE_ENDING, INT64_MAX);
    finish();
    guest_stage_enter(STAGE_ENDED);
    return unused;
}

static int start_thread(struct err *e)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(&thread, NULL, live, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed)
        return err_set(e, ERR_ENVIRONMENT, "cannot start a thread: %s", strerror(failed));
    pthread_detach(thread);
    return 0;
}

/* When several threads exit at once, each takes the next handler from the C library's list, and a thread that finds
 * none left ends the process. So this handler is registered several times, and each call waits, all until one
 * deadline. */
static void at_exit(void)
{
    if (atomic_load(&guest.pid) != getpid())
        return;
    guest_counters_finish();
    guest_stage_enter(STAGE_ENDING);
    activity_wake();
    guest_stage_await_end(guest.settings.patience_ns, activity_progress);
    guest_collectives_stop();
    guest_scope_stop();
    activity_leave();
}

/* A child without exec does not have our thread, and the files belong to its parent. */
static void in_child(void)
{
    atomic_store(&guest.pid, 0);
    guest_collectives_stop();
    guest_samples_in_child();
    guest_scope_stop();
    activity_leave();
}

/* Runs on the program's thread and tells CUPTI what to record. */
static int start_trace(struct err *e)
{
    const struct guest_settings *s = &guest.settings;
    struct activity_options options = {
        .choice = {.all_calls = s->all_calls,
                   .whole_graphs = s->whole_graphs,
                   .annotations = true,
                   .switches = guest_scope_switches(s)},
        .flush_ns = s->flush_ns,
        .waiting_max_bytes = s->memory_bytes,
        .kernels = s->kernels,
        .own_thread = (uint32_t)guest.own_thread,
    };
    int rc = guest_stand_aside(e);
    if (!rc)
        rc = guest_scope_watch(&guest.api, s, e);
    options.watch = guest_scope_ranges();
    guest_launching_init(&guest.api);
    if (!rc)
        rc = activity_start(&guest.api, &guest.shard, &options, e);
    if (rc)
        return rc;
    if (!guest_scope_needs_calls(s))
        record_kinds_watch_managed(&guest.api);
    guest_scope_start(s, buffer_now_ns());
    if ((rc = guest_scope_apply(e)))
        guest_scope_stop(); /* and it is not tried again */
    else
        guest_collectives_start(guest.api.cuptiGetTimestamp);
    guest.records = !rc;
    return rc;
}

static void attach(void)
{
    const struct guest_settings *s = &guest.settings;
    if (guest.unattached.code)
        return;
    if (s->metrics)
        guest_counters_start(s->directory, s->metrics, &guest.unattached);
    else
        start_trace(&guest.unattached);
}

static void detach(void)
{
    guest_counters_finish();
    guest_collectives_stop();
    guest_scope_stop();
    if (guest.records)
        activity_collect(false, NULL);
    activity_leave();
}

static void load(void)
{
    int rc = guest_settings_read(&guest.settings, &guest.unattached);
    guest.loaded_by = getpid();
    if (!guest.settings.directory)
        return;
    struct err *e = rc ? NULL : &guest.unattached;
    if (!cupti_api_load_trace(&guest.api, e) && !rc) {
        uint64_t now = 0;
        guest.api.cuptiGetTimestamp(&now);
        guest.start_ns = (int64_t)now;
    }
}

static void load_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
}

void *guest_cupti_library(void)
{
    load_once();
    return guest.settings.directory ? guest.api.library : NULL;
}

void guest_watch_ranges(void)
{
    load_once();
    const struct guest_settings *s = &guest.settings;
    if (!s->directory || !s->range || guest.unattached.code)
        return;
    if (s->metrics)
        guest_counters_watch(NULL);
    else
        guest_scope_watch(&guest.api, s, NULL);
}

void guest_start(void)
{
    static atomic_flag started = ATOMIC_FLAG_INIT;
    struct err e = {0};
    if (atomic_flag_test_and_set(&started))
        return;
    load_once();
    if (!guest.settings.directory)
        return;
    if (guest.loaded_by != getpid() && !guest.unattached.code) /* CUPTI 13.0 then gives no records at all */
        err_set(
            &guest.unattached, ERR_ENVIRONMENT,
            "the process was forked when NVTX had begun and CUDA had not: CUPTI, loaded by then, records nothing in it");
    atomic_store(&guest.pid, getpid());
    guest.began_ns = buffer_now_ns();
    if (start_thread(&e)) {
        log_error(&e);
        return;
    }
    if (!guest_stage_await(STAGE_OPENED, guest.settings.patience_ns) || guest_stage_has(STAGE_ABANDONED))
        return; /* without files nothing is recorded */
    pthread_atfork(NULL, NULL, in_child);
    attach();
    if (!guest_stage_enter(STAGE_ATTACHED)) {
        detach(); /* too late: nobody would take CUPTI's buffers */
        return;
    }
    guest_stage_await(STAGE_REPORTED, guest.settings.patience_ns);
    for (int i = 0; i < EXIT_THREADS; i++)
        atexit(at_exit);
    at_quick_exit(at_exit);
}
