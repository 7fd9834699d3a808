/* How does a guest come, work and go without its host noticing? */
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

#include "base/files.h"
#include "base/str.h"
#include "collector/activity/activity.h"
#include "collector/activity/activity_buffers.h"
#include "collector/inject/guest_counters.h"
#include "collector/inject/guest_migrations.h"
#include "collector/inject/guest_stand_aside.h"
#include "collector/inject/guest_report.h"
#include "collector/inject/guest_scope.h"
#include "collector/inject/guest_settings.h"

enum { SHARDS_MAX = 1000, START_SECONDS = 5, END_SECONDS = 60, EXIT_THREADS = 8, FIRST_FLUSH_NS = 20000000 };

/* Steps that the program's thread and ours take in turn. */
enum stage { BORN, OPENED, ATTACHED, REPORTED, ENDING, ENDED };

static struct {
    struct guest_settings settings;
    struct cupti_api api;
    struct shard_writer shard;
    struct guest_report report;
    char trace_name[64];
    bool records;          /* a trace; counters are for another process, their replay would spoil it */
    struct err unattached; /* why what was asked for cannot be had */
    int64_t start_ns;      /* of the events' clock */
    int64_t began_ns;      /* of CLOCK_MONOTONIC */
    int32_t own_thread;
    _Atomic pid_t pid; /* that it records; 0 in a forked child */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum stage stage; /* guarded by the lock */
} guest = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void log_error(const struct err *e)
{
    if (guest.settings.log && e->code)
        dprintf(STDERR_FILENO, "cpprof: %s\n", e->text);
}

static void enter_stage(enum stage stage)
{
    pthread_mutex_lock(&guest.lock);
    if (guest.stage < stage)
        guest.stage = stage;
    pthread_cond_broadcast(&guest.changed);
    pthread_mutex_unlock(&guest.lock);
}

/* Never for ever: the program must go on. */
static bool await_stage(enum stage stage, int seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += seconds;
    pthread_mutex_lock(&guest.lock);
    while (guest.stage < stage)
        if (pthread_cond_timedwait(&guest.changed, &guest.lock, &until))
            break;
    const bool reached = guest.stage >= stage;
    pthread_mutex_unlock(&guest.lock);
    return reached;
}

static bool is_ending(void)
{
    pthread_mutex_lock(&guest.lock);
    const bool ending = guest.stage >= ENDING;
    pthread_mutex_unlock(&guest.lock);
    return ending;
}

static void await_ending(void)
{
    pthread_mutex_lock(&guest.lock);
    while (guest.stage < ENDING)
        pthread_cond_wait(&guest.changed, &guest.lock);
    pthread_mutex_unlock(&guest.lock);
}

static bool is_taken(const char *path)
{
    return access(path, F_OK) == 0;
}

/* The pid may have been here before: as another program, or in another container. */
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
    const char *why, *what = guest_migrations_missing(&why);
    if (what)
        guest_report_missing(&guest.report, what, why);
    if (guest_report_write(&guest.report, ended_by, &e))
        log_error(&e);
}

/* GPUs can be asked for once CUDA is up, which the first record proves. */
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

/* Flushes CUPTI in a rhythm that slows down, from the first buffer that CUPTI takes to the period that was asked
 * for: what the first records tell is wanted soon, that managed memory is used above all. */
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

/* With a subscriber the call itself was seen (guest_scope). */
static void look_for_managed_memory(void)
{
    if (activity_has_managed())
        guest_migrations_start(&guest.api, buffer_now_ns() - guest.began_ns);
}

