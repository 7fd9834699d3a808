/* Do rules about the variants of a run read its tables, at every shape? */
#include "scratch_bundle.h"

#include <math.h>

#include "analyzers/analyzer.h"
#include "model/aa_pool.h"
#include "model/rules.h"

/* base is the baseline of fast and wrong; fast ran at two shapes, wrong at one. */
static void write_tables(const struct scratch *s)
{
    static const struct {
        enum bundle_table table;
        const char *cells;
    } rows[] = {
        {BUNDLE_VARIANTS, "f/base|small|||x|1024|||ready"},
        {BUNDLE_VARIANTS, "f/base|large|||x|1024|||ready"},
        {BUNDLE_VARIANTS, "f/fast|small|f/base||x|2048|||ready"},
        {BUNDLE_VARIANTS, "f/fast|large|f/base||x|2048|||ready"},
        {BUNDLE_RESOURCES, "f/base|small|k|8|256|40|1024|0|0|2|0.5|1|aa|10"},
        {BUNDLE_RESOURCES, "f/fast|small|k|8|256|64|2048|0||2|0.25|1|bb|10"},
        {BUNDLE_RESOURCES, "f/fast|large|k|8|256|72|2048|0|16|2|0.25|1|bb|10"},
        /* medians of the two processes 100 and 200: 150; of 80 and 90: 85 */
        {BUNDLE_TIMING, "f/base|small|0|0|0|0|hot|1|1e9|100"},
        {BUNDLE_TIMING, "f/base|small|1|0|0|0|hot|1|1e9|200"},
        {BUNDLE_TIMING, "f/fast|small|0|0|1|0|hot|1|1e9|80"},
        {BUNDLE_TIMING, "f/fast|small|1|0|1|0|hot|1|1e9|90"},
        {BUNDLE_TIMING, "f/base|large|0|0|0|0|hot|1|1e9|1000"},
        {BUNDLE_TIMING, "f/fast|large|0|0|1|0|hot|1|1e9|1100"},
        {BUNDLE_METRICS, "f/fast|small|k|0|smsp__inst_executed_op_ldgsts.sum|count|30"},
        {BUNDLE_METRICS, "f/fast|small|k2|1|smsp__inst_executed_op_ldgsts.sum|count|12"},
        {BUNDLE_METRICS, "f/base|small|k|0|dram__throughput.avg.pct_of_peak_sustained_elapsed|ratio|0.75"},
        {BUNDLE_METRICS, "f/fast|small|k|0|dram__throughput.avg.pct_of_peak_sustained_elapsed|ratio|0.5"},
        {BUNDLE_METRICS, "f/fast|small|k2|1|dram__throughput.avg.pct_of_peak_sustained_elapsed|ratio|0.5"},
        {BUNDLE_VERIFY, "f/base|small|0|1|all|0.001|0|10|aa||yes|"},
        {BUNDLE_VERIFY, "f/fast|small|0|1|all|0.002|0|10|aa|yes|yes|"},
        {BUNDLE_VERIFY, "f/fast|small|0|2|all|0.003|0|10|aa|yes|yes|"},
        {BUNDLE_VERIFY, "f/fast|ragged|0|1|all|0.5|0.25|10|bb|no|no|"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        scratch_row(s, rows[i].table, rows[i].cells);
}

struct run {
    struct scratch scratch;
    struct bundle bundle;
    struct analysis analysis;
};

/* `check`: one more row of verify.csv, or NULL. */
static void open_run(struct run *r, const char *check)
{
    scratch_create(&r->scratch);
    write_tables(&r->scratch);
    if (check)
        scratch_row(&r->scratch, BUNDLE_VERIFY, check);
    MUST(bundle_seal(r->scratch.path, r->scratch.manifest, &e));
    bundle_init(&r->bundle);
    MUST(bundle_open(&r->bundle, r->scratch.path, &e));
    analysis_init(&r->analysis, &r->bundle);
    MUST(analyzers_run(&r->analysis, &e));
}

static void close_run(struct run *r)
{
    analysis_release(&r->analysis);
    bundle_release(&r->bundle);
    scratch_remove(&r->scratch);
}

/* The code of the judgement; its results are the caller's to release. */
static int judge(const struct run *r, const char *rule, struct rule_results *out, struct err *why)
{
    struct rule_list *rules;
    struct timeline_query query = {0};
    struct timeline timeline = {0};
    MUST(rule_list_new(&rules, &e));
    MUST(rule_list_add(rules, rule, "r", &e));
    assert_string_equal(rule_list_of_run(rules), rule);
    assert_false(rule_list_has_of_trace(rules));
    MUST(rule_list_query(rules, &query, &e));
    assert_int_equal(query.set_count, 0);
    const struct rule_evidence evidence = {.query = &query,
                                           .timeline = &timeline,
                                           .caveats = &r->bundle.caveats,
                                           .run = r ? &r->analysis : NULL};
    const int code = rule_list_judge(rules, &evidence, out, why);
    rule_list_free(rules);
    return code;
}

static void rules_read_the_tables(void **state)
{
    (void)state;
    struct run r;
    open_run(&r, NULL);
    static const struct {
        const char *rule;
        const char *rows; /* a letter a row: p f v i, in the order small, large, ragged */
        double value;     /* of the first row */
    } cases[] = {
        {"time(A) == 150ns", "pf", 150},
        {"time(f/base) == 150ns", "pf", 150},
        {"time(B) <= 0.97 * time(A)", "pf", 85}, /* 85 to 145.5; 1100 to 970 */
        {"0.97 * time(A) >= time(B)", "pf", 145.5},
        {"registers(B) <= 64", "pf", 64},
        {"registers(A) == 40", "pv", 40}, /* nothing is known at large */
        {"registers(B) == registers(\"f/fast\")", "pp", 64},
        {"shared(B) == 2 KiB", "pp", 2048},
        {"spills(B) == 16", "vp", NAN}, /* not known is not 0 */
        {"occupancy(A) >= 50%", "pv", 0.5},
        {"metric(B, smsp__inst_executed_op_ldgsts.sum) == 42", "pv", 42}, /* of both kernels */
        {"metric(B, dram_share) > 10%", "vv", NAN},                       /* shares do not add up */
        {"metric(A, dram_share) == 75%", "pv", 0.75},
        {"metric(A, dram__throughput.avg.pct_of_peak_sustained_elapsed) == 75%", "pv", 0.75},
        {"max_abs_err(B) <= 0.01", "pvf", 0.003},
        {"bad_ratio(B) == 0", "pvf", 0},
        {"max_abs_err(A) <= 0.01", "pv", 0.001},
        {"time(f/none) <= 1s", "v", NAN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rule_results results;
        struct err why = {0};
        if (judge(&r, cases[i].rule, &results, &why))
            fail_msg("%s: %s", cases[i].rule, why.text);
        char rows[8] = "";
        for (size_t k = 0; k < results.count; k++)
            rows[k] = *rule_status_name(results.items[k].status);
        if (strcmp(rows, cases[i].rows) != 0)
            fail_msg("%s: %s instead of %s", cases[i].rule, rows, cases[i].rows);
        const double value = results.items[0].value;
        if (isnan(cases[i].value) ? !isnan(value) : fabs(value - cases[i].value) > 1e-9)
            fail_msg("%s: %g instead of %g", cases[i].rule, value, cases[i].value);
        rule_results_release(&results);
    }
    close_run(&r);
}

/* The class is the analyzers' word. */
static void a_class_is_a_word(void **state)
{
    (void)state;
    struct run r;
    open_run(&r, NULL);
    struct rule_results results;
    struct err why = {0};
    assert_int_equal(judge(&r, "class(B) != memory-bound", &results, &why), 0);
    assert_string_equal(results.items[0].value_word, "inconclusive"); /* two counters decide nothing */
    assert_string_equal(results.items[0].threshold_word, "memory-bound");
    assert_string_equal(results.items[0].shape, "small");
    assert_int_equal(results.items[0].status, RULE_PASS);
    rule_results_release(&results);
    close_run(&r);
}

static void reasons_are_said(void **state)
{
    (void)state;
    struct run r;
    open_run(&r, NULL);
    static const struct {
        const char *rule, *reason; /* of the last row */
    } cases[] = {
        {"registers(A) <= 64", "the run has no registers of 'f/base'"},
        {"metric(B, dram_share) > 10%", "the run has no dram_share of 'f/fast', or one for each of several kernels"},
        {"time(f/none) <= 1s", "the run has no variant 'f/none'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rule_results results;
        struct err why = {0};
        assert_int_equal(judge(&r, cases[i].rule, &results, &why), 0);
        assert_string_equal(results.items[results.count - 1].reason, cases[i].reason);
        rule_results_release(&results);
    }
    close_run(&r);
}

static void wrong_results_take_a_pass_away(void **state)
{
    (void)state;
    struct run r;
    open_run(&r, "f/fast|small|0|3|all|9|1|10|cc|no|no|");
    struct rule_results results;
    struct err why = {0};
    assert_int_equal(judge(&r, "time(B) <= time(A)", &results, &why), 0);
    assert_int_equal(results.items[0].status, RULE_INCONCLUSIVE);
    assert_string_equal(results.items[0].reason, "'f/fast' computes wrong results");
    rule_results_release(&results);
    close_run(&r);
}

static void letters_need_one_variant(void **state)
{
    (void)state;
    struct scratch s;
    scratch_create(&s);
    scratch_row(&s, BUNDLE_VARIANTS, "f/base|small|||x||||ready");
    scratch_row(&s, BUNDLE_VARIANTS, "f/one|small|f/base||x||||ready");
    scratch_row(&s, BUNDLE_VARIANTS, "f/two|small|f/base||x||||ready");
    MUST(bundle_seal(s.path, s.manifest, &e));
    struct run r = {.scratch = s};
    bundle_init(&r.bundle);
    MUST(bundle_open(&r.bundle, s.path, &e));
    analysis_init(&r.analysis, &r.bundle);
    MUST(analyzers_run(&r.analysis, &e));
    struct rule_results results;
    struct err why = {0};
    assert_int_equal(judge(&r, "time(B) < 1s", &results, &why), ERR_USAGE);
    assert_string_equal(why.text, "r: the run has 2 variants that are no baseline, so 'B' names none of them; write the "
                                  "variant's name");
    rule_results_release(&results);
    close_run(&r);
}

/* a takes 100 ns, b 103, c 100.5, in three processes each; the pool is without noise, so that a slowdown of
 * 1 / 0.99 - 1 = 1.01% is found. What holds by a finer threshold is not believed, nor what fails by less. */
static void a_gate_finer_than_the_machine_is_not_judged(void **state)
{
    (void)state;
    enum { PAIRS = 60 };
    static const struct {
        const char *rule;
        enum rule_status status;
    } cases[] = {
        {"time(f/b) <= 1.02 * time(f/a)", RULE_FAIL},
        {"time(f/b) <= 1.04 * time(f/a)", RULE_PASS},
        {"1.02 * time(f/a) <= time(f/b)", RULE_PASS},
        {"time(f/b) <= 1.005 * time(f/a)", RULE_FAIL}, /* by 2.5%: that is seen */
        {"time(f/b) >= 1.005 * time(f/a)", RULE_INCONCLUSIVE},
        {"0.998 * time(f/b) >= time(f/a)", RULE_INCONCLUSIVE}, /* 1.002 */
        {"time(f/a) <= time(f/b)", RULE_INCONCLUSIVE},
        {"time(f/c) <= time(f/a)", RULE_INCONCLUSIVE}, /* fails by 0.5% */
        {"2 * time(f/a) <= 2.01 * time(f/c)", RULE_INCONCLUSIVE}, /* 1.005 */
        {"time(f/b) <= 104 ns", RULE_PASS}, /* no ratio */
        {"time(f/d) <= 1.02 * time(f/a)", RULE_INCONCLUSIVE}, /* d: two processes, no effect is known */
    };
    static const struct {
        const char *variant;
        double duration_ns;
        int processes;
    } arms[] = {{"f/a", 100, 3}, {"f/b", 103, 3}, {"f/c", 100.5, 3}, {"f/d", 101, 2}};
    double same[PAIRS];
    for (size_t i = 0; i < PAIRS; i++)
        same[i] = 1000;
    struct aa_pair pair = {.variant = "v", .shape = "us1", .base = same, .cand = same, .count = PAIRS};
    const struct aa_pool pool = {.items = &pair, .count = 1};
    struct run r;
    scratch_create(&r.scratch);
    for (size_t a = 0; a < sizeof arms / sizeof arms[0]; a++) {
        char cells[128];
        snprintf(cells, sizeof cells, "%s|s|||x|1024|||ready", arms[a].variant);
        scratch_row(&r.scratch, BUNDLE_VARIANTS, cells);
        for (int process = 0; process < arms[a].processes; process++) {
            snprintf(cells, sizeof cells, "%s|s|%d|0|0|0|hot|1|1e9|%g", arms[a].variant, process, arms[a].duration_ns);
            scratch_row(&r.scratch, BUNDLE_TIMING, cells);
        }
    }
    MUST(bundle_seal(r.scratch.path, r.scratch.manifest, &e));
    bundle_init(&r.bundle);
    MUST(bundle_open(&r.bundle, r.scratch.path, &e));
    analysis_init(&r.analysis, &r.bundle);
    MUST(analyzers_run(&r.analysis, &e));
    r.analysis.aa = &pool;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rule_results results;
        struct err why = {0};
        if (judge(&r, cases[i].rule, &results, &why))
            fail_msg("%s: %s", cases[i].rule, why.text);
        if (results.items[0].status != cases[i].status)
            fail_msg("%s: %s, %s", cases[i].rule, rule_status_name(results.items[0].status), results.items[0].reason);
        if (i == 4)
            assert_string_equal(results.items[0].reason,
                                "finer than this machine can tell: with 3 processes a slowdown of 1.01% is found ('v' at 'us1' "
                                "in the pool), the rule's threshold is 0.50%");
        rule_results_release(&results);
    }
    close_run(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gate_finer_than_the_machine_is_not_judged),
        cmocka_unit_test(rules_read_the_tables),
        cmocka_unit_test(a_class_is_a_word),
        cmocka_unit_test(reasons_are_said),
        cmocka_unit_test(wrong_results_take_a_pass_away),
        cmocka_unit_test(letters_need_one_variant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
