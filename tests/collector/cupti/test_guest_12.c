/* Does the guest read a CUPTI that is older than its build? guest_host.c with a scripted CUPTI of CUDA 12.4. */
#define _GNU_SOURCE
#include "tests/collector/guest_scene.h"

#include <string.h>

static void a_plain_program(void **state)
{
    struct scene *s = *state;
    expect_run(s, "plain", 7, NULL);
    expect_state(s, "ended");
    expect_kernels(s, 6);
    expect_missing(s, NULL);
    assert_int_equal(member(s, "cupti", "version"), 22);
    assert_int_equal(member(s, "collector", "records"), 6);
    assert_int_equal(member(s, "collector", "record_bytes"), 6 * 208);
}

static void waits_know_their_thread(void **state)
{
    struct scene *s = *state;
    struct err e = {0};
    struct cpprof_event call, wait;
    expect_run(s, "waits", 0, NULL);
    assert_int_equal(event_stream_count(s->stream), 3);
    assert_int_equal(event_stream_next(s->stream, &call, &e), 1);
    assert_int_equal(event_stream_next(s->stream, &wait, &e), 1);
    assert_true(call.kind == CPPROF_EVENT_API && wait.kind == CPPROF_EVENT_SYNC);
    assert_true(wait.thread == 4321 && wait.stream == 7 && wait.start_ns == 10 && wait.end_ns == 20);
}

static void all_calls_are_asked_for(void **state)
{
    expect_run(*state, "defaults_of_12", 0, NULL);
}

/* Numbers 2 and 4: the launch and the wait. */
static void and_only_those_of_work_are_kept(void **state)
{
    struct scene *s = *state;
    struct err e = {0};
    struct cpprof_event event;
    expect_run(s, "calls", 0, NULL);
    for (uint32_t i = 2; i <= 4; i += 2) {
        assert_int_equal(event_stream_next(s->stream, &event, &e), 1);
        assert_true(event.kind == CPPROF_EVENT_API && event.correlation == i);
    }
    assert_int_equal(event_stream_next(s->stream, &event, &e), 0);
}

static void counters_are_refused_in_words(void **state)
{
    static const char *const settings[] = {"CPPROF_METRICS=sm__cycles_active.avg", NULL};
    struct scene *s = *state;
    run(s, "idle", settings);
    assert_string_equal(s->printed, "");
    read_report(s, 1);
    expect_missing(s, "CUPTI 12.4 (CPPROF_CUPTI) lacks cuptiDeviceGetChipName: counters need CUPTI 12.6 or newer");
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST(a_plain_program),
        SCENE_TEST(waits_know_their_thread),
        SCENE_TEST(all_calls_are_asked_for),
        SCENE_TEST(and_only_those_of_work_are_kept),
        SCENE_TEST(counters_are_refused_in_words),
    };
    return scene_take(count, arguments) ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
