/* Is the library a guest that nobody notices, and is what it leaves behind the truth? Each test is a
 * program (guest_host.c) that ends in its own way; judged are its status, what it printed, its report
 * and its trace.
 * usage: test_guest HOST LIBRARY FAKE_CUPTI LINKED_HOST NEW_DRIVER OLD_DRIVER */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "base/json.h"
#include "base/str.h"
#include "model/event_stream.h"

static const char *host, *library, *fake_cupti, *linked_host, *new_driver, *old_driver;

struct scene {
    char folder[64];
    char printed[256]; /* by the host: stdout and stderr */
    int status;
    json_t *report;
    struct event_stream *stream;
};

/* Runs the host in its own folder. `settings`: "NAME=value" texts, NULL at the end. */
static void run(struct scene *s, const char *name, const char *const *settings)
{
    int out[2];
    assert_int_equal(pipe(out), 0);
    const pid_t pid = fork();
    if (!pid) {
        dup2(out[1], STDOUT_FILENO);
        dup2(out[1], STDERR_FILENO);
        close(out[0]);
        close(out[1]);
        setenv("CPPROF_CAPTURE_DIR", s->folder, 1);
        setenv("CPPROF_CAPTURE_FLUSH_MS", "50", 1);
        setenv("CPPROF_CUPTI", fake_cupti, 1);
        setenv("CUDA_INJECTION64_PATH", library, 1);
        for (; settings && *settings; settings++)
            putenv((char *)(uintptr_t)*settings);
        execl(host, "guest_host", name, (char *)NULL);
        _exit(127);
    }
    close(out[1]);
    size_t length = 0;
    for (ssize_t got; length < sizeof s->printed - 1 &&
                      (got = read(out[0], s->printed + length, sizeof s->printed - 1 - length)) > 0;)
        length += (size_t)got;
    s->printed[length] = '\0';
    close(out[0]);
    assert_int_equal(waitpid(pid, &s->status, 0), pid);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_report(const struct dirent *entry)
{
    return !strncmp(entry->d_name, "process-capture-", 16) && strstr(entry->d_name, ".json") &&
           !strcmp(strstr(entry->d_name, ".json"), ".json");
}

/* The report of the host, the first of `count`. */
static void read_report(struct scene *s, int count)
{
    struct dirent **names;
    struct str path;
    struct err e = {0};
    assert_int_equal(scandir(s->folder, &names, is_report, by_name), count);
    str_init(&path);
    if (json_read_file(files_join(&path, s->folder, names[0]->d_name), &s->report, &e))
        fail_msg("%s", e.text);
    str_release(&path);
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
    assert_string_equal(json_get_text(s->report, "role", ""), "capture");
    assert_string_equal(json_get_text(s->report, "program", ""), strrchr(host, '/') + 1);
}

static void open_trace(struct scene *s)
{
    struct str path;
    struct err e = {0};
    str_init(&path);
    files_join(&path, s->folder, json_get_text(s->report, "trace", "none"));
    if (event_stream_open(&s->stream, str_text(&path), &e))
        fail_msg("%s", e.text);
    str_release(&path);
}

/* A host that ends with `status` (minus: a signal), prints nothing and leaves one report and one trace. */
static void expect_run(struct scene *s, const char *name, int status, const char *const *settings)
{
    run(s, name, settings);
    assert_string_equal(s->printed, "");
    if (status < 0 ? !WIFSIGNALED(s->status) || WTERMSIG(s->status) != -status
                   : !WIFEXITED(s->status) || WEXITSTATUS(s->status) != status)
        fail_msg("'%s' ended with %x, expected %d", name, (unsigned)s->status, status);
    read_report(s, 1);
    open_trace(s);
}

static int open_scene(void **state)
{
    struct scene *s = calloc(1, sizeof *s);
    snprintf(s->folder, sizeof s->folder, "/tmp/cpprof-guest-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    *state = s;
    return 0;
}

static int close_scene(void **state)
{
    struct scene *s = *state;
    event_stream_free(s->stream);
    json_decref(s->report);
    files_remove_tree(s->folder, NULL);
    free(s);
    return 0;
}

static void expect_state(const struct scene *s, const char *state)
{
    assert_string_equal(json_get_text(s->report, "state", ""), state);
    const bool ended = !strcmp(state, "ended");
    assert_string_equal(json_get_text(s->report, "ended_by", "nothing"), ended ? "exit" : "nothing");
    bool closed = true;
    const struct caveat_list *caveats = event_stream_caveats(s->stream);
    for (size_t i = 0; i < caveats->count; i++)
        closed &= !strstr(caveats->items[i].text, "before its trace was closed");
    assert_int_equal(closed, ended);
}

/* All events are kernels, each number from 1 on once. */
static void expect_kernels(struct scene *s, uint32_t count)
{
    struct err e = {0};
    struct cpprof_event event;
    assert_int_equal(event_stream_count(s->stream), count);
    for (uint32_t i = 1; i <= count; i++) {
        assert_int_equal(event_stream_next(s->stream, &event, &e), 1);
        assert_int_equal(event.kind, CPPROF_EVENT_KERNEL);
        assert_int_equal(event.correlation, i);
    }
}

static long long member(const struct scene *s, const char *object, const char *key)
{
    return json_get_integer(json_object_get(s->report, object), key, 0);
}

static void expect_missing(const struct scene *s, const char *why)
{
    json_t *list = json_object_get(s->report, "missing");
    assert_int_equal(json_array_size(list), why != NULL);
    if (why && !strstr(json_get_text(json_array_get(list, 0), "why", ""), why))
        fail_msg("'%s' does not say '%s'", json_get_text(json_array_get(list, 0), "why", ""), why);
}

static void an_idle_program(void **state)
{
    struct scene *s = *state;
    expect_run(s, "idle", 6, NULL);
    expect_state(s, "ended");
    expect_kernels(s, 0);
    expect_missing(s, NULL);
    assert_true(json_is_null(json_object_get(s->report, "rank")));
    assert_int_equal(json_object_size(json_object_get(s->report, "dropped")), 0);
    assert_string_equal(json_get_text(json_object_get(s->report, "cupti"), "library", ""), "CPPROF_CUPTI");
}

static void a_plain_program(void **state)
{
    struct scene *s = *state;
    expect_run(s, "plain", 7, NULL);
    expect_state(s, "ended");
    expect_kernels(s, 6);
    expect_missing(s, NULL);
    assert_int_equal(member(s, "collector", "records"), 6);
    assert_int_equal(member(s, "collector", "buffers"), 2);
    assert_int_equal(member(s, "collector", "lent_buffers"), 0);
    assert_true(member(s, "collector", "cpu_ns") > 0 && member(s, "collector", "callbacks_ns") > 0);
    assert_true(member(s, "collector", "trace_bytes") > 6 * 96);
}

static void standard_output_that_is_closed(void **state)
{
    expect_run(*state, "closed_stdio", 7, NULL);
    expect_state(*state, "ended");
    expect_kernels(*state, 5);
    expect_missing(*state, NULL);
}

/* What was on disk is there, and the rest is said to be lost. */
static void a_program_that_closes_our_file(void **state)
{
    struct scene *s = *state;
    expect_run(s, "closed_files", 7, NULL);
    expect_kernels(s, 5);
    expect_missing(s, "the program has closed its file");
    assert_int_equal(member(s, "dropped", "kernel"), 5);
}

static void nothing_is_asked(void **state)
{
    struct scene *s = *state;
    static const char *const settings[] = {"CPPROF_CAPTURE_DIR=", NULL};
    struct dirent **names;
    run(s, "idle", settings);
    assert_true(WIFEXITED(s->status) && WEXITSTATUS(s->status) == 6);
    assert_string_equal(s->printed, "");
    assert_int_equal(scandir(s->folder, &names, is_report, by_name), 0);
    free(names);
}

static void many_threads(void **state)
{
    expect_run(*state, "threads", 0, NULL);
    expect_state(*state, "ended");
    expect_kernels(*state, 4 * 50 * 10);
}

static void exit_on_many_threads(void **state)
{
    expect_run(*state, "exit_threads", 5, NULL);
    expect_state(*state, "ended");
    expect_kernels(*state, 4 * 50 * 10);
}

static void exit_while_decoding(void **state)
{
    expect_run(*state, "exit_decoding", 8, NULL);
    expect_state(*state, "ended");
    expect_kernels(*state, 20);
}

/* Without an end the 5 kernels that were on disk are there, and those that were on their way are not. Eight exit
 * handlers wait together: apart they would need 8 * 0.4 s after the flush period of 50 ms. */
static void a_collector_that_is_stuck(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_PATIENCE_MS=400", NULL};
    static const struct {
        const char *name;
        uint32_t kernels;
    } rows[] = {{"stuck_disk", 0}, {"stuck_flush", 5}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const double start_s = now_s();
        expect_run(*state, rows[i].name, 3, settings);
        assert_true(now_s() - start_s < 8 * 0.4);
        expect_state(*state, "running");
        expect_kernels(*state, rows[i].kernels);
        close_scene(state);
        open_scene(state);
    }
}

/* 20 records, each 0.1 s: more than the patience, of which every one takes a tenth. */
static void an_end_that_takes_its_time(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_PATIENCE_MS=1000", NULL};
    expect_run(*state, "slow_end", 3, settings);
    expect_state(*state, "ended");
    expect_kernels(*state, 20);
}

/* 2000 records, each 20 ms, are 40 s; the limit is 12 * 0.2 s. */
static void an_end_that_takes_too_long(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_PATIENCE_MS=200", NULL};
    const double start_s = now_s();
    expect_run(*state, "endless_end", 3, settings);
    assert_true(now_s() - start_s < 20);
    expect_state(*state, "running");
}

/* The limit is 12 * 0.1 s; then the program goes on alone. */
static void a_cupti_that_takes_too_long_to_attach(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_PATIENCE_MS=100", NULL};
    struct scene *s = *state;
    run(s, "late", settings);
    assert_string_equal(s->printed, "");
    assert_true(WIFEXITED(s->status) && WEXITSTATUS(s->status) == 6);
    read_report(s, 1);
    assert_string_equal(json_get_text(s->report, "state", ""), "running");
    assert_true(json_is_null(json_object_get(s->report, "trace")));
    expect_missing(s, "could not be attached to the program within 1.2 s");
}

/* Two buffers wait, four find no room: each has a kernel and a memset. */
static void a_slow_disk_takes_no_more_memory(void **state)
{
    struct scene *s = *state;
    static const char *const settings[] = {"CPPROF_CAPTURE_MEMORY_MB=2", "CPPROF_CAPTURE_FLUSH_MS=60000", NULL};
    expect_run(s, "slow_disk", 0, settings);
    expect_state(s, "ended");
    assert_int_equal(event_stream_count(s->stream), 2 * 2);
    assert_int_equal(member(s, "dropped", "kernel"), 4);
    assert_int_equal(member(s, "dropped", "memset"), 4);
    assert_true(member(s, "collector", "peak_buffer_bytes") <= 5 << 20); /* waiting, lent and idle */
    assert_true(caveat_has(event_stream_caveats(s->stream), CAVEAT_WEAKENS));
}

static void a_program_that_takes_cupti_over(void **state)
{
    expect_run(*state, "taken_over", 0, NULL);
    expect_missing(*state, "1 buffers of records never came back");
}

static void what_still_runs_is_unfinished(void **state)
{
    struct scene *s = *state;
    struct err e = {0};
    struct cpprof_event event;
    expect_run(s, "unfinished", 0, NULL);
    assert_int_equal(event_stream_next(s->stream, &event, &e), 1);
    assert_true(event.flags & CPPROF_EVENT_UNFINISHED && event.start_ns == 500 && event.correlation == 1);
}

/* Seven lost: six that CUPTI tells of, and the one that it cannot read. */
static void losses_are_counted(void **state)
{
    struct scene *s = *state;
    expect_run(s, "drops", 0, NULL);
    expect_kernels(s, 1);
    assert_int_equal(member(s, "dropped", "unknown"), 7);
    assert_int_equal(member(s, "collector", "unknown_records"), 1);
    assert_true(caveat_has(event_stream_caveats(s->stream), CAVEAT_WEAKENS));
}

struct range_row {
    int64_t start_ns, end_ns;
    const char *name, *domain;
    bool unfinished;
};

/* These are all events. */
static void expect_ranges(struct scene *s, const struct range_row *rows, size_t count)
{
    struct err e = {0};
    struct cpprof_event event;
    assert_int_equal(event_stream_count(s->stream), count);
    const struct strtab *strings = event_stream_strings(s->stream);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(event_stream_next(s->stream, &event, &e), 1);
        assert_int_equal(event.kind, CPPROF_EVENT_RANGE);
        assert_true(event.start_ns == rows[i].start_ns && event.end_ns == rows[i].end_ns && event.thread);
        assert_string_equal(strtab_text(strings, event.name), rows[i].name);
        assert_string_equal(strtab_text(strings, event.detail), rows[i].domain);
        assert_int_equal(event.flags, rows[i].unfinished ? CPPROF_EVENT_UNFINISHED : 0);
    }
}

static void ranges_are_paired(void **state)
{
    struct scene *s = *state;
    static const struct range_row rows[] = {
        {100, 400, "step", "", false},
        {200, 300, "forward", "torch", false},
        {350, 350, "tick", "", false},
        {360, 360, "open", "", true},
    };
    expect_run(s, "ranges", 0, NULL);
    expect_ranges(s, rows, sizeof rows / sizeof rows[0]);
}

static void waits_know_their_thread(void **state)
{
    struct scene *s = *state;
    struct err e = {0};
    struct cpprof_event call, wait, lonely;
    expect_run(s, "waits", 0, NULL);
    assert_int_equal(event_stream_count(s->stream), 3);
    assert_int_equal(event_stream_next(s->stream, &call, &e), 1);
    assert_int_equal(event_stream_next(s->stream, &wait, &e), 1);
    assert_int_equal(event_stream_next(s->stream, &lonely, &e), 1);
    assert_true(call.kind == CPPROF_EVENT_API && call.thread == 4321);
    assert_true(wait.kind == CPPROF_EVENT_SYNC && wait.thread == 4321 && wait.stream == 7 && wait.start_ns == 10);
    assert_true(lonely.kind == CPPROF_EVENT_SYNC && lonely.thread == 0 && lonely.start_ns == 30);
}

static void only_the_kernels_asked_for(void **state)
{
    struct scene *s = *state;
    static const char *const settings[] = {"CPPROF_CAPTURE_KERNELS=^tile\\(", NULL};
    expect_run(s, "kernels", 0, settings);
    assert_int_equal(event_stream_count(s->stream), 2);
    assert_int_equal(member(s, "collector", "filtered"), 4);
    assert_int_equal(json_object_size(json_object_get(s->report, "dropped")), 0);
}

/* What was flushed stays, and the report does not claim an end. */
static void deaths_leave_what_was_flushed(void **state)
{
    static const struct {
        const char *name;
        int status;
    } rows[] = {{"hard_exit", 9}, {"killed", -SIGKILL}, {"crashes", -SIGSEGV}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        expect_run(*state, rows[i].name, rows[i].status, NULL);
        expect_state(*state, "running");
        expect_kernels(*state, 5);
        close_scene(state);
        open_scene(state);
    }
}

static void a_fork_is_silent(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_FROM_START=off", NULL};
    expect_run(*state, "forks", 0, settings);
    expect_state(*state, "ended");
    expect_kernels(*state, 10);
}

/* All that the parent recorded is there, and nothing of its children. */
static void forks_get_no_buffers(void **state)
{
    struct scene *s = *state;
    expect_run(s, "forks_with_buffers", 0, NULL);
    expect_state(s, "ended");
    expect_missing(s, NULL);
    assert_int_equal(event_stream_count(s->stream), member(s, "collector", "records"));
}

/* Each of the children is a process of its own. */
static void forks_before_cuda_go_on(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_RANGE=step", NULL};
    struct scene *s = *state;
    if (strstr(library, "tsan")) /* which knows no threads that a forked child starts */
        skip();
    run(s, "forks_before_cuda", settings);
    assert_string_equal(s->printed, "");
    assert_true(WIFEXITED(s->status) && WEXITSTATUS(s->status) == 0);
    read_report(s, 20);
    assert_string_equal(json_get_text(s->report, "state", ""), "ended");
    expect_missing(s, "forked when NVTX had begun");
}

static void a_fork_with_exec_is_a_process_of_its_own(void **state)
{
    struct scene *s = *state;
    run(s, "forks_and_execs", NULL);
    assert_string_equal(s->printed, "");
    assert_true(WIFEXITED(s->status) && WEXITSTATUS(s->status) == 0);
    read_report(s, 2);
    struct str path;
    struct err e = {0};
    str_init(&path);
    if (event_stream_open(&s->stream, str_text(&path), &e) != ERR_INPUT)
        fail_msg("an empty path was opened");
    str_release(&path);
}

/* Everything is stored or counted; the signal that a too large file sends is not the program's. */
static void a_full_disk(void **state)
{
    struct scene *s = *state;
    expect_run(s, "full_disk", 4, NULL);
    const long long stored = (long long)event_stream_count(s->stream);
    assert_true(stored >= 100 && stored < 700); /* 64 KiB / 96 */
    assert_int_equal(stored + member(s, "dropped", "kernel"), 100 + 200 * 100);
    assert_false(caveat_has(event_stream_caveats(s->stream), CAVEAT_TRUNCATED));
    assert_true(caveat_has(event_stream_caveats(s->stream), CAVEAT_WEAKENS));
    expect_missing(s, "cannot append to the trace: File too large");
}

static void the_default_records(void **state)
{
    expect_run(*state, "defaults", 0, NULL);
}

static void all_calls_and_whole_graphs(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_TRACE=api", "CPPROF_CAPTURE_GRAPHS=graph", NULL};
    struct scene *s = *state;
    expect_run(s, "everything", 0, settings);
    assert_string_equal(json_get_text(json_object_get(s->report, "scope"), "trace", ""), "api");
    assert_string_equal(json_get_text(json_object_get(s->report, "scope"), "graphs", ""), "graph");
}

static void callbacks_are_few(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_RANGE=step", NULL};
    expect_run(*state, "callbacks", 0, settings);
}

/* Numbers 2 and 4: the launch and the wait. */
static void only_the_calls_asked_for(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_FROM_START=off", NULL};
    struct scene *s = *state;
    struct err e = {0};
    struct cpprof_event event;
    expect_run(s, "calls", 0, settings);
    for (uint32_t i = 2; i <= 4; i += 2) {
        assert_int_equal(event_stream_next(s->stream, &event, &e), 1);
        assert_true(event.kind == CPPROF_EVENT_API && event.correlation == i);
    }
    assert_int_equal(event_stream_next(s->stream, &event, &e), 0);
}

static void between_profiler_start_and_stop(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_FROM_START=off", NULL};
    expect_run(*state, "profiler", 0, settings);
}

static void what_cupti_refuses_is_told_and_tried_again(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_FROM_START=off", NULL};
    struct scene *s = *state;
    expect_run(s, "refused_for_a_while", 0, settings);
    expect_state(s, "ended");
    expect_kernels(s, 5);
    expect_missing(s, "tried again every second: CUPTI failed to start tracing: ");
}

static void a_refusal_is_told_at_once(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_FROM_START=off", NULL};
    struct scene *s = *state;
    expect_run(s, "refused_and_killed", -SIGKILL, settings);
    expect_state(s, "running");
    expect_missing(s, "tried again every second: CUPTI failed to start tracing: ");
}

static void inside_a_range(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_RANGE=step", NULL};
    expect_run(*state, "range", 0, settings);
}

static bool has_caveat(const struct scene *s, enum caveat_kind kind, const char *part)
{
    const struct caveat_list *caveats = event_stream_caveats(s->stream);
    for (size_t i = 0; i < caveats->count; i++)
        if (caveats->items[i].kind == kind && strstr(caveats->items[i].text, part))
            return true;
    return false;
}

/* Each once, from beginning to end, whatever CUPTI has of it; of all the ends without a beginning only the one that
 * belongs to none of them is told. */
static void the_range_itself(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_RANGE=step", NULL};
    static const struct range_row rows[] = {
        {100, 200, "step", "", false}, {110, 140, "step", "", false}, {120, 130, "inner", "", false},
        {150, 150, "step", "", false}, {300, 400, "step", "", false}, {500, 500, "step", "", true},
    };
    struct scene *s = *state;
    expect_run(s, "range_events", 0, settings);
    expect_ranges(s, rows, sizeof rows / sizeof rows[0]);
    assert_true(has_caveat(s, CAVEAT_NOTE, "1 NVTX ranges had begun before recording did"));
    assert_int_equal(json_object_size(json_object_get(s->report, "dropped")), 0);
}

/* The first ends with its thread, on the clock of this machine: some time after 100. */
static void a_range_on_several_threads(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_RANGE=step", NULL};
    struct scene *s = *state;
    struct err e = {0};
    struct cpprof_event first, second;
    expect_run(s, "range_threads", 0, settings);
    assert_int_equal(event_stream_count(s->stream), 2);
    assert_int_equal(event_stream_next(s->stream, &first, &e), 1);
    assert_int_equal(event_stream_next(s->stream, &second, &e), 1);
    assert_true(first.start_ns == 100 && first.end_ns > 100 && !first.flags);
    assert_true(second.start_ns == 900 && second.end_ns == 1000 && !second.flags);
    assert_true(first.thread && second.thread);
}

static void a_deep_range(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_RANGE=step", NULL};
    static const struct range_row rows[] = {{100, 200, "step", "", false}, {300, 400, "step", "", false}};
    expect_run(*state, "range_deep", 0, settings);
    expect_ranges(*state, rows, sizeof rows / sizeof rows[0]);
}

static void a_range_in_wide_characters(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_RANGE=\xc3\xa9tape@for\xc3\xaat", "LC_ALL=C", NULL};
    static const struct range_row rows[] = {{1, 1, "\xc3\xa9tape", "for\xc3\xaat", false},
                                            {1, 1, "\xc3\xa9tape", "for\xc3\xaat", false}};
    expect_run(*state, "range_wide", 0, settings);
    expect_ranges(*state, rows, sizeof rows / sizeof rows[0]);
}

static void a_range_that_was_not_recorded(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_RANGE=step", "CPPROF_CAPTURE_FROM_START=off", NULL};
    static const struct range_row rows[] = {{300, 400, "step", "", false}};
    expect_run(*state, "range_unrecorded", 0, settings);
    expect_ranges(*state, rows, sizeof rows / sizeof rows[0]);
}

/* 12 MiB hold 3084 labels of 4080 bytes each, and kernels find room behind them. */
static void too_many_names(void **state)
{
    enum { NAMES = 5000, KEPT = 12 * 1024 * 1024 / (4000 + 80) };
    struct scene *s = *state;
    struct err e = {0};
    struct cpprof_event event;
    long long left_out = 0, kernels = 0;
    expect_run(s, "many_names", 0, NULL);
    const struct strtab *strings = event_stream_strings(s->stream);
    while (event_stream_next(s->stream, &event, &e) == 1) {
        const char *name = strtab_text(strings, event.name);
        left_out += !strcmp(name, "(too many names)");
        kernels += !strcmp(name, "_Z4tilePf") || !strcmp(name, "_Z5otherPf");
    }
    assert_int_equal(kernels, 2);
    assert_int_equal(event_stream_count(s->stream), NAMES + 2);
    assert_int_equal(left_out, NAMES - KEPT);
    assert_int_equal(member(s, "collector", "names_left_out"), left_out);
    assert_true(has_caveat(s, CAVEAT_WEAKENS, "more names than the collector keeps: 1916 times"));
    assert_int_equal(json_object_size(json_object_get(s->report, "dropped")), 0);
}

/* CUPTI's own record of the range is known for one, and passed over. */
static void too_many_names_in_a_range(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_RANGE=step@torch", NULL};
    struct scene *s = *state;
    expect_run(s, "many_names", 0, settings);
    assert_int_equal(event_stream_count(s->stream), 5000 + 2);
}

static void inside_a_range_of_a_domain(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_RANGE=step@torch", NULL};
    struct scene *s = *state;
    expect_run(s, "range_domain", 0, settings);
    assert_string_equal(json_get_text(json_object_get(s->report, "scope"), "range", ""), "step");
    assert_string_equal(json_get_text(json_object_get(s->report, "scope"), "range_domain", ""), "torch");
}

static void inside_a_window_of_time(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_DELAY_MS=150", "CPPROF_CAPTURE_DURATION_MS=300", NULL};
    expect_run(*state, "window", 0, settings);
}

static void migrations_when_memory_is_managed(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_FLUSH_MS=60000", NULL};
    expect_run(*state, "managed", 0, settings);
    expect_missing(*state, "pages that moved in the first ");
}

static void all_migrations_where_calls_are_seen(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_RANGE=step", NULL};
    expect_run(*state, "managed_at_once", 0, settings);
    expect_missing(*state, NULL);
}

/* The program runs, and its report says why there is no trace. */
static void expect_no_trace(struct scene *s, const char *name, int status, const char *const *settings, const char *why)
{
    run(s, name, settings);
    assert_string_equal(s->printed, "");
    assert_true(WIFEXITED(s->status) && WEXITSTATUS(s->status) == status);
    read_report(s, 1);
    assert_string_equal(json_get_text(s->report, "state", ""), "ended");
    assert_true(json_is_null(json_object_get(s->report, "trace")));
    expect_missing(s, why);
}

static void another_profiler(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_FROM_START=off", NULL};
    expect_no_trace(*state, "refused", 11, settings, "another profiler is attached");
}

static void another_subscriber(void **state)
{
    expect_run(*state, "subscribed_by_another", 7, NULL);
    expect_kernels(*state, 6);
    expect_missing(*state, NULL);
}

/* What it has registered for before CUDA begins would be lost to it. */
static void a_program_linked_with_cupti(void **state)
{
    const char *const usual = host;
    host = linked_host;
    expect_no_trace(*state, "idle", 6, NULL, "the program is linked with CUPTI");
    host = usual;
}

static void no_cupti(void **state)
{
    struct str setting;
    str_init(&setting);
    str_addf(&setting, "CPPROF_CUPTI=%s", library); /* a library, but no CUPTI */
    const char *const settings[] = {str_text(&setting), NULL};
    expect_no_trace(*state, "idle", 6, settings, "lacks cuptiGetVersion");
    str_release(&setting);
}

/* The second library is not beside the first: no trace comes instead. */
static void counters_without_their_library(void **state)
{
    static const char *const settings[] = {"CPPROF_METRICS=sm__cycles_active.avg", NULL};
    struct scene *s = *state;
    const char *beside_the_other = library;
    char alone[] = "/tmp/cpprof-alone-XXXXXX";
    struct str link;
    str_init(&link);
    assert_non_null(mkdtemp(alone));
    assert_int_equal(symlink(library, files_join(&link, alone, "libcpprof_inject.so")), 0);
    library = str_text(&link);
    expect_no_trace(s, "idle", 6, settings, "libcpprof_counters.so cannot be loaded");
    library = beside_the_other;
    files_remove_tree(alone, NULL);
    str_release(&link);
    assert_string_equal(json_get_text(json_array_get(json_object_get(s->report, "missing"), 0), "what", ""),
                        "counters");
}

/* CUPTI is asked to count, and refuses, which the second library tells in a file of its own. */
static void counters_in_a_domain_older_than_cuda(void **state)
{
    static const char *const settings[] = {"CPPROF_METRICS=sm__cycles_active.avg", "CPPROF_CAPTURE_RANGE=step@torch",
                                           NULL};
    struct scene *s = *state;
    struct str path;
    struct err e = {0};
    json_t *counters = NULL;
    str_init(&path);
    str_add_bytes(&path, library, (size_t)(strrchr(library, '/') + 1 - library));
    str_add(&path, "libcpprof_counters.so");
    if (!files_exists(str_text(&path))) { /* built for one of the two libraries */
        str_release(&path);
        skip();
    }
    run(s, "counters_range", settings);
    assert_string_equal(s->printed, "");
    assert_true(WIFEXITED(s->status) && WEXITSTATUS(s->status) == 0);
    read_report(s, 1);
    expect_missing(s, NULL);
    str_clear(&path);
    str_addf(&path, "%s/counters-%lld.json", s->folder, (long long)json_get_integer(s->report, "pid", 0));
    if (json_read_file(str_text(&path), &counters, &e))
        fail_msg("%s", e.text);
    str_release(&path);
    const json_t *missing = json_array_get(json_object_get(counters, "missing"), 0);
    assert_string_equal(json_get_text(missing, "what", ""), "counters");
    json_decref(counters);
}

/* Bytes of 0x20 are of the part of a GPU that the process has, 0x10 of the whole. */
static void gpus_are_known_by_uuid(void **state)
{
    const struct {
        const char *driver, *uuid;
    } rows[] = {
        {new_driver, "GPU-20202020-2020-2020-2020-202020202020"},
        {old_driver, "GPU-10101010-1010-1010-1010-101010101010"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct scene *s = *state;
        struct str setting;
        str_init(&setting);
        str_addf(&setting, "TEST_DRIVER=%s", rows[i].driver);
        const char *const settings[] = {str_text(&setting), NULL};
        expect_run(s, "gpus", 0, settings);
        str_release(&setting);
        const json_t *gpus = json_object_get(s->report, "gpus");
        assert_int_equal(json_array_size(gpus), 1);
        assert_string_equal(json_get_text(json_array_get(gpus, 0), "uuid", ""), rows[i].uuid);
        close_scene(state);
        open_scene(state);
    }
}

static void senseless_settings(void **state)
{
    static const struct {
        const char *settings[2];
        const char *why;
    } rows[] = {
        {{"CPPROF_CAPTURE_FLUSH_MS=soon", NULL}, "CPPROF_CAPTURE_FLUSH_MS is 'soon'"},
        {{"CPPROF_CAPTURE_TRACE=all", NULL}, "neither 'launch' nor 'api'"},
        {{"CPPROF_CAPTURE_KERNELS=(", NULL}, "is no extended regular expression"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        expect_no_trace(*state, "idle", 6, rows[i].settings, rows[i].why);
        close_scene(state);
        open_scene(state);
    }
}

static void nvtx_is_handed_on(void **state)
{
    expect_run(*state, "forwards", 0, NULL);
}

static void ranks(void **state)
{
    static const struct {
        const char *settings[6];
        int rank;
        const char *source;
    } rows[] = {
        {{"OMPI_COMM_WORLD_RANK=3", NULL}, 3, "OMPI_COMM_WORLD_RANK"},
        {{"PMI_RANK=2", "SLURM_PROCID=1", "SLURM_STEP_ID=0", NULL}, 2, "PMI_RANK"},
        {{"SLURM_PROCID=1", "SLURM_STEP_ID=0", NULL}, 1, "SLURM_PROCID"},
        {{"SLURM_PROCID=0", NULL}, -1, NULL}, /* a batch script, no step */
        {{"RANK=5", "WORLD_SIZE=8", "SLURM_PROCID=1", "SLURM_STEP_ID=0", NULL}, 5, "RANK"},
        {{"RANK=5", NULL}, -1, NULL}, /* anybody's variable */
        {{"OMPI_COMM_WORLD_RANK=x", NULL}, -1, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct scene *s = *state;
        expect_run(s, "idle", 6, rows[i].settings);
        assert_int_equal(json_get_integer(s->report, "rank", -1), rows[i].rank);
        assert_string_equal(json_get_text(s->report, "rank_source", "none"), rows[i].source ? rows[i].source : "none");
        close_scene(state);
        open_scene(state);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_scene, close_scene)

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        TEST(an_idle_program),
        TEST(a_plain_program),
        TEST(standard_output_that_is_closed),
        TEST(a_program_that_closes_our_file),
        TEST(nothing_is_asked),
        TEST(many_threads),
        TEST(exit_on_many_threads),
        TEST(exit_while_decoding),
        TEST(a_collector_that_is_stuck),
        TEST(an_end_that_takes_its_time),
        TEST(an_end_that_takes_too_long),
        TEST(a_cupti_that_takes_too_long_to_attach),
        TEST(a_slow_disk_takes_no_more_memory),
        TEST(a_program_that_takes_cupti_over),
        TEST(what_still_runs_is_unfinished),
        TEST(losses_are_counted),
        TEST(ranges_are_paired),
        TEST(waits_know_their_thread),
        TEST(only_the_kernels_asked_for),
        TEST(deaths_leave_what_was_flushed),
        TEST(a_fork_is_silent),
        TEST(forks_get_no_buffers),
        TEST(forks_before_cuda_go_on),
        TEST(a_fork_with_exec_is_a_process_of_its_own),
        TEST(a_full_disk),
        TEST(the_default_records),
        TEST(all_calls_and_whole_graphs),
        TEST(callbacks_are_few),
        TEST(only_the_calls_asked_for),
        TEST(between_profiler_start_and_stop),
        TEST(what_cupti_refuses_is_told_and_tried_again),
        TEST(a_refusal_is_told_at_once),
        TEST(inside_a_range),
        TEST(the_range_itself),
        TEST(a_range_on_several_threads),
        TEST(a_deep_range),
        TEST(a_range_in_wide_characters),
        TEST(a_range_that_was_not_recorded),
        TEST(too_many_names),
        TEST(too_many_names_in_a_range),
        TEST(inside_a_range_of_a_domain),
        TEST(inside_a_window_of_time),
        TEST(migrations_when_memory_is_managed),
        TEST(all_migrations_where_calls_are_seen),
        TEST(another_profiler),
        TEST(another_subscriber),
        TEST(a_program_linked_with_cupti),
        TEST(no_cupti),
        TEST(counters_without_their_library),
        TEST(counters_in_a_domain_older_than_cuda),
        TEST(gpus_are_known_by_uuid),
        TEST(senseless_settings),
        TEST(nvtx_is_handed_on),
        TEST(ranks),
    };
    if (count != 7) {
        fprintf(stderr, "usage: test_guest HOST LIBRARY FAKE_CUPTI LINKED_HOST NEW_DRIVER OLD_DRIVER\n");
        return 2;
    }
    host = arguments[1];
    library = arguments[2];
    fake_cupti = arguments[3];
    linked_host = arguments[4];
    new_driver = arguments[5];
    old_driver = arguments[6];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
