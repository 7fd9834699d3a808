/* Does each comparison follow from its interval, and is what failed never a win? */
#include "tests/unit/trial.h"

/* Where every pair has the same ratio, the log ratios have no spread, and the
 * interval is the ratio itself. */
static const struct comparison_case comparison_cases[] = {
    EACH_PAIR_0_8,
    {"each pair 1.25",
     {1000, 1100, 1200, 1300, 1400},
     {1250, 1375, 1500, 1625, 1750},
     0,
     COMPARE_SLOWER,
     "interval_above_margin",
     1.25,
     5},
    {"each pair 0.995: within 1%",
     {1000, 1100, 1200, 1300, 1400},
     {995, 1094.5, 1194, 1293.5, 1393},
     0,
     COMPARE_EQUIVALENT,
     "interval_within_margin",
     0.995,
     5},
    /* log ratios {0, .0488, -.0488, .0198, -.0198}: s = 0.0372, half width 2.776 * 0.0372 / sqrt(5) = 0.046 */
    {"as much noise as effect",
     {1000, 1000, 1050, 1000, 1020},
     {1000, 1050, 1000, 1020, 1000},
     0,
     COMPARE_INCONCLUSIVE,
     "interval_crosses_margin",
     1,
     5},
    {"two processes", {1000, 1100}, {500, 550}, 0, COMPARE_INCONCLUSIVE, "too_few_processes", 0.5, 2},
    {"one process", {1000}, {500}, 0, COMPARE_INCONCLUSIVE, "too_few_processes", 0.5, 1},
    {"not timed", {1000, 1000, 1000}, {0}, 0, COMPARE_INCONCLUSIVE, "no_timing", NAN, 0},
    /* arms in processes of their own: 0..4 and 10..14 */
    {"half, not in pairs",
     {1000, 1001, 1002, 1003, 1004},
     {500, 500.5, 501, 501.5, 502},
     10,
     COMPARE_FASTER,
     "interval_below_margin",
     0.5,
     5},
    /* shared drift of 40% hides 10% when the arms are not in the same processes ... */
    {"drift, not in pairs",
     {1000, 1100, 1200, 1300, 1400},
     {900, 990, 1080, 1170, 1260},
     10,
     COMPARE_INCONCLUSIVE,
     "interval_crosses_margin",
     0.9,
     5},
    /* ... and does not when they are */
    {"drift, in pairs",
     {1000, 1100, 1200, 1300, 1400},
     {900, 990, 1080, 1170, 1260},
     0,
     COMPARE_FASTER,
     "interval_below_margin",
     0.9,
     5},
    /* the candidate died in process 0: four pairs are left */
    {"a process lost",
     {1000, 1100, 1200, 1300, 1400},
     {880, 960, 1040, 1120},
     1,
     COMPARE_FASTER,
     "interval_below_margin",
     0.8,
     4},
};

static void comparisons_follow_from_the_interval(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(comparison_cases); i++) {
        const struct comparison_case *c = &comparison_cases[i];
        struct trial t;
        build_comparison_case(c, &t.scratch);
        trial_judge(&t);
        assert_int_equal(t.analysis.comparisons.count, 1);
        const struct comparison *got = &t.analysis.comparisons.items[0];
        if (got->verdict != c->verdict || strcmp(comparison_reasons[got->reason].key, c->reason) != 0)
            fail_msg("%s: %s, %s, [%g, %g]", c->what, comparison_verdict_name(got->verdict),
                     comparison_reasons[got->reason].key, got->ci_low, got->ci_high);
        assert_int_equal(got->n_processes, c->n_processes);
        if (!isnan(c->ratio)) {
            assert_near(got->ratio, c->ratio, 1e-12);
            assert_near(got->speedup, 1 / c->ratio, 1e-12);
            assert_near(got->gain, 1 - c->ratio, 1e-12);
            assert_near(got->clock_ratio, 1, 1e-12);
        }
        trial_end(&t);
    }
}

static void the_first_comparison_to_the_last_digit(void **state)
{
    (void)state;
    struct trial t;
    build_comparison_case(&comparison_cases[0], &t.scratch);
    trial_judge(&t);
    const struct comparison *c = &t.analysis.comparisons.items[0];
    assert_near(c->baseline_ns, pow(1000.0 * 1100 * 1200 * 1300 * 1400, 0.2), 1e-9);
    assert_near(c->candidate_ns, 0.8 * c->baseline_ns, 1e-9);
    assert_near(c->ci_low, 0.8, 1e-12);
    assert_near(c->ci_high, 0.8, 1e-12);
    assert_near(c->mde, 0.01, 1e-12);   /* an interval without width needs only the margin */
    assert_int_equal(c->n_samples, 30); /* 2 arms, 5 processes, 3 each */

    /* 15 samples 999..1001, 1099..1101, ... 1399..1401: the 8th is 1200. */
    const struct timing_summary *timing = &t.analysis.timings.items[0];
    assert_near(timing->p50_ns, 1200, 1e-9);
    assert_near(timing->min_ns, 999, 1e-9);
    assert_near(timing->mean_ns, 1200, 1e-9);
    assert_near(timing->p90_ns, 1399.6, 1e-9); /* position 0.9 * 14 = 12.6, between 1399 and 1400 */
    assert_near(timing->flops_per_s, 2e6 / 1200e-9, 1);
    assert_near(timing->bytes_per_s, 3e3 / 1200e-9, 1);
    assert_true(isnan(t.analysis.timings.items[1].flops_per_s)); /* it states none */
    assert_int_equal(timing->samples, 15);
    assert_int_equal(timing->processes, 5);
    trial_end(&t);
}

