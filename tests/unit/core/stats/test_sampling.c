/* In which order are arms timed, after which processes may a run stop, which sizes does a sweep mean? */
#include <stdio.h>
#include <string.h>

#include "analyzers/compare/size_sweep.h"
#include "core/stats/ratio_decision.h"
#include "core/stats/schedule.h"
#include "core/stats/sequential_looks.h"
#include "tests/test.h"

/* ---- schedules ---- */

/* The turns of one process as text: arms as letters, waves between bars, blocks between commas. */
static const char *turns(char *text, size_t bytes, enum schedule schedule, size_t arms, size_t arm, bool flip,
                         size_t blocks)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t w = 0; w < schedule_waves(schedule, arms, arm); w++) {
        const struct wave wave = schedule_wave(schedule, arms, arm, flip, w);
        used += (size_t)snprintf(text + used, bytes - used, "%s", w ? "|" : "");
        for (size_t block = 0; block < blocks; block++)
            for (size_t nth = 0; nth < wave.count; nth++)
                used += (size_t)snprintf(text + used, bytes - used, "%s%c", block && !nth ? "," : "",
                                         (char)('A' + schedule_turn(wave, block, flip, nth)));
    }
    return text;
}

TEST(test_schedules)
{
    static const struct {
        enum schedule schedule;
        size_t arms, arm;
        bool flip;
        const char *turns;
    } rows[] = {
        {SCHEDULE_ABBA, 2, 0, false, "AB,BA,AB,BA"},
        {SCHEDULE_ABBA, 2, 0, true, "BA,AB,BA,AB"},
        {SCHEDULE_ABBA, 3, 7, false, "ABC,CBA,ABC,CBA"}, /* the arm counts for `process` only */
        {SCHEDULE_ABBA, 0, 0, false, ""},
        {SCHEDULE_SEQUENTIAL, 2, 0, false, "A,A,A,A|B,B,B,B"},
        {SCHEDULE_SEQUENTIAL, 3, 0, true, "C,C,C,C|B,B,B,B|A,A,A,A"},
        {SCHEDULE_PROCESS, 3, 1, false, "B,B,B,B"},
        {SCHEDULE_PROCESS, 3, 1, true, "B,B,B,B"},
        {SCHEDULE_PROCESS, 2, 2, false, ""}, /* a group that has fewer arms than the largest one */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[64];
        assert_string_equal(turns(text, sizeof text, rows[i].schedule, rows[i].arms, rows[i].arm, rows[i].flip, 4),
                            rows[i].turns);
    }
}

TEST(test_schedule_names)
{
    for (int i = 0; i < SCHEDULES; i++) {
        enum schedule found = SCHEDULES;
        assert_true(schedule_parse(schedule_name((enum schedule)i), &found));
        assert_int_equal(found, i);
    }
    enum schedule untouched = SCHEDULE_PROCESS;
    assert_false(schedule_parse("ABBA", &untouched));
    assert_false(schedule_parse("", &untouched));
    assert_int_equal(untouched, SCHEDULE_PROCESS);
}

/* Each arm comes up at each place about as often: of 900 processes 300, four standard errors are 57. */
TEST(test_set_up_orders)
{
    enum { ARMS = 3, PROCESSES = 900 };
    const struct wave wave = {2, ARMS};
    int counts[ARMS][ARMS] = {{0}};
    for (uint64_t process = 0; process < PROCESSES; process++) {
        size_t order[ARMS], again[ARMS];
        bool seen[ARMS] = {false};
        schedule_set_up_order(wave, process, order);
        schedule_set_up_order(wave, process, again);
        assert_memory_equal(order, again, sizeof order);
        for (size_t place = 0; place < ARMS; place++) {
            assert_in_range(order[place], 2, 4);
            assert_false(seen[order[place] - 2]);
            seen[order[place] - 2] = true;
            counts[order[place] - 2][place]++;
        }
    }
    for (size_t arm = 0; arm < ARMS; arm++)
        for (size_t place = 0; place < ARMS; place++)
            assert_in_range(counts[arm][place], 243, 357);
}

/* ---- looks ---- */

