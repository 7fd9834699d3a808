/* Does the guest sample the GPU beside its trace, and is the program's end its own whatever becomes of the samples? */
#define _GNU_SOURCE
#include "tests/collector/guest_scene.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

static const char sample_ns[] = "CPPROF_CAPTURE_SAMPLE_NS=100000";

/* The chunks are good, or the trace would be cut off at the first. */
static void a_sampled_program(void **state)
{
    static const char *const settings[] = {sample_ns, NULL};
    struct scene *s = *state;
    expect_run(s, "sampled", 7, settings);
    expect_state(s, "ended");
    expect_kernels(s, 6);
    expect_missing(s, NULL);
    assert_false(has_caveat(s, CAVEAT_TRUNCATED, ""));
    assert_false(has_caveat(s, CAVEAT_WEAKENS, ""));
    assert_int_equal(member(s, "samples", "step_ns"), 100000);
    assert_in_range(member(s, "samples", "samples"), 1000, 1000000); /* of 100 us, in 300 ms and more */
    assert_in_range(member(s, "samples", "bursts"), 2, 1000);
    assert_int_equal(member(s, "samples", "lost_ns"), 0);
    assert_int_equal(member(s, "samples", "overflows"), 0);
    assert_true(member(s, "samples", "bytes") > 26 * member(s, "samples", "samples"));
    assert_true(member(s, "collector", "trace_bytes") > member(s, "samples", "bytes"));
}

static void nothing_is_sampled_unasked(void **state)
{
    struct scene *s = *state;
    expect_run(s, "plain", 7, NULL);
    assert_null(json_object_get(s->report, "samples"));
    expect_missing(s, NULL);
}

/* A full buffer of the hardware: sampling goes on with a new sampler. */
static void an_overflow_is_counted(void **state)
{
    static const char *const settings[] = {sample_ns, "FAKE_PM=overflow", NULL};
    struct scene *s = *state;
    expect_run(s, "sampled", 7, settings);
    expect_missing(s, NULL);
    assert_int_equal(member(s, "samples", "overflows"), 1);
    assert_true(member(s, "samples", "samples") > 100);
}

static void endless_overflows_end_sampling(void **state)
{
    static const char *const settings[] = {sample_ns, "FAKE_PM=overflows", NULL};
    struct scene *s = *state;
    expect_run(s, "sampled", 7, settings);
    expect_kernels(s, 6);
    expect_missing(s, "a longer --interval may help");
    assert_int_equal(member(s, "samples", "overflows"), 3);
    assert_int_equal(member(s, "samples", "samples"), 0);
}

static void what_fails_leaves_a_trace(void **state)
{
    static const char *const settings[] = {sample_ns, "FAKE_PM=refused", NULL};
    struct scene *s = *state;
    expect_run(s, "sampled", 7, settings);
    expect_state(s, "ended");
    expect_kernels(s, 6);
    expect_missing(s, "CUPTI failed to open the device's counters");
}

static void a_program_without_kernels(void **state)
{
    static const char *const settings[] = {sample_ns, NULL};
    struct scene *s = *state;
    expect_run(s, "idle", 6, settings);
    expect_missing(s, NULL);
    assert_null(json_object_get(s->report, "samples"));
}

/* Stopping never returns: the program waits for half of the patience, and its trace is whole. */
static void a_sampler_that_is_stuck(void **state)
{
    static const char *const settings[] = {sample_ns, "FAKE_PM=stuck", "CPPROF_CAPTURE_PATIENCE_MS=5000", NULL};
    struct scene *s = *state;
    const double begin_s = now_s();
    expect_run(s, "sampled", 7, settings);
    assert_true(now_s() - begin_s < 5); /* 0.6 s and 2.5 s, which the two that wait share */
    expect_state(s, "ended");
    expect_kernels(s, 6);
    expect_missing(s, "sampling did not end with the program");
}

/* The process exits, and the libraries that sampling loaded would be torn down first. */
static void libraries_that_end_at_exit(void **state)
{
    static const char *const settings[] = {sample_ns, "FAKE_PM=gone", NULL};
    struct scene *s = *state;
    expect_run(s, "sampled", 7, settings);
    expect_state(s, "ended");
    expect_missing(s, NULL);
    assert_in_range(member(s, "samples", "samples"), 1000, 1000000);
}

/* Somebody else samples: another process of the run. */
static void one_process_is_sampled_at_a_time(void **state)
{
    static const char *const settings[] = {sample_ns, NULL};
    struct scene *s = *state;
    const int lock = open(s->folder, O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    expect_run(s, "sampled", 7, settings);
    close(lock);
    expect_kernels(s, 6);
    expect_missing(s, "only the GPU of the program's first process is sampled");
}

/* 300 ms of 1.3 s are recorded: 3000 samples at most, and as many as a busy machine leaves. */
static void only_what_is_recorded_is_sampled(void **state)
{
    char driver[4096];
    snprintf(driver, sizeof driver, "TEST_DRIVER=%s", new_driver);
    const char *const settings[] = {sample_ns, "CPPROF_CAPTURE_RANGE=step", "CPPROF_CAPTURE_WHEN=2", driver, NULL};
    struct scene *s = *state;
    expect_run(s, "when_sampled", 7, settings);
    expect_missing(s, NULL);
    assert_in_range(member(s, "samples", "samples"), 200, 5000);
    assert_int_equal(member(s, "samples", "overflows"), 0);
}

/* A later process of the program may be sampled, whoever is left of the first. */
static void a_forked_child_keeps_no_lock(void **state)
{
    static const char *const settings[] = {sample_ns, NULL};
    expect_run(*state, "forks_with_lock", 7, settings);
}

int main(int argc, char **argv)
{
    if (!scene_take(argc, argv))
        return 2;
    const struct CMUnitTest tests[] = {SCENE_TEST(a_sampled_program),
                                       SCENE_TEST(nothing_is_sampled_unasked),
                                       SCENE_TEST(an_overflow_is_counted),
                                       SCENE_TEST(what_fails_leaves_a_trace),
                                       SCENE_TEST(endless_overflows_end_sampling),
                                       SCENE_TEST(a_program_without_kernels),
                                       SCENE_TEST(a_sampler_that_is_stuck),
                                       SCENE_TEST(libraries_that_end_at_exit),
                                       SCENE_TEST(one_process_is_sampled_at_a_time),
                                       SCENE_TEST(only_what_is_recorded_is_sampled),
                                       SCENE_TEST(a_forked_child_keeps_no_lock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
