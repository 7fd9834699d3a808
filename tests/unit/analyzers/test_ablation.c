/* Is it read from four times how much of the copying is hidden, only with receipts, and does no build without a part of
 * its work pass for a result? */
#include "tests/unit/written_run.h"

#include <math.h>

#include "analyzers/ablation/ablation_parts.h"
#include "analyzers/entries.h"
#include "tests/unit/named_arms.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static const char *const arms[] = {"f/v", "f/v+without-copy", "f/v+without-math", "f/v+without-both"};
enum { ARMS = 4 };

static void count(struct written_run *r, size_t arm, const char *metric, double value)
{
    add_row(r, BUNDLE_METRICS, "%s|m|k|0|%s|count|%.3f", arms[arm], metric, value);
}

#define LDGSTS "sm__sass_inst_executed_op_ldgsts.sum"
#define FFMA   "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"
#define DRAM   "dram__throughput.avg.pct_of_peak_sustained_elapsed"

static double dram_load; /* of every arm; NAN is no number */

/* A launch takes 1,000 ns, of which 400 are neither: copies alone take 400 more, math alone 500. */
static void start(struct written_run *r, const double *ns, const double *ldgsts, const double *ffma, int blocks_of_last)
{
    written_begin(r, 2);
    for (size_t i = 0; i < ARMS; i++) {
        add_row(r, BUNDLE_VARIANTS, "%s|m|%s", arms[i], i ? arms[0] : "");
        for (int process = 0; process < 4; process++)
            add_row(r, BUNDLE_TIMING, "%s|m|%d|0|0|0|hot|1||%.0f|no", arms[i], process, ns[i]);
        add_row(r, BUNDLE_RESOURCES, "%s|m|k|4|256|64|0|0|0|%d|0.5|1", arms[i], i + 1 < ARMS ? 2 : blocks_of_last);
        count(r, i, LDGSTS, ldgsts[i]);
        count(r, i, FFMA, ffma[i]);
        count(r, i, DRAM, dram_load);
        struct selection_check *check = ARRAY_PUSH(&r->analysis.selection);
        *check = (struct selection_check){.variant = arms[i], .config = "m", .status = VERDICT_PASS, .reason = ""};
    }
    add_row(r, BUNDLE_VERIFY, "f/v|m|0|1|before|0|0|10|||yes");
    add_row(r, BUNDLE_VERIFY, "f/v|m|0|1|timed|0|0|10|||yes");
}

static const struct ablation *ask(struct written_run *r)
{
    MUST(analysis_join(&r->analysis, &e));
    MUST(correctness_analyze(&r->analysis, &e));
    MUST(resources_analyze(&r->analysis, &e));
    name_arms(&r->analysis);
    MUST(ablation_analyze(&r->analysis, &e));
    assert_int_equal(r->analysis.ablations.count, 1);
    return &r->analysis.ablations.items[0];
}

static const double times[ARMS] = {1000, 900, 800, 400}, copies[ARMS] = {64, 0, 64, 0}, math[ARMS] = {500, 500, 0, 0};

/* Without copies 900, of which 500 are math; without math 800, of which 400 are copies: 300 are both at once. */
static void four_times_say_it(void **state)
{
    (void)state;
    struct written_run run;
    start(&run, times, copies, math, 2);
    const struct ablation *row = ask(&run);
    assert_string_equal(row->reason, "");
    NEAR(row->copy_ns.value, 400);
    NEAR(row->compute_ns.value, 500);
    NEAR(row->hidden_ns.value, 300);
    NEAR(row->h.value, 0.75);
    NEAR(row->e.value, 0.75);
    NEAR(row->e.low, 0.75 - ABLATION_ERROR); /* all processes took the same time */
    NEAR(row->e.high, 0.75 + ABLATION_ERROR);
    assert_true(row->is_ok);
    assert_string_equal(row->recorder_scope, "");
    written_end(&run);
}

/* Each changes one number of one build. */
static void without_receipts_it_is_inconclusive(void **state)
{
    (void)state;
    static const struct {
        size_t arm;
        double ns, ldgsts, ffma; /* below 0: as it was */
        int blocks;
        const char *reason, *differs;
    } rows[] = {
        {2, -1, 60, -1, 2, "other_work", "ldgsts"},        /* the build without math copies less */
        {1, -1, -1, 400, 2, "other_work", "ffma_threads"}, /* the compiler took math away with the copies */
        {3, -1, -1, -1, 1, "other_occupancy", ""},         /* fewer blocks at once: the grid has two for an SM */
        {3, -1, 1, -1, 2, "other_work", "ldgsts"},         /* the build without both copies what the other does not */
        {1, 1100, -1, -1, 2, "slower_without", ""},        /* who does less takes longer */
        {2, 400, -1, -1, 2, "nothing_alone", ""},          /* copies take no time */
        {1, 400, -1, -1, 2, "nothing_alone", ""},          /* nor does math */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct written_run run;
        double ns[ARMS], ldgsts[ARMS], ffma[ARMS];
        memcpy(ns, times, sizeof ns);
        memcpy(ldgsts, copies, sizeof ldgsts);
        memcpy(ffma, math, sizeof ffma);
        ns[rows[i].arm] = rows[i].ns < 0 ? ns[rows[i].arm] : rows[i].ns;
        ldgsts[rows[i].arm] = rows[i].ldgsts < 0 ? ldgsts[rows[i].arm] : rows[i].ldgsts;
        ffma[rows[i].arm] = rows[i].ffma < 0 ? ffma[rows[i].arm] : rows[i].ffma;
        start(&run, ns, ldgsts, ffma, rows[i].blocks);
        const struct ablation *row = ask(&run);
        assert_string_equal(row->reason, rows[i].reason);
        assert_string_equal(row->receipt.differs, rows[i].differs);
        assert_false(row->is_ok);
        written_end(&run);
    }
}