static void record(void)
{
    struct rhythm rhythm = {.period_ns = guest.settings.flush_ns, .next_ns = buffer_now_ns() + guest.settings.flush_ns};
    while (!is_ending()) {
        const int64_t scope_ns = guest_scope_next_ns();
        struct err e = {0};
        activity_wait(scope_ns < rhythm.next_ns ? scope_ns : rhythm.next_ns);
        if (buffer_now_ns() >= scope_ns && guest_scope_apply(&e))
            tell_missing(&e);
        const bool is_time = buffer_now_ns() >= rhythm.next_ns;
        struct activity_cost cost;
        activity_cost(&cost); /* a program that does nothing on the GPU is not bothered */
        e = (struct err){0};
        if (activity_drain(is_time && cost.lent_buffers ? ACTIVITY_FLUSH_ENDED : ACTIVITY_FLUSH_NONE, NULL, NULL, &e))
            tell_missing(&e);
        look_for_managed_memory();
        describe_gpus();
        rhythm_step(&rhythm, &cost);
    }
    struct err e = {0};
    if (activity_finish(NULL, NULL, &e))
        tell_missing(&e);
}

/* Nothing is recorded: no shard, and a report that says why. */
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

/* After a forced flush CUPTI has none: they went to who registered after us. */
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

static void finish(void)
{
    struct err e = {0};
    tell_unreturned();
    if (guest.records && guest_scope_watch(&guest.api, &guest.settings, &e))
        tell_missing(&e);
    e = (struct err){0};
    if (shard_writer_close(&guest.shard, &e))
        tell_missing(&e);
    if (!guest.report.asked_gpus)
        guest_report_gpus(&guest.report);
    write_report("exit");
}

/* Everything that decodes or writes happens here, with all signals blocked: a
 * signal to the program is the program's, and a full disk is an error code. */
static void *live(void *unused)
{
    struct err e = {0};
    guest.own_thread = gettid();
    pthread_setname_np(pthread_self(), "cpprof");
    if (open_files(&e)) {
        log_error(&e);
        enter_stage(ENDED); /* nothing can be kept: the program goes on alone */
        return unused;
    }
    enter_stage(OPENED);
    if (!await_stage(ATTACHED, END_SECONDS))
        return unused;
    if (guest.api.version)
        guest_report_cupti(&guest.report, &guest.api);
    tell_missing(&guest.unattached);
    if (!guest.records)
        give_up_trace();
    write_report(NULL);
    enter_stage(REPORTED);
    if (guest.records)
        record();
    else
        await_ending();
    finish();
    enter_stage(ENDED);
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

/* Exit on several threads at once: each takes the next handler from the C library's list, and one
 * that finds none left ends the process. So this one stands there a few times, and each waits. */
static void at_exit(void)
{
    if (atomic_load(&guest.pid) != getpid())
        return;
    guest_counters_finish();
    enter_stage(ENDING);
    activity_wake();
    await_stage(ENDED, END_SECONDS);
    guest_scope_stop();
}

/* A child without exec has no thread of ours, and the files are its parent's. */
static void in_child(void)
{
    atomic_store(&guest.pid, 0);
    guest_scope_stop();
}

/* On the program's thread: CUPTI is told what to record. */
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
    if (!rc)
        rc = activity_start(&guest.api, &guest.shard, &options, e);
    if (rc)
        return rc;
    if (!guest_scope_needs_calls(s))
        record_kinds_watch_managed(&guest.api);
    guest_scope_start(s, buffer_now_ns());
    if ((rc = guest_scope_apply(e)))
        activity_collect(false, NULL); /* half of the records are worth nothing, and cost */
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

static void load(void)
{
    int rc = guest_settings_read(&guest.settings, &guest.unattached);
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
    if (guest.settings.directory && guest.settings.range && !guest.settings.metrics && !guest.unattached.code)
        guest_scope_watch(&guest.api, &guest.settings, NULL);
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
    atomic_store(&guest.pid, getpid());
    guest.began_ns = buffer_now_ns();
    if (start_thread(&e)) {
        log_error(&e);
        return;
    }
    if (!await_stage(OPENED, START_SECONDS) || is_ending())
        return; /* no files: nothing is recorded */
    pthread_atfork(NULL, NULL, in_child);
    attach();
    enter_stage(ATTACHED);
    await_stage(REPORTED, START_SECONDS);
    for (int i = 0; i < EXIT_THREADS; i++)
        atexit(at_exit);
    at_quick_exit(at_exit);
}
