/* However a program ends, forks or runs out of disk: does it, and what is left of its trace? */
#define _GNU_SOURCE
#include "guest_scene.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "core/base/count_of.h"
#include "core/base/str.h"

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
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
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

/* What was flushed stays, and the report does not claim an end. */
static void deaths_leave_what_was_flushed(void **state)
{
    static const struct {
        const char *name;
        int status;
    } rows[] = {{"hard_exit", 9}, {"killed", -SIGKILL}, {"crashes", -SIGSEGV}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
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

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST(exit_on_many_threads),
        SCENE_TEST(exit_while_decoding),
        SCENE_TEST(a_collector_that_is_stuck),
        SCENE_TEST(an_end_that_takes_its_time),
        SCENE_TEST(an_end_that_takes_too_long),
        SCENE_TEST(a_cupti_that_takes_too_long_to_attach),
        SCENE_TEST(a_slow_disk_takes_no_more_memory),
        SCENE_TEST(what_still_runs_is_unfinished),
        SCENE_TEST(losses_are_counted),
        SCENE_TEST(deaths_leave_what_was_flushed),
        SCENE_TEST(a_fork_is_silent),
        SCENE_TEST(forks_get_no_buffers),
        SCENE_TEST(forks_before_cuda_go_on),
        SCENE_TEST(a_fork_with_exec_is_a_process_of_its_own),
        SCENE_TEST(a_full_disk),
    };
    return scene_take(count, arguments) ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
