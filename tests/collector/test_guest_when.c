/* Is nothing recorded until the condition holds, and then what was asked for? */
#define _GNU_SOURCE
#include "core/base/count_of.h"
#include "guest_scene.h"

static const char step[] = "CPPROF_CAPTURE_RANGE=step", window[] = "CPPROF_CAPTURE_WHEN=4..5";

struct piece_row {
    long long first, last, after; /* 0: the member is not there */
};

/* What the report has of the condition. */
static void expect_pieces(const struct scene *s, long long seen, const struct piece_row *rows, size_t count)
{
    const json_t *recorded = json_object_get(json_object_get(s->report, "when"), "recorded");
    assert_int_equal(member(s, "when", "seen"), seen);
    assert_int_equal(json_array_size(recorded), count);
    for (size_t i = 0; i < count; i++) {
        const json_t *piece = json_array_get(recorded, i);
        assert_int_equal(json_get_integer(piece, "first", 0), rows[i].first);
        assert_int_equal(json_get_integer(piece, "last", 0), rows[i].last);
        assert_int_equal(json_get_integer(json_object_get(piece, "after"), "occurrence", 0), rows[i].after);
        assert_true(json_is_integer(json_object_get(piece, "start_ns")));
        assert_true(json_is_integer(json_object_get(piece, "end_ns")));
    }
}

static void from_one_occurrence_to_another(void **state)
{
    static const char *const settings[] = {step, window, NULL};
    static const struct piece_row rows[] = {{4, 5, 0}};
    struct scene *s = *state;
    expect_run(s, "when_occurrences", 0, settings);
    expect_state(s, "ended");
    expect_missing(s, NULL);
    expect_pieces(s, 8, rows, 1);
    assert_string_equal(json_get_text(json_object_get(s->report, "when"), "condition", ""), "4..5");
    assert_string_equal(json_get_text(json_object_get(s->report, "scope"), "when", ""), "4..5");
}

static void a_program_that_is_killed_later(void **state)
{
    static const char *const settings[] = {step, window, NULL};
    static const struct piece_row rows[] = {{4, 5, 0}};
    expect_run(*state, "when_killed", -9, settings);
    expect_state(*state, "running");
    expect_pieces(*state, 5, rows, 1);
}

static void the_last_one_ends_with_its_thread(void **state)
{
    static const char *const settings[] = {step, window, NULL};
    static const struct piece_row rows[] = {{4, 5, 0}};
    expect_run(*state, "when_thread_ends", 0, settings);
    expect_pieces(*state, 5, rows, 1);
}

/* The trace is there, and empty. */
static void what_never_happens(void **state)
{
    static const char *const settings[] = {step, window, NULL};
    struct scene *s = *state;
    expect_run(s, "when_never", 0, settings);
    expect_state(s, "ended");
    expect_missing(s, NULL);
    expect_kernels(s, 0);
    expect_pieces(s, 3, NULL, 0);
}

/* The tenth, the twentieth and the thirtieth are slow. */
static void what_follows_a_slow_one(void **state)
{
    static const char *const settings[] = {step, "CPPROF_CAPTURE_WHEN=slower:1.2", NULL};
    static const struct piece_row rows[] = {{11, 18, 10}, {21, 28, 20}, {31, 38, 30}};
    struct scene *s = *state;
    expect_run(s, "when_slower", 0, settings);
    expect_pieces(s, 41, rows, 3);
    const json_t *after =
        json_object_get(json_array_get(json_object_get(json_object_get(s->report, "when"), "recorded"), 0), "after");
    assert_int_equal(json_get_integer(after, "length_ns", 0), 121);
    assert_int_equal(json_get_integer(after, "median_ns", 0), 100);
}

static void each_touch_of_a_file(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_WHEN=file", "CPPROF_CAPTURE_DURATION_MS=200", NULL};
    static const struct piece_row rows[] = {{0, 0, 0}, {0, 0, 0}};
    struct scene *s = *state;
    expect_run(s, "when_file", 0, settings);
    expect_kernels(s, 10);
    expect_pieces(s, 0, rows, 2);
}

static void what_is_no_condition(void **state)
{
    static const char *const bad[] = {"CPPROF_CAPTURE_WHEN=0..2",       "CPPROF_CAPTURE_WHEN=5..4",
                                      "CPPROF_CAPTURE_WHEN=1..",        "CPPROF_CAPTURE_WHEN=slower:1",
                                      "CPPROF_CAPTURE_WHEN=slower:nan", "CPPROF_CAPTURE_WHEN=never"};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        const char *const settings[] = {step, bad[i], NULL};
        void *scene;
        open_scene(&scene);
        expect_no_trace(scene, "idle", 6, settings, "CPPROF_CAPTURE_WHEN");
        close_scene(&scene);
    }
    static const char *const no_range[] = {window, NULL};
    expect_no_trace(*state, "idle", 6, no_range, "CPPROF_CAPTURE_RANGE names none");
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST(from_one_occurrence_to_another),
        SCENE_TEST(a_program_that_is_killed_later),
        SCENE_TEST(the_last_one_ends_with_its_thread),
        SCENE_TEST(what_never_happens),
        SCENE_TEST(what_follows_a_slow_one),
        SCENE_TEST(each_touch_of_a_file),
        SCENE_TEST(what_is_no_condition),
    };
    return scene_take(count, arguments) ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
