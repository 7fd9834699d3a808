/* Are a program's ranges seen, and is only that recorded which lies in the one that was asked for? */
#define _GNU_SOURCE
#include "core/base/count_of.h"
#include "guest_scene.h"

#include <string.h>

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
    expect_ranges(s, rows, COUNT_OF(rows));
}

static void between_profiler_start_and_stop(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_FROM_START=off", NULL};
    expect_run(*state, "profiler", 0, settings);
}

static void inside_a_range(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_RANGE=step", NULL};
    expect_run(*state, "range", 0, settings);
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
    expect_ranges(s, rows, COUNT_OF(rows));
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
    expect_ranges(*state, rows, COUNT_OF(rows));
}

static void a_range_in_wide_characters(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_RANGE=\xc3\xa9tape@for\xc3\xaat", "LC_ALL=C", NULL};
    static const struct range_row rows[] = {{1, 1, "\xc3\xa9tape", "for\xc3\xaat", false},
                                            {1, 1, "\xc3\xa9tape", "for\xc3\xaat", false}};
    expect_run(*state, "range_wide", 0, settings);
    expect_ranges(*state, rows, COUNT_OF(rows));
}

static void a_range_that_was_not_recorded(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_RANGE=step", "CPPROF_CAPTURE_FROM_START=off", NULL};
    static const struct range_row rows[] = {{300, 400, "step", "", false}};
    expect_run(*state, "range_unrecorded", 0, settings);
    expect_ranges(*state, rows, COUNT_OF(rows));
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

static void nvtx_is_handed_on(void **state)
{
    expect_run(*state, "forwards", 0, NULL);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST(ranges_are_paired),
        SCENE_TEST(between_profiler_start_and_stop),
        SCENE_TEST(inside_a_range),
        SCENE_TEST(the_range_itself),
        SCENE_TEST(a_range_on_several_threads),
        SCENE_TEST(a_deep_range),
        SCENE_TEST(a_range_in_wide_characters),
        SCENE_TEST(a_range_that_was_not_recorded),
        SCENE_TEST(too_many_names),
        SCENE_TEST(too_many_names_in_a_range),
        SCENE_TEST(inside_a_range_of_a_domain),
        SCENE_TEST(inside_a_window_of_time),
        SCENE_TEST(nvtx_is_handed_on),
    };
    return scene_take(count, arguments) ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