static void what_failed_is_never_a_win(void **state)
{
    (void)state;
    static const struct {
        const char *verify[3];
        bool wrong_kernel;
        enum comparison_verdict verdict;
        const char *reason;
    } cases[] = {
        {{"p/async|mission|0|0|before|0|0|9|h|yes|yes|", "p/async|mission|0|0|after|2.5|0.25|9|h|no|no|stage 2 early"},
         false,
         COMPARE_UNUSABLE,
         "failed_verification"},
        {{"p/async|ragged|0|0|before|2.5|0.25|9|h||no|"}, false, COMPARE_UNUSABLE, "failed_verification"},
        {{"p/sync|mission|0|0|before|2.5|0.25|9|h||no|"}, false, COMPARE_UNUSABLE, "wrong_baseline"},
        {{"p/async|mission|0|0|before|0|0|9|h|yes|yes|"}, true, COMPARE_UNUSABLE, "wrong_kernel"},
        {{"p/async|mission|0|0|before|0|0|9|h|yes|yes|"}, false, COMPARE_FASTER, "interval_below_margin"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct trial t;
        build_comparison_case(&comparison_cases[0], &t.scratch);
        for (size_t row = 0; row < COUNT_OF(cases[i].verify) && cases[i].verify[row]; row++)
            scratch_row(&t.scratch, BUNDLE_VERIFY, cases[i].verify[row]);
        if (cases[i].wrong_kernel) {
            struct tape tape;
            tape_open(&tape, &t.scratch);
            tape_phase(&tape, "p/async | mission | measure", SYNC_SYMBOL, 1);
            tape_close(&tape);
        }
        trial_judge(&t);
        const struct comparison *c = &t.analysis.comparisons.items[0];
        assert_int_equal(c->verdict, cases[i].verdict);
        assert_string_equal(comparison_reasons[c->reason].key, cases[i].reason);
        const bool unusable = c->verdict == COMPARE_UNUSABLE;
        assert_true(isnan(c->ratio) == unusable);
        assert_int_equal(analysis_status(&t.analysis), unusable ? EXIT_CHECK_FAILED : EXIT_INCONCLUSIVE);
        trial_end(&t);
    }
}

static void the_same_code_is_said(void **state)
{
    (void)state;
    struct trial t;
    scratch_create(&t.scratch);
    static const char *const rows[] = {
        "p/a|mission|k|132|256|32|0|0|0|8|1|1|feed|1024",  "p/b|mission|k|132|256|32|0|0|0|8|1|1|feed|1024",
        "p/c|mission|k|132|256|32|0|0|0|8|1|1|beef|1024",  "p/d|mission|k|132|256|32|0|0||8|1|1||", /* unknown */
        "p/e|mission|k|132|256|32|0|0||8|1|1||",           "p/f|other|k|132|256|32|0|0|0|8|1|1|feed|1024",
        "p/b|mission|k2|132|256|32|0|0|0|8|1|1|feed|1024", /* a second kernel with the code of the first */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        scratch_row(&t.scratch, BUNDLE_RESOURCES, rows[i]);
    trial_judge(&t);
    assert_int_equal(t.analysis.resources.count, COUNT_OF(rows));
    assert_int_equal(t.analysis.identical.count, 1);
    assert_string_equal(t.analysis.identical.items[0].a, "p/a");
    assert_string_equal(t.analysis.identical.items[0].b, "p/b");
    assert_non_null(
        strstr(find(&t.analysis, "identical-code")->claim, "a difference is noise, or of arguments, streams or data"));
    assert_true(t.analysis.identical.items[0].launched_alike);
    assert_true(isnan(t.analysis.resources.items[3].spill_bytes));
    trial_end(&t);
}

/* One kernel with another grid is another experiment; launched alike it is the same one. */
static void the_same_code_is_the_same_kernel_only_when_launched_alike(void **state)
{
    (void)state;
    static const struct {
        const char *candidate;
        enum comparison_verdict verdict;
        const char *reason, *claim;
    } cases[] = {
        {"p/async|mission|k|132|256|32|0|0|0|8|1|1|feed|1024", COMPARE_INCONCLUSIVE, "identical_code", "is noise"},
        {"p/async|mission|k|1056|256|32|0|0|0|8|1|1|feed|1024", COMPARE_FASTER, "interval_below_margin",
         "launched differently"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct trial t;
        build_comparison_case(&comparison_cases[0], &t.scratch);
        scratch_row(&t.scratch, BUNDLE_RESOURCES, "p/sync|mission|k|132|256|32|0|0|0|8|1|1|feed|1024");
        scratch_row(&t.scratch, BUNDLE_RESOURCES, cases[i].candidate);
        trial_judge(&t);
        assert_int_equal(t.analysis.comparisons.items[0].verdict, cases[i].verdict);
        assert_string_equal(comparison_reasons[t.analysis.comparisons.items[0].reason].key, cases[i].reason);
        assert_non_null(strstr(find(&t.analysis, "identical-code")->claim, cases[i].claim));
        trial_end(&t);
    }
}

/* Single launches carry the cost of their events, graphs of many do not. */
static void two_ways_of_timing_make_no_ratio(void **state)
{
    (void)state;
    struct trial t;
    scratch_create(&t.scratch);
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "p/sync|mission|||||||");
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "p/async|mission|p/sync||||||");
    for (int process = 0; process < 5; process++) {
        char row[128];
        snprintf(row, sizeof row, "p/sync|mission|%d|0|0|0|hot|1|1.6e9|5500", process);
        scratch_row(&t.scratch, BUNDLE_TIMING, row);
        snprintf(row, sizeof row, "p/async|mission|%d|0|1|0|hot|100|1.6e9|3400", process);
        scratch_row(&t.scratch, BUNDLE_TIMING, row);
    }
    trial_judge(&t);
    assert_int_equal(t.analysis.comparisons.items[0].verdict, COMPARE_UNUSABLE);
    assert_string_equal(comparison_reasons[t.analysis.comparisons.items[0].reason].key, "mixed_timing");
    assert_non_null(strstr(t.analysis.comparisons.items[0].detail, "baseline 1, candidate 100"));
    assert_true(isnan(t.analysis.comparisons.items[0].ratio));
    trial_end(&t);
}

/* A sample of which nobody knows whether it is of a graph makes no ratio either. */
static void an_unknown_way_of_timing_makes_no_ratio(void **state)
{
    (void)state;
    struct trial t;
    scratch_create(&t.scratch);
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "p/sync|mission|||||||");
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "p/async|mission|p/sync||||||");
    for (int process = 0; process < 5; process++) {
        char row[128];
        snprintf(row, sizeof row, "p/sync|mission|%d|0|0|0|hot|1|1.6e9|5500", process);
        scratch_row(&t.scratch, BUNDLE_TIMING, row);
        snprintf(row, sizeof row, "p/async|mission|%d|0|1|0|hot|%s|1.6e9|3400", process, process == 3 ? "" : "1");
        scratch_row(&t.scratch, BUNDLE_TIMING, row);
    }
    trial_judge(&t);
    assert_int_equal(t.analysis.comparisons.items[0].verdict, COMPARE_UNUSABLE);
    assert_string_equal(comparison_reasons[t.analysis.comparisons.items[0].reason].key, "mixed_timing");
    assert_non_null(
        strstr(t.analysis.comparisons.items[0].detail,
               "the candidate has samples of single launches and of graphs, or some whose batch is not known"));
    trial_end(&t);
}