TEST(test_looks)
{
    static const struct {
        long first;
        int planned;
        long after[8];
    } rows[] = {
        {5, 6, {5, 10, 20, 40, 80, 100}},
        {3, 7, {3, 6, 12, 24, 48, 96, 100}},
        {25, 3, {25, 50, 100}},
        {50, 2, {50, 100}},
        {60, 2, {60, 100}},
        {100, 1, {100}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(sequential_looks_planned(rows[i].first), rows[i].planned);
        long at = rows[i].first;
        for (int look = 0; look < rows[i].planned; look++, at = sequential_looks_next(at))
            assert_int_equal(at, rows[i].after[look]);
    }
}

TEST(test_looks_of_manifest)
{
    static const struct {
        const char *json;
        int looks;
    } rows[] = {
        {"{}", 1},
        {"{\"stop\": {\"reason\": \"processes\", \"looks\": 1}}", 1},
        {"{\"stop\": {\"looks\": 6}}", 6},
        {"{\"stop\": {\"looks\": -4}}", 1},
        {"{\"stop\": {\"looks\": 1000000000000}}", ROUNDS_MAX},
        {"{\"stop\": \"now\"}", 1},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        json_t *manifest = json_loads(rows[i].json, 0, NULL);
        assert_non_null(manifest);
        assert_int_equal(sequential_looks_of_manifest(manifest), rows[i].looks);
        json_decref(manifest);
    }
}

/* Five pairs whose log ratios are -0.03 and -0.03 +- 0.007, twice: mean -0.03, s = 0.007. The t interval at 95% is
 * exp(-0.03 +- 2.776 * 0.007 / sqrt 5) = 0.9621 to 0.9789, and at 99%, five looks, with 4.604 for 2.776: 0.9565 to
 * 0.9846; the hull with the bootstrap's is at least as wide. Both end below 0.99; with forty looks (99.875%, t = 8.1)
 * it would end at 0.9954, which does not. */
TEST(test_looks_cost)
{
    static const double base[] = {100, 100, 100, 100, 100};
    static const double cand[] = {97.0446, 97.7262, 97.7262, 96.3676, 96.3676};
    const struct arm_values pairs = {base, cand, 5, 5, true};
    const struct ratio_decision once = ratio_decide(&pairs, 0.01), five = ratio_decide_looks(&pairs, 0.01, 5),
                                forty = ratio_decide_looks(&pairs, 0.01, 40);
    assert_int_equal(once.verdict, COMPARE_FASTER);
    assert_int_equal(five.verdict, COMPARE_FASTER);
    assert_int_equal(forty.verdict, COMPARE_INCONCLUSIVE);
    assert_true(once.interval.high <= 0.9789 + 1e-4 && once.interval.high >= 0.9771);
    assert_true(five.interval.high >= 0.9846 - 1e-4);
    assert_true(five.interval.low < once.interval.low && forty.interval.low < five.interval.low);
    assert_true(once.interval.ratio == five.interval.ratio);
    /* one statement in two ways: five times the p-value, or a fifth of the level */
    assert_true(once.p_value < 0.05 && five.p_value < 0.05 && forty.p_value >= 0.05);
    assert_true(five.p_value <= 5 * once.p_value + 1e-12 && five.p_value >= 5 * once.p_value - 1e-12);
}

/* ---- sweeps ---- */

/* The sizes with commas, or the message. */
static const char *sizes(char *text, size_t bytes, const char *sweep)
{
    struct size_sweep parsed;
    struct err e = {0};
    if (size_sweep_parse(&parsed, sweep, &e)) {
        snprintf(text, bytes, "%d %.200s", err_exit_status(ERR_USAGE), e.text);
        return text;
    }
    size_t used = (size_t)snprintf(text, bytes, "%s", parsed.axis);
    for (size_t i = 0; i < parsed.count && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%lld", i ? "," : "=", (long long)parsed.values[i]);
    return text;
}

TEST(test_sweeps)
{
    static const struct {
        const char *sweep, *sizes;
    } rows[] = {
        {"n=1:8:x2", "n=1,2,4,8"},
        {"n=3:20:x3", "n=3,9"}, /* 27 is beyond */
        {"n=10:25:+5", "n=10,15,20,25"},
        {"n=7:7:x2", "n=7"},
        {"n=1024,4096", "n=1024,4096"},
        {"n=5", "n=5"},
        {"bytes=256KiB:1MiB:x2", "bytes=262144,524288,1048576"},
        {"bytes=1MiB:3MiB:+1MiB", "bytes=1048576,2097152,3145728"},
        {"row_bytes=64,1KB", "row_bytes=64,1000"},
        {"n=4503599627370496:9007199254740992:x2", "n=4503599627370496,9007199254740992"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[256];
        assert_string_equal(sizes(text, sizeof text, rows[i].sweep), rows[i].sizes);
    }
}

TEST(test_sweeps_refused)
{
    static const struct {
        const char *sweep, *words;
    } rows[] = {
        {"n", "expected NAME=FIRST:LAST:x2"},
        {"=1:2:x2", "expected NAME=FIRST:LAST:x2"},
        {"n=", "expected whole numbers"},
        {"n=0:8:x2", "expected whole numbers from 1"},
        {"n=-4", "expected whole numbers"},
        {"n= 4", "expected whole numbers"},
        {"n=1.5", "expected whole numbers"},
        {"n=1:8", "how does it go on"},
        {"n=1:8:2", "how does it go on"},
        {"n=1:8:x1", "a whole number from 2"},
        {"n=1:8:x2:", "at its end"},
        {"n=1:8:+0", "expected whole numbers from 1"},
        {"n=8:1:x2", "the last size is below the first"},
        {"n=4,4", "the sizes must ascend"},
        {"n=4,,5", "expected whole numbers"},
        {"n=4;5", "expected a comma"},
        {"n=1KiB:8KiB:x2", "only a dimension called bytes takes units"},
        {"bytes=1us", "a plain number or one of bytes"},
        {"n=1:1000:+1", "more than 128 sizes"},
        {"n=9007199254740994", "expected whole numbers"},
        {"a_dimension_whose_name_has_no_end=1", "too long"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[256];
        if (!strstr(sizes(text, sizeof text, rows[i].sweep), rows[i].words))
            fail_msg("%s: '%s' does not say '%s'", rows[i].sweep, text, rows[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schedules),
        cmocka_unit_test(test_schedule_names),
        cmocka_unit_test(test_set_up_orders),
        cmocka_unit_test(test_looks),
        cmocka_unit_test(test_looks_of_manifest),
        cmocka_unit_test(test_looks_cost),
        cmocka_unit_test(test_sweeps),
        cmocka_unit_test(test_sweeps_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