/* Counters that are 0 in every build show nothing, and a build that still copies leaves nothing out. */
static void copies_must_be_counted_and_left_out(void **state)
{
    (void)state;
    static const struct {
        double copies[ARMS];
        const char *reason;
    } rows[] = {{{64, 6, 64, 6}, ""}, {{64, 7, 64, 7}, "copies_left"}, {{0, 0, 0, 0}, "not_counted"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct written_run run;
        start(&run, times, rows[i].copies, math, 2);
        assert_string_equal(ask(&run)->reason, rows[i].reason);
        written_end(&run);
    }
}

/* 0.75, from 0.6 to 0.9 with its error; the grid gives each SM two blocks, so the scope is that of the SM. */
static void the_recorder_must_not_say_otherwise(void **state)
{
    (void)state;
    static const struct {
        struct bounded e;
        const char *scope, *reason;
    } rows[] = {{{0.5, 0.4, 0.61}, "sm", ""},
                {{0.5, 0.4, 0.59}, "sm", "recorder_disagrees"},
                {{0.95, 0.91, 1}, "sm", "recorder_disagrees"},
                {{0.95, 0.91, 1}, "cta", ""}}; /* neighbours may hide what the block does not */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct written_run run;
        start(&run, times, copies, math, 2);
        add_row(&run, BUNDLE_VARIANTS, "f/v+record|m|f/v");
        struct inside *inside = ARRAY_PUSH(&run.analysis.insides);
        assert_non_null(inside);
        *inside = (struct inside){.variant = "f/v+record", .config = "m", .overlap_count = 1, .is_ok = true};
        inside->overlaps[0] = (struct inside_overlap){.scope = rows[i].scope, .e = rows[i].e};
        const struct ablation *row = ask(&run);
        assert_string_equal(row->reason, rows[i].reason);
        assert_string_equal(row->recorder_scope, strcmp(rows[i].scope, "sm") ? "" : "sm");
        written_end(&run);
    }
}

/* Copies that load the memory more than in the variant take longer than there. */
static void memory_under_load_makes_it_inconclusive(void **state)
{
    (void)state;
    static const struct {
        double load;
        const char *reason;
    } rows[] = {{0.5, ""}, {0.501, "memory_load"}, {NAN, "not_counted"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct written_run run;
        dram_load = rows[i].load;
        start(&run, times, copies, math, 2);
        assert_string_equal(ask(&run)->reason, rows[i].reason);
        written_end(&run);
    }
    dram_load = 0;
}

/* Nothing was verified of them, and that is said of none: they are no results. One that was verified is a variant of
 * that name, and no build. */
static void they_are_no_results(void **state)
{
    (void)state;
    struct written_run run;
    start(&run, times, copies, math, 2);
    ask(&run);
    assert_int_equal(run.analysis.correctness.count, 1);
    assert_string_equal(run.analysis.correctness.items[0].variant, "f/v");
    MUST(timing_analyze(&run.analysis, &e));
    assert_int_equal(run.analysis.timings.count, 1);
    MUST(compare_analyze(&run.analysis, &e));
    assert_int_equal(run.analysis.comparisons.count, 0);
    MUST(bound_analyze(&run.analysis, &e));
    assert_int_equal(run.analysis.bounds.count, 1);
    written_end(&run);

    start(&run, times, copies, math, 2);
    add_row(&run, BUNDLE_VERIFY, "f/v+without-copy|m|0|1|before|1|1|10|||no");
    const struct ablation *row = ask(&run);
    assert_string_equal(row->reason, "no_arm");
    assert_int_equal(run.analysis.correctness.count, 2);
    assert_int_equal(run.analysis.correctness.items[1].status, VERDICT_FAIL);
    written_end(&run);
}

/* Each time from 1% below to 1% above: the low end has the shorter times of the builds that copy or compute, and the
 * longer one of the build that does neither. */
static void the_interval_is_that_of_the_corners(void **state)
{
    (void)state;
    const struct ablation_times in = {.without = {[LEFT_OUT_COPY] = {0.9, 0.89, 0.91},
                                                  [LEFT_OUT_MATH] = {0.8, 0.79, 0.81},
                                                  [LEFT_OUT_BOTH] = {0.4, 0.39, 0.41}}};
    const struct ablation_shares s = ablation_shares_of(&in);
    NEAR(s.e.value, 0.75);
    NEAR(s.e.low, (0.79 + 0.89 - 1 - 0.41) / (0.79 - 0.41) - ABLATION_ERROR);
    NEAR(s.e.high, (0.81 + 0.91 - 1 - 0.39) / (0.81 - 0.39) + ABLATION_ERROR);
    NEAR(s.copy.low, 0.79 - 0.41);
    NEAR(s.compute.high, 0.91 - 0.39);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_times_say_it),
        cmocka_unit_test(without_receipts_it_is_inconclusive),
        cmocka_unit_test(copies_must_be_counted_and_left_out),
        cmocka_unit_test(the_recorder_must_not_say_otherwise),
        cmocka_unit_test(memory_under_load_makes_it_inconclusive),
        cmocka_unit_test(they_are_no_results),
        cmocka_unit_test(the_interval_is_that_of_the_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
