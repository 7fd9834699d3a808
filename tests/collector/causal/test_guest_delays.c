/* Is each launch of a target delayed, on its stream, by the dose whose turn it is, and no other one? */
#define _GNU_SOURCE
#include "tests/collector/guest_scene.h"

#include <stdio.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/stream_edge.h"

static const char causal[] = "CPPROF_CAPTURE_CAUSAL=^tile,^copy";
static char driver[4096]; /* TEST_DRIVER=... */

static void use(const char *which)
{
    snprintf(driver, sizeof driver, "TEST_DRIVER=%s", which);
}

static void every_way_to_launch(void **state)
{
    const char *const settings[] = {causal, driver, NULL};
    struct scene *s = *state;
    use(new_driver);
    expect_run(s, "each_call", 0, settings);
    expect_state(s, "ended");
    assert_int_equal(member(s, "causal", "launches"), 8);
    assert_int_equal(member(s, "causal", "captured"), 2);
    assert_int_equal(member(s, "causal", "refused"), 0);
    assert_int_equal(member(s, "causal", "blocks"), 1);
    expect_missing(s, "while a CUDA graph was recorded are not delayed");
}

static void each_target_by_each_dose(void **state)
{
    const char *const settings[] = {causal, driver, NULL};
    struct scene *s = *state;
    use(new_driver);
    expect_run(s, "all_doses", 0, settings);
    assert_in_range(member(s, "causal", "blocks"), 6, 1000);
    assert_true(member(s, "causal", "launches") > 6 * 16);
    expect_missing(s, NULL);
}

static void other_doses(void **state)
{
    const char *const settings[] = {causal, "CPPROF_CAPTURE_DOSES=20us", driver, NULL};
    struct scene *s = *state;
    use(new_driver);
    expect_run(s, "each_call", 0, settings);
}

static void copies_and_the_host(void **state)
{
    const char *const settings[] = {"CPPROF_CAPTURE_CAUSAL=copy:h2d,host:^tile,^tile,host:copy:d2h", driver, NULL};
    struct scene *s = *state;
    use(new_driver);
    expect_run(s, "copies_and_the_host", 0, settings);
    assert_int_equal(member(s, "causal", "launches"), 8);
    assert_int_equal(member(s, "causal", "captured"), 1);
    expect_missing(s, "while a CUDA graph was recorded are not delayed");
}

static void the_host_waits(void **state)
{
    const char *const settings[] = {"CPPROF_CAPTURE_CAUSAL=host:^tile", driver, NULL};
    struct scene *s = *state;
    use(new_driver);
    expect_run(s, "the_host_waits", 0, settings);
    assert_true(member(s, "causal", "host_asked_ns") >= 16 * 80000); /* a block of each dose */
    assert_true(member(s, "causal", "host_waited_ns") >= member(s, "causal", "host_asked_ns"));
}

static void a_driver_that_is_too_old(void **state)
{
    const char *const settings[] = {causal, driver, NULL};
    struct scene *s = *state;
    use(old_driver);
    expect_run(s, "without", 0, settings);
    assert_int_equal(member(s, "causal", "launches"), 0);
    assert_int_equal(member(s, "causal", "refused"), 2);
    expect_missing(s, "could not load the kernel that waits");
}

static void a_driver_without_compiler(void **state)
{
    const char *const settings[] = {causal, driver, "FAKE_NO_COMPILER=1", NULL};
    struct scene *s = *state;
    use(new_driver);
    expect_run(s, "without", 0, settings);
    assert_int_equal(member(s, "causal", "refused"), 2);
    expect_missing(s, "could not load the kernel that waits");
}

static void what_cannot_be_read(void **state)
{
    const char *const settings[] = {"CPPROF_CAPTURE_CAUSAL=(", driver, NULL};
    use(new_driver);
    expect_no_trace(*state, "unasked", 0, settings, "--causal");
}

/* Edges of the host, see delay_host.c. */
static void what_streams_wait_for(void **state)
{
    static const struct {
        uint32_t detail, context, stream, correlation, source_context, source_stream, source_correlation;
    } wanted[] = {{STREAM_EDGE, 0, 0, 0, 0, 0, 0},
                  {STREAM_EDGE, 5, 0x20, 21, 5, 0x10, 20},
                  {STREAM_EDGE, 5, 7, 24, 6, 0x90, 23},
                  {HOST_EDGE, 0, 0, 27, 6, 0x90, 23},
                  {STREAM_EDGE, 5, 7, 29, 5, 8, 28}};
    const char *const settings[] = {"CPPROF_CAPTURE_TRACE=api", driver, NULL};
    struct scene *s = *state;
    struct cpprof_event event;
    struct err e = {0};
    use(new_driver);
    expect_run(s, "edges", 0, settings);
    expect_missing(s, NULL);
    for (size_t i = 0; i < COUNT_OF(wanted); i++) {
        assert_int_equal(event_stream_next(s->stream, &event, &e), 1);
        assert_int_equal(event.kind, CPPROF_EVENT_SYNC);
        assert_int_equal(event.detail, wanted[i].detail);
        assert_int_equal(event.context, wanted[i].context);
        assert_int_equal(event.stream, wanted[i].stream);
        assert_int_equal(event.correlation, wanted[i].correlation);
        assert_int_equal(event.grid[0], wanted[i].source_context);
        assert_int_equal(event.grid[1], wanted[i].source_stream);
        assert_int_equal(event.grid[2], wanted[i].source_correlation);
    }
    assert_int_equal(event_stream_next(s->stream, &event, &e), 0);
}

static void nothing_is_delayed_unasked(void **state)
{
    const char *const settings[] = {driver, NULL};
    struct scene *s = *state;
    use(new_driver);
    expect_run(s, "unasked", 0, settings);
    assert_null(json_object_get(s->report, "causal"));
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST(every_way_to_launch),        SCENE_TEST(each_target_by_each_dose),  SCENE_TEST(other_doses),
        SCENE_TEST(a_driver_that_is_too_old),   SCENE_TEST(a_driver_without_compiler), SCENE_TEST(what_cannot_be_read),
        SCENE_TEST(nothing_is_delayed_unasked), SCENE_TEST(copies_and_the_host),       SCENE_TEST(the_host_waits),
        SCENE_TEST(what_streams_wait_for),
    };
    if (!scene_take(count, arguments))
        return 2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