/* 10% less time on a clock that is 12.5% higher is 0.9 * 1.125 = 1.0125 times the cycles. */
static void a_faster_clock_is_no_faster_kernel(void **state)
{
    (void)state;
    struct trial t;
    scratch_create(&t.scratch);
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "p/sync|mission|||||||");
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "p/async|mission|p/sync||||||");
    for (int process = 0; process < 3; process++) {
        char row[128];
        snprintf(row, sizeof row, "p/sync|mission|%d|0|0|0|hot|1|1.6e9|1000", process);
        scratch_row(&t.scratch, BUNDLE_TIMING, row);
        snprintf(row, sizeof row, "p/async|mission|%d|0|1|0|hot|1|1.8e9|900", process);
        scratch_row(&t.scratch, BUNDLE_TIMING, row);
        snprintf(row, sizeof row, "p/async|mission|%d|0|1|0|cold|1|1.8e9|9000", process); /* not compared */
        scratch_row(&t.scratch, BUNDLE_TIMING, row);
    }
    trial_judge(&t);
    assert_near(t.analysis.comparisons.items[0].ratio, 0.9, 1e-12);
    assert_near(t.analysis.comparisons.items[0].clock_ratio, 1.125, 1e-12);
    assert_int_equal(t.analysis.comparisons.items[0].verdict, COMPARE_INCONCLUSIVE);
    assert_string_equal(comparison_reasons[t.analysis.comparisons.items[0].reason].key, "clock_difference");
    const struct finding *clock = find(&t.analysis, "clock-difference");
    assert_non_null(clock);
    assert_near(clock->evidence.items[2].value, 1.0125, 1e-12);
    trial_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons_follow_from_the_interval),
        cmocka_unit_test(the_first_comparison_to_the_last_digit),
        cmocka_unit_test(what_failed_is_never_a_win),
        cmocka_unit_test(the_same_code_is_said),
        cmocka_unit_test(the_same_code_is_the_same_kernel_only_when_launched_alike),
        cmocka_unit_test(two_ways_of_timing_make_no_ratio),
        cmocka_unit_test(an_unknown_way_of_timing_makes_no_ratio),
        cmocka_unit_test(a_faster_clock_is_no_faster_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
