/* Is exposed latency told from hidden latency, with the right numbers? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/entries.h"
#include "core/base/array.h"
#include "core/bundle/bundle.h"
#include "core/gpu/metrics.h"
#include "tests/test.h"
#include "tests/unit/named_arms.h"

struct recorded {
    struct bundle bundle;
    struct analysis analysis;
};

/* What one arm's counters say. Shares in ratios, stalls in cycles per instruction. */
struct counted_arm {
    const char *variant, *config;
    double fma, dram, issue, warp_latency, long_scoreboard, barrier, wait, mio_throttle, warps_per_sm, ldgsts;
};

static void add_metric(struct recorded *run, const struct counted_arm *arm, const char *name, double value)
{
    struct table *t = &run->bundle.tables[BUNDLE_METRICS];
    struct cell *row = table_add_row(t);
    assert_non_null(row);
    row[METRICS_VARIANT] = cell_text(t, arm->variant);
    row[METRICS_SHAPE] = cell_text(t, arm->config);
    row[METRICS_KERNEL] = cell_text(t, "kernel");
    row[METRICS_METRIC] = cell_text(t, name);
    row[METRICS_VALUE] = cell_number(value);
}

static void add_arm(struct recorded *run, const struct counted_arm *arm)
{
    const struct {
        const char *id;
        double value;
    } rows[] = {
        {"fma_share", arm->fma},
        {"dram_share", arm->dram},
        {"issue_share", arm->issue},
        {"warp_latency", arm->warp_latency},
        {"stall_long_scoreboard", arm->long_scoreboard},
        {"stall_barrier", arm->barrier},
        {"stall_wait", arm->wait},
        {"stall_mio_throttle", arm->mio_throttle},
        {"warps_per_sm", arm->warps_per_sm},
        {"ldgsts", arm->ldgsts},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (!isnan(rows[i].value))
            add_metric(run, arm, metric_by_id(rows[i].id)->name, rows[i].value);
}

static void run_start(struct recorded *run, const struct counted_arm *arms, size_t count)
{
    bundle_init(&run->bundle);
    analysis_init(&run->analysis, &run->bundle);
    for (size_t i = 0; i < count; i++)
        add_arm(run, &arms[i]);
}

static void add_comparison(struct recorded *run, const char *baseline, const char *candidate, const char *config,
                           double gain, enum comparison_verdict verdict)
{
    struct comparison *c = ARRAY_PUSH(&run->analysis.comparisons);
    assert_non_null(c);
    *c = (struct comparison){
        .baseline = baseline, .candidate = candidate, .config = config, .gain = gain, .verdict = verdict};
}

static void ask(struct recorded *run)
{
    struct err e = {0};
    assert_int_equal(analysis_join(&run->analysis, &e), 0);
    name_arms(&run->analysis);
    assert_int_equal(latency_analyze(&run->analysis, &e), 0);
}

static void run_end(struct recorded *run)
{
    analysis_release(&run->analysis);
    bundle_release(&run->bundle);
}

/* Tiles with plain loads: few warps wait for loads, many hide them. The numbers
 * of the four blocks were measured on an H200; those of the one are made up. */
#define ONE_BLOCK                                                                                                      \
    {                                                                                                                  \
        "plain", "large ctas_per_sm=1 work=400", 0.28, 0.08, 0.35, 5.7, 1.4, 0.2, 2.57, 0, 8, 0                        \
    }
#define FOUR_BLOCKS                                                                                                    \
    {                                                                                                                  \
        "plain", "large ctas_per_sm=4 work=400", 0.611, 0.1695, 0.7754, 7.70, 1.43, 0.40, 2.57, 0, 24.08, 0            \
    }

TEST(few_blocks_expose_many_hide)
{
    /* "staged" differs in its loads alone, and has nothing else to say */
    static const struct counted_arm arms[] = {
        ONE_BLOCK,
        FOUR_BLOCKS,
        {.variant = "staged", .config = "large ctas_per_sm=1 work=400", .ldgsts = 4096},
        {.variant = "staged", .config = "large ctas_per_sm=4 work=400", .ldgsts = 4096},
    };
    struct recorded run;
    run_start(&run, arms, COUNT_OF(arms));
    add_comparison(&run, "plain", "staged", arms[0].config, 0.248, COMPARE_FASTER);
    add_comparison(&run, "plain", "staged", arms[1].config, 0.061, COMPARE_FASTER);
    ask(&run);
    assert_int_equal(run.analysis.findings.count, 2);
    const struct finding *exposed = &run.analysis.findings.items[0], *hidden = &run.analysis.findings.items[1];
    /* (1.4 + 0.2) / 5.7 = 28.1%; 1 - 0.35 = 65% */
    assert_string_equal(exposed->id, "latency-exposed");
    assert_string_equal(exposed->claim,
                        "load latency is exposed: warps wait for loads and barriers 28.1% of their cycles, "
                        "issue slots busy 35.0% of elapsed cycles with 8.0 warps per SM; perfect overlap "
                        "could bring at most 65.0%, measured +24.8% with 'staged'");
    assert_int_equal(exposed->severity, SEVERITY_ADVICE);
    /* 1 - 0.7754 = 22.46% */
    assert_string_equal(hidden->id, "latency-hidden");
    assert_string_equal(hidden->claim,
                        "occupancy already hides the latency: issue slots busy 77.5% of elapsed cycles with "
                        "24.1 warps per SM (35.0% at ctas_per_sm=1); perfect overlap could bring at most "
                        "22.5%, measured +6.1% with 'staged'");
    assert_string_equal(hidden->config, arms[1].config);
    assert_string_equal(hidden->evidence.items[0].metric, "sm__inst_issued.avg.pct_of_peak_sustained_elapsed");
    run_end(&run);
}

TEST(one_finding_or_none)
{
    static const struct {
        const char *what;
        struct counted_arm arm;
        const char *id, *says; /* NULL: no finding */
    } cases[] = {
        {"busy pipe", {"v", "s", 0.88, 0.10, 0.70, 8, 1, 0, 2, 0, 32, 0}, "latency-hidden", "fma pipe busy 88.0%"},
        {"busy memory", {"v", "s", 0.10, 0.85, 0.10, 300, 290, 0, 2, 0, 62, 0}, "latency-hidden", "dram busy 85.0%"},
        {"copies ahead",
         {"v", "s", 0.88, 0.10, 0.70, 8, 1, 0, 2, 0, 32, 4096},
         "latency-hidden",
         "asynchronous copies and occupancy hide the latency"},
        {"nothing is loaded", {"v", "s", 0.95, 0.005, 0.97, 8, 0, 0, 2, 0, 32, 0}, NULL, NULL},
        {"60% and 16 warps", {"v", "s", 0.60, 0.10, 0.50, 8, 1, 0, 2, 0, 16, 0}, "latency-hidden", "at most 40.0%"},
        {"60% and 15 warps", {"v", "s", 0.60, 0.10, 0.50, 8, 1, 0, 2, 0, 15, 0}, NULL, NULL},
        {"59% and 16 warps, no stalls", {"v", "s", 0.59, 0.10, 0.50, 8, 0.1, 0.1, 2, 0, 16, 0}, NULL, NULL},
        /* (0.7 + 0.1) / 8 = 10% */
        {"stalls at the limit", {"v", "s", 0.30, 0.10, 0.20, 8, 0.7, 0.1, 5, 0, 8, 0}, "latency-exposed", "10.0%"},
        {"stalls below it", {"v", "s", 0.30, 0.10, 0.20, 8, 0.69, 0.1, 5, 0, 8, 0}, NULL, NULL},
        {"another stall leads", {"v", "s", 0.30, 0.10, 0.20, 8, 1.0, 0.1, 1, 1.2, 8, 0}, NULL, NULL},
        {"no stall counters", {"v", "s", 0.30, 0.10, 0.20, NAN, NAN, NAN, NAN, NAN, 8, 0}, NULL, NULL},
        {"no compute counters", {"v", "s", NAN, 0.90, 0.20, 8, 4, 0, 1, 0, 8, 0}, NULL, NULL},
        {"issue slots unknown",
         {"v", "s", 0.85, 0.10, NAN, 8, 1, 0, 2, 0, NAN, NAN},
         "latency-hidden",
         "occupancy already hides the latency: fma pipe busy 85.0% of elapsed cycles; perfect"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recorded run;
        run_start(&run, &cases[i].arm, 1);
        ask(&run);
        const struct finding *f = run.analysis.findings.items;
        if (run.analysis.findings.count != (cases[i].id ? 1u : 0u))
            fail_msg("%s: %zu findings: %s", cases[i].what, run.analysis.findings.count, f ? f->claim : "");
        if (cases[i].id) {
            assert_string_equal(f->id, cases[i].id);
            if (!strstr(f->claim, cases[i].says))
                fail_msg("%s: '%s'", cases[i].what, f->claim);
        }
        run_end(&run);
    }
}

/* 65% busy with 12 warps is hidden only beside a comparable arm with fewer blocks. */
TEST(a_rise_counts_only_between_comparable_shapes)
{
    static const struct {
        const char *variant, *config, *own_shape;
        double busy; /* of the other arm */
        bool hidden;
    } cases[] = {
        {"v", "ctas_per_sm=1", "ctas_per_sm=2", 0.55, true}, /* rise 10 */
        {"v", "ctas_per_sm=1", "ctas_per_sm=2", 0.56, false},
        {"v", "ctas_per_sm=4", "ctas_per_sm=2", 0.30, false}, /* more blocks */
        {"w", "ctas_per_sm=1", "ctas_per_sm=2", 0.30, false}, /* another variant */
        {"v", "ctas_per_sm=1 work=8", "ctas_per_sm=2 work=9", 0.30, false},
        {"v", "big ctas_per_sm=1 work=8", "big ctas_per_sm=2 work=8", 0.30, true},
        {"v", "big ctas_per_sm=1", "big ctas_per_sm=2", 0.30, true},
        {"v", "xctas_per_sm=1", "xctas_per_sm=2", 0.30, false}, /* another parameter */
        {"v", "ctas_per_sm=", "ctas_per_sm=2", 0.30, false},
        {"v", "ctas_per_sm=99999999999999999999", "ctas_per_sm=2", 0.30, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct counted_arm arms[] = {
            {"v", cases[i].own_shape, 0.65, 0.10, 0.10, 8, 0.1, 0, 2, 0, 12, 0},
            {cases[i].variant, cases[i].config, cases[i].busy, 0.10, 0.10, 8, 0.1, 0, 2, 0, 8, 0},
        };
        struct recorded run;
        run_start(&run, arms, COUNT_OF(arms));
        ask(&run);
        if (run.analysis.findings.count != cases[i].hidden)
            fail_msg("case %zu: %zu findings", i, run.analysis.findings.count);
        run_end(&run);
    }
}

TEST(only_proven_gains_are_joined)
{
    static const struct counted_arm arm = {"v", "s", 0.88, 0.10, 0.70, 8, 1, 0, 2, 0, 32, 0};
    static const char *const others[] = {"lucky", "wrong", "elsewhere", "other", "slower", "same"};
    struct recorded run;
    run_start(&run, &arm, 1);
    for (size_t i = 0; i < COUNT_OF(others); i++)
        add_arm(&run, &(struct counted_arm){.variant = others[i], .config = "s", .ldgsts = 64});
    add_comparison(&run, "v", "lucky", "s", 0.05, COMPARE_INCONCLUSIVE);
    add_comparison(&run, "v", "wrong", "s", 0.04, COMPARE_UNUSABLE);
    add_comparison(&run, "v", "elsewhere", "t", 0.03, COMPARE_FASTER);
    add_comparison(&run, "u", "other", "s", 0.02, COMPARE_FASTER);
    add_comparison(&run, "v", "slower", "s", -0.031, COMPARE_SLOWER);
    add_comparison(&run, "v", "same", "s", 0.002, COMPARE_EQUIVALENT);
    ask(&run);
    assert_true(run.analysis.findings.count > 0);
    assert_non_null(strstr(run.analysis.findings.items[0].claim, "at most 12.0%, measured +0.2% with 'same'"));
    run_end(&run);
}

/* An arm of which nothing but the work was counted; 0: not that either. */
static void add_work(struct recorded *run, const char *variant, double ldgsts, double instructions, double ffma_threads)
{
    const struct counted_arm arm = {.variant = variant, .config = "s"};
    const struct {
        const char *id;
        double value;
    } rows[] = {{"ldgsts", ldgsts}, {"instructions", instructions}, {"ffma_threads", ffma_threads}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].value > 0)
            add_metric(run, &arm, metric_by_id(rows[i].id)->name, rows[i].value);
}

/* Overlap brings at most 1 - 0.30 = 70% here. */
TEST(another_algorithm_is_no_measure_of_overlap)
{
    static const struct counted_arm arm = {"v", "s", 0.30, 0.10, 0.20, 8, 2, 0, 2, 0, 8, 64};
    static const struct {
        const char *what;
        double ldgsts, instructions, ffma_threads, gain;
        bool named;
    } cases[] = {
        {"same instructions", 64, 1000, 500, 0.3, true},
        {"a quarter less", 64, 750, 500, 0.3, true},
        {"more than that less", 64, 749, 500, 0.3, false},
        {"its loads are copies", 128, 500, 500, 0.3, true},
        {"operations of another kind", 64, 1000, 494, 0.3, false},
        {"the same, but for rounding", 64, 1000, 495, 0.3, true},
        {"copies and another algorithm", 128, 1000, 100, 0.3, false},
        {"at the bound", 64, 1000, 500, 0.7, true},
        {"above the bound", 64, 1000, 500, 0.701, false},
        {"instructions not counted", 64, 0, 500, 0.3, false},
        {"nothing counted", 0, 0, 0, 0.3, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recorded run;
        run_start(&run, &arm, 1);
        add_work(&run, "v", 0, 1000, 500);
        add_work(&run, "w", cases[i].ldgsts, cases[i].instructions, cases[i].ffma_threads);
        add_comparison(&run, "v", "w", "s", cases[i].gain, COMPARE_FASTER);
        ask(&run);
        assert_true(run.analysis.findings.count > 0);
        const char *claim = run.analysis.findings.items[0].claim;
        assert_non_null(strstr(claim, "at most 70.0%"));
        if (!!strstr(claim, "measured") != cases[i].named)
            fail_msg("%s: '%s'", cases[i].what, claim);
        run_end(&run);
    }
}

/* Of asynchronous copies only cp.async is counted. */
TEST(what_loads_by_tma_is_not_known)
{
    static const struct {
        const char *capability;
        double ldgsts;
        bool doubts;
    } cases[] = {{"9.0", 0, true},  {"9.0", NAN, true}, {"9.0", 64, false}, {"10.0", 0, true},
                 {"12.0", 0, true}, {"8.0", 0, false},  {"", 0, false}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct counted_arm arm = {"v", "s", 0.30, 0.10, 0.20, 8, 2, 0, 2, 0, 8, cases[i].ldgsts};
        struct recorded run;
        run_start(&run, &arm, 1);
        run.bundle.manifest = json_pack("{s:{s:s}}", "gpu", "compute_capability", cases[i].capability);
        assert_non_null(run.bundle.manifest);
        ask(&run);
        assert_int_equal(run.analysis.findings.count, 1);
        const char *advice = run.analysis.findings.items[0].advice;
        assert_non_null(strstr(advice, "load further ahead"));
        if (!!strstr(advice, "unless it loads by TMA already") != cases[i].doubts)
            fail_msg("case %zu: '%s'", i, advice);
        run_end(&run);
    }
}

static void say_nothing(struct recorded *run, const struct counted_arm *arm, const char *why)
{
    struct table *t = &run->bundle.tables[BUNDLE_VARIANTS];
    struct cell *row = table_add_row(t);
    assert_non_null(row);
    row[VARIANTS_VARIANT] = cell_text(t, arm->variant);
    row[VARIANTS_SHAPE] = cell_text(t, arm->config);
    row[VARIANTS_NO_VERDICT] = cell_text(t, why);
}

/* Loads of a rank that waits for others on its GPU are not the ones to change. */
TEST(where_times_say_nothing_nothing_is_to_be_changed)
{
    static const struct counted_arm arm = ONE_BLOCK;
    struct recorded run;
    run_start(&run, &arm, 1);
    say_nothing(&run, &arm, "ranks share a GPU");
    ask(&run);
    assert_int_equal(run.analysis.findings.count, 1);
    assert_string_equal(run.analysis.findings.items[0].advice,
                        "measure it elsewhere before changing it: ranks share a GPU");
    run_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_blocks_expose_many_hide),
        cmocka_unit_test(one_finding_or_none),
        cmocka_unit_test(a_rise_counts_only_between_comparable_shapes),
        cmocka_unit_test(only_proven_gains_are_joined),
        cmocka_unit_test(another_algorithm_is_no_measure_of_overlap),
        cmocka_unit_test(what_loads_by_tma_is_not_known),
        cmocka_unit_test(where_times_say_nothing_nothing_is_to_be_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
