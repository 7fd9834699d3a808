/* Do rules about the variants of a run read its tables, at every config? */
#include "tests/unit/analysed_scratch.h"

#include <math.h>

#include "analyzers/analyzer.h"
#include "analyzers/compare/aa_comparisons.h"
#include "core/base/count_of.h"
#include "core/bundle/bundle_open.h"
#include "core/bundle/bundle_write.h"
#include "rules/rules.h"

/* base is the baseline of fast and wrong; fast ran at two configs, wrong at one. */
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
        /* the two processes 100 and 225: sqrt(100 * 225) = 150 */
        {BUNDLE_TIMING, "f/base|small|0|0|0|0|hot|1|1e9|100"},
        {BUNDLE_TIMING, "f/base|small|1|0|0|0|hot|1|1e9|225"},
        {BUNDLE_TIMING, "f/fast|small|0|0|1|0|hot|1|1e9|80"},
        {BUNDLE_TIMING, "f/fast|small|1|0|1|0|hot|1|1e9|90"},
        {BUNDLE_TIMING, "f/base|large|0|0|0|0|hot|1|1e9|1000"},
        {BUNDLE_TIMING, "f/fast|large|0|0|1|0|hot|1|1e9|1100"},
        {BUNDLE_METRICS, "f/fast|small|k|0|smsp__inst_executed_op_ldgsts.sum|count|30"},
        {BUNDLE_METRICS, "f/fast|small|k2|1|smsp__inst_executed_op_ldgsts.sum|count|12"},
        {BUNDLE_METRICS, "f/base|small|k|0|dram__throughput.avg.pct_of_peak_sustained_elapsed|ratio|0.75"},
        {BUNDLE_METRICS, "f/fast|small|k|0|dram__throughput.avg.pct_of_peak_sustained_elapsed|ratio|0.5"},
        {BUNDLE_METRICS, "f/fast|small|k2|1|dram__throughput.avg.pct_of_peak_sustained_elapsed|ratio|0.5"},
        /* k: (10 + 30) / 2, k2: 5 */
        {BUNDLE_METRICS, "f/base|small|k|0|l1tex__t_bytes.sum|bytes|10"},
        {BUNDLE_METRICS, "f/base|small|k|1|l1tex__t_bytes.sum|bytes|30"},
        {BUNDLE_METRICS, "f/base|small|k2|0|l1tex__t_bytes.sum|bytes|5"},
        {BUNDLE_METRICS, "f/base|small|k|0|lts__t_bytes.sum|bytes|10"},
        {BUNDLE_METRICS, "f/base|small|k2|0|lts__t_bytes.sum|bytes|"},
        {BUNDLE_METRICS, "f/base|small|k3|0|lts__t_bytes.sum|bytes|5"},
        {BUNDLE_METRICS, "f/base|small|k|0|sm__cycles_active.avg|cycles|7"},
        {BUNDLE_METRICS, "f/base|small|k|1|sm__cycles_active.avg|cycles|"},
        {BUNDLE_METRICS, "f/base|small|k|0|sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed|ratio|1.5"},
        {BUNDLE_METRICS, "f/base|small|k|0|l1tex__t_sector_hit_rate.pct|ratio|0.25"},
        {BUNDLE_METRICS, "f/base|small|k|1|l1tex__t_sector_hit_rate.pct|ratio|0.5"},
        {BUNDLE_VERIFY, "f/base|small|0|1|all|0.001|0|10|aa||yes|"},
        {BUNDLE_VERIFY, "f/fast|small|0|1|all|0.002|0|10|aa|yes|yes|"},
        {BUNDLE_VERIFY, "f/fast|small|0|2|all|0.003|0|10|aa|yes|yes|"},
        {BUNDLE_VERIFY, "f/fast|ragged|0|1|all|0.5|0.25|10|bb|no|no|"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        scratch_row(s, rows[i].table, rows[i].cells);
}

struct recorded {
    struct scratch scratch;
    struct bundle bundle;
    struct analysis analysis;
};

/* `check`: one more row of verify.csv, or NULL. */
static void open_run(struct recorded *r, const char *check)
{
    scratch_create(&r->scratch);
    write_tables(&r->scratch);
    if (check)
        scratch_row(&r->scratch, BUNDLE_VERIFY, check);
    scratch_analyse(&r->scratch, &r->bundle, &r->analysis);
}

static void close_run(struct recorded *r)
{
    scratch_remove_analysed(&r->scratch, &r->bundle, &r->analysis);
}

/* The code of the judgement; its results are the caller's to release. */
static int judge(const struct recorded *r, const char *rule, struct rule_results *out, struct err *why)
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
    const struct rule_evidence evidence = {
        .query = &query, .timeline = &timeline, .caveats = &r->bundle.caveats, .run = r ? &r->analysis : NULL};
    const int code = rule_list_judge(rules, &evidence, out, why);
    rule_list_free(rules);
    return code;
}

/* What ran instead is the reason. */
static void the_wrong_kernel_fails(void **state)
{
    (void)state;
    struct recorded r;
    struct rule_results results;
    struct err why = {0};
    scratch_create(&r.scratch);
    write_tables(&r.scratch);
    scratch_row(&r.scratch, BUNDLE_EXPECT, "f/fast|smsp__inst_executed_op_ldgsts.sum|100|");
    scratch_analyse(&r.scratch, &r.bundle, &r.analysis);
    MUST(judge(&r, "selection(B)", &results, &why));
    assert_int_equal(results.count, 2);
    assert_int_equal(results.items[0].status, RULE_FAIL);
    assert_non_null(strstr(results.items[0].reason, "30, expected at least 100"));
    assert_int_equal(results.items[1].status, RULE_INCONCLUSIVE); /* not counted at large */
    rule_results_release(&results);
    close_run(&r);
}

static void rules_read_the_tables(void **state)
{
    (void)state;
    struct recorded r;
    open_run(&r, NULL);
    static const struct {
        const char *rule;
        const char *rows; /* a letter a row: p f v i, in the order small, large, ragged */
        double value;     /* of the first row */
    } cases[] = {
        {"time(A) == 150ns", "ii", 150}, /* two processes and one: nothing follows from them */
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
        {"metric(A, l1tex__t_bytes.sum) == 25", "pv", 25}, /* kernels add up, readings of one do not */
        {"metric(A, l1tex__t_sector_hit_rate.pct) <= 40%", "pv", 0.375},
        {"metric(A, lts__t_bytes.sum) <= 100", "vv", NAN},      /* of one kernel it is unknown */
        {"metric(A, sm__cycles_active.avg) <= 100", "vv", NAN}, /* of one reading */
        {"max_abs_err(B) <= 0.01", "pvf", 0.003},
        {"bad_ratio(B) == 0", "pvf", 0},
        {"max_abs_err(A) <= 0.01", "pv", 0.001},
        {"time(f/none) <= 1s", "v", NAN},
        {"selection(f/none)", "v", NAN},
        {"selection(A)", "ii", 0}, /* no trace */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
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
    struct recorded r;
    open_run(&r, NULL);
    struct rule_results results;
    struct err why = {0};
    assert_int_equal(judge(&r, "class(B) != memory-bound", &results, &why), 0);
    assert_string_equal(results.items[0].value_word, "inconclusive"); /* two counters decide nothing */
    assert_string_equal(results.items[0].threshold_word, "memory-bound");
    assert_string_equal(results.items[0].config, "small");
    assert_int_equal(results.items[0].status, RULE_INCONCLUSIVE); /* an open class is not another one */
    rule_results_release(&results);
    static const struct {
        const char *rule;
        enum rule_status status;
    } cases[] = {{"class(B) == memory-bound", RULE_INCONCLUSIVE},
                 {"class(A) == class(B)", RULE_INCONCLUSIVE},
                 {"inconclusive != class(B)", RULE_FAIL},
                 {"class(B) == inconclusive", RULE_PASS}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(judge(&r, cases[i].rule, &results, &why), 0);
        if (results.items[0].status != cases[i].status)
            fail_msg("%s: %s", cases[i].rule, rule_status_name(results.items[0].status));
        rule_results_release(&results);
    }
    close_run(&r);
}

static void reasons_are_said(void **state)
{
    (void)state;
    struct recorded r;
    open_run(&r, NULL);
    static const struct {
        const char *rule, *reason; /* of the last row */
        bool is_of_first;          /* of the first row instead */
    } cases[] = {
        {"metric(A, sm__cycles_active.avg) > 1", "a reading of sm__cycles_active.avg of 'f/base' has no value", true},
        {"metric(A, l2_bytes) > 1B", "a reading of lts__t_bytes.sum of 'f/base' has no value", true},
        {"metric(A, xu_share) > 1%",
         "a reading of sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed of 'f/base' is 150.0%, which is not credible",
         true},
        {"metric(B, dram_share) > 10%", "'f/fast' has several kernels, each with a dram_share of its own", true},
        {"metric(B, lts__t_byte.sum) > 1",
         "unknown counter 'lts__t_byte.sum', which the run did not count; did you mean 'lts__t_bytes.sum'?", true},
        {"metric(B, of_another_chip) > 1", "unknown counter 'of_another_chip', which the run did not count", true},
        {"expect of_another_chip up", "unknown counter 'of_another_chip', which the run did not count", true},
        {"registers(A) <= 64", "the run has no registers of 'f/base'", false},
        {"metric(B, dram_share) > 10%", "the run has no dram_share of 'f/fast'", false},
        {"time(f/none) <= 1s", "the run has no variant 'f/none'", false},
        {"time(f/fsat) <= 1s", "the run has no variant 'f/fsat'; did you mean 'f/fast'?", false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rule_results results;
        struct err why = {0};
        assert_int_equal(judge(&r, cases[i].rule, &results, &why), 0);
        assert_string_equal(results.items[cases[i].is_of_first ? 0 : results.count - 1].reason, cases[i].reason);
        rule_results_release(&results);
    }
    close_run(&r);
}

static void wrong_results_take_a_pass_away(void **state)
{
    (void)state;
    struct recorded r;
    open_run(&r, "f/fast|small|0|3|all|9|1|10|cc|no|no|");
    struct rule_results results;
    struct err why = {0};
    assert_int_equal(judge(&r, "registers(B) <= 64", &results, &why), 0);
    assert_int_equal(results.items[0].status, RULE_INCONCLUSIVE);
    assert_string_equal(results.items[0].reason, "'f/fast' computes wrong results");
    rule_results_release(&results);
    close_run(&r);
}

/* A run of one baseline and two candidates, without noise: base takes 100 ns in
 * the first of six processes and a nanosecond more in each later one, one 80% and
 * two 101% of that. Ratios are exact, times are not: 102.5 has an interval. */
static void open_two(struct recorded *r)
{
    static const struct {
        enum bundle_table table;
        const char *cells;
    } rows[] = {
        {BUNDLE_VARIANTS, "f/base|s|||x||||ready"},
        {BUNDLE_VARIANTS, "f/one|s|f/base||x||||ready"},
        {BUNDLE_VARIANTS, "f/two|s|f/base||x||||ready"},
        {BUNDLE_RESOURCES, "f/base|s|k|8|256|140|1024|0|0|2|0.5|1.9|aa|10"},
        {BUNDLE_RESOURCES, "f/one|s|k|8|256|130|1024|16|0|2|0.5|0.97|bb|10"},
        {BUNDLE_RESOURCES, "f/two|s|k|8|256|96|1024|0|8|2|0.5|1|cc|10"},
        {BUNDLE_METRICS, "f/base|s|k|0|dram__bytes_read.sum|bytes|600e6"},
        {BUNDLE_METRICS, "f/base|s|k|0|dram__bytes_write.sum|bytes|400e6"},
        {BUNDLE_METRICS, "f/one|s|k|0|dram__bytes_read.sum|bytes|610e6"},
        {BUNDLE_METRICS, "f/one|s|k|0|dram__bytes_write.sum|bytes|410e6"},
        {BUNDLE_METRICS, "f/base|s|k|0|dram__bytes.sum|bytes|12000"},
        {BUNDLE_METRICS, "f/one|s|k|0|dram__bytes.sum|bytes|36000"},
        {BUNDLE_METRICS, "f/base|s|k|0|l1tex__t_bytes.sum|bytes|12000"},
        {BUNDLE_METRICS, "f/one|s|k|0|l1tex__t_bytes.sum|bytes|36000"},
        {BUNDLE_METRICS, "f/base|s|k|0|l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum|count|0"},
        {BUNDLE_METRICS, "f/one|s|k|0|l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum|count|7"},
        {BUNDLE_VERIFY, "f/base|s|0|1|all|2.5|0.5|10|aa||no|"},
        {BUNDLE_VERIFY, "f/one|s|0|1|all|2.7|0.5|10|ab|no|no|"},
        {BUNDLE_VERIFY, "f/two|s|0|1|all|0.05|0|10|ac|no|yes|"},
    };
    static const struct {
        const char *variant;
        double factor;
    } arms[] = {{"f/base", 1}, {"f/one", 0.8}, {"f/two", 1.01}};
    scratch_create(&r->scratch);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        scratch_row(&r->scratch, rows[i].table, rows[i].cells);
    for (int process = 0; process < 6; process++)
        for (size_t i = 0; i < COUNT_OF(arms); i++) {
            char cells[128];
            snprintf(cells, sizeof cells, "%s|s|%d|0|%zu|0|hot|1|1e9|%.17g", arms[i].variant, process, i,
                     arms[i].factor * (100 + process));
            scratch_row(&r->scratch, BUNDLE_TIMING, cells);
        }
    json_object_set_new(
        r->scratch.manifest, "cpprof",
        json_pack("{s:s,s:s,s:s}", "commit", "0123abc-dirty", "build_flags", "Release", "version", "unknown"));
    json_object_set_new(r->scratch.manifest, "gpu", json_pack("{s:s}", "uuid", "GPU-1"));
    scratch_analyse(&r->scratch, &r->bundle, &r->analysis);
}

/* Shares of tensor cores that f/base and f/one have; "" is not counted. The second is tcgen05's. */
static void tensor_cycles_are_the_larger_share(void **state)
{
    (void)state;
    static const struct {
        const char *capability;
        const char *base[2], *one[2];
        enum rule_status status; /* of "tensor_cycles up" */
        double value;
    } cases[] = {
        {"9.0", {"0.2", ""}, {"0.5", ""}, RULE_PASS, 0.5},
        {"10.0", {"0.02", "0.3"}, {"0.01", "0.9"}, RULE_PASS, 0.9},
        {"10.0", {"0.4", "0.3"}, {"0.9", "0"}, RULE_PASS, 0.9},
        {"10.0", {"0.2", ""}, {"0.5", ""}, RULE_INCONCLUSIVE, NAN},
        {"10.0", {"0.2", "0.2"}, {"", "0.5"}, RULE_INCONCLUSIVE, NAN},
        {"", {"0.2", ""}, {"0.5", ""}, RULE_INCONCLUSIVE, NAN}, /* a chip that may have it */
        {"", {"0.2", "0.2"}, {"0.5", "0.3"}, RULE_PASS, 0.5},
    };
    static const char *const names[] = {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
                                        "sm__pipe_tc_cycles_active.avg.pct_of_peak_sustained_elapsed"};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recorded r;
        struct rule_results results;
        struct err e = {0};
        scratch_create(&r.scratch);
        scratch_row(&r.scratch, BUNDLE_VARIANTS, "f/base|s|||x||||ready");
        scratch_row(&r.scratch, BUNDLE_VARIANTS, "f/one|s|f/base||x||||ready");
        for (size_t k = 0; k < 4; k++) {
            char cells[128];
            const char *share = k < 2 ? cases[i].base[k] : cases[i].one[k - 2];
            snprintf(cells, sizeof cells, "f/%s|s|k|0|%s|ratio|%s", k < 2 ? "base" : "one", names[k % 2], share);
            if (*share)
                scratch_row(&r.scratch, BUNDLE_METRICS, cells);
        }
        json_object_set_new(r.scratch.manifest, "gpu", json_pack("{s:s}", "compute_capability", cases[i].capability));
        scratch_analyse(&r.scratch, &r.bundle, &r.analysis);
        assert_int_equal(judge(&r, "expect tensor_cycles up", &results, &e), 0);
        if (results.items[0].status != cases[i].status)
            fail_msg("case %zu: %s", i, rule_status_name(results.items[0].status));
        if (isfinite(cases[i].value))
            assert_true(results.items[0].value == cases[i].value);
        rule_results_release(&results);
        close_run(&r);
    }
}

static void b_is_each_candidate(void **state)
{
    (void)state;
    struct recorded r;
    open_two(&r);
    static const struct {
        const char *rule;
        const char *rows;     /* of f/one, then of f/two, or the only one */
        const char *failures; /* of the rows: n new, b baseline fails too, - */
        const char *reason;   /* of the last row; NULL any */
    } cases[] = {
        {"registers(B) <= 128", "fp", "b-", ""}, /* 130 and 96 beside 140 */
        {"registers(B) <= registers(A)", "ii", "--", "'f/base' computes wrong results"},
        {"spills(B) == 0", "if", "-n", ""},
        {"local(B) == 0", "fp", "n-", ""},
        {"waves(B) >= 1", "fp", "n-", ""},
        {"launches(B) == 1", "vv", "--", "the run has no launches of 'f/two'"},
        {"max_abs_err(B) <= 0.06", "fp", "b-", ""}, /* 2.7 beside 2.5 */
        {"bad_ratio(B) <= 1%", "fp", "b-", ""},
        {"metric(B, dram_bytes) <= 1.03 * metric(A, dram_bytes)", "iv", "--", NULL},
        {"time(f/two) <= 1.02 * time(f/base)", "i", "-",
         "nothing follows from these times: the baseline computes a wrong result: there is nothing to compare with"},
        {"time(f/two) <= 1 us", "p", "-", ""},
        {"time(f/two) <= 50 ns", "f", "b", ""},
        {"time(f/two) <= 103.6 ns", "i", "-", NULL}, /* 1.01 * 102.5 = 103.525 is known to a nanosecond or so */
        {"time(f/two) >= 103.6 ns", "i", "-", NULL},
        {"time(f/two) == 103.525 ns", "i", "-", NULL},
        {"time(f/two) != 50 ns", "p", "-", ""},
        {"time(f/two) > 1.2 * time(f/one)", "i", "-", "'f/one' computes wrong results"}, /* 1.2625 */
        {"time(f/two) < 1.2 * time(f/one)", "f", "-", ""},
        {"gain(B) >= 10%", "ii", "--",
         "nothing follows from these times: the baseline computes a wrong result: there is nothing to compare with"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rule_results results;
        struct err why = {0};
        if (judge(&r, cases[i].rule, &results, &why))
            fail_msg("%s: %s", cases[i].rule, why.text);
        char rows[8] = "", failures[8] = "";
        for (size_t k = 0; k < results.count; k++) {
            rows[k] = *rule_status_name(results.items[k].status);
            failures[k] = *results.items[k].failure ? *results.items[k].failure : '-';
        }
        const struct rule_result *last = &results.items[results.count - 1];
        if (strcmp(rows, cases[i].rows) || strcmp(failures, cases[i].failures))
            fail_msg("%s: %s %s instead of %s %s (%s)", cases[i].rule, rows, failures, cases[i].rows, cases[i].failures,
                     last->reason);
        if (cases[i].reason && strcmp(last->reason, cases[i].reason))
            fail_msg("%s: '%s'", cases[i].rule, last->reason);
        rule_results_release(&results);
    }
    close_run(&r);
}

/* base 100 to 105 ns; fast 80% and close 90.5% to 89.5% of it in turn: 82 and 92.2,
 * whose interval of the gain reaches from below 10% to above it. */
static void times_are_judged_with_their_interval(void **state)
{
    (void)state;
    struct recorded r;
    static const struct {
        const char *variant;
        double factors[6];
    } arms[] = {{"f/base", {1, 1, 1, 1, 1, 1}},
                {"f/close", {0.905, 0.895, 0.905, 0.895, 0.905, 0.895}},
                {"f/fast", {0.8, 0.8, 0.8, 0.8, 0.8, 0.8}}};
    scratch_create(&r.scratch);
    for (size_t a = 0; a < COUNT_OF(arms); a++) {
        char cells[128];
        snprintf(cells, sizeof cells, "%s|s|%s||x||||ready", arms[a].variant, a ? "f/base" : "");
        scratch_row(&r.scratch, BUNDLE_VARIANTS, cells);
        for (int process = 0; process < 6; process++) {
            snprintf(cells, sizeof cells, "%s|s|%d|0|%zu|0|hot|1|1e9|%.17g", arms[a].variant, process, a,
                     arms[a].factors[process] * (100 + process));
            scratch_row(&r.scratch, BUNDLE_TIMING, cells);
        }
    }
    MUST(bundle_seal(r.scratch.path, r.scratch.manifest, &e));
    bundle_init(&r.bundle);
    MUST(bundle_open(&r.bundle, r.scratch.path, &e));
    analysis_init(&r.analysis, &r.bundle);
    MUST(analyzers_run(&r.analysis, QUESTIONS_ALL, &e));
    static const struct {
        const char *rule, *rows; /* of f/close, f/fast */
    } cases[] = {
        {"gain(B) >= 10%", "ip"},
        {"gain(B) >= 5%", "pp"},
        {"gain(B) >= 15%", "fp"},
        {"gain(B) >= 30%", "ff"},
        {"gain(B) >= -5%", "pp"},
        {"gain(B) < 10%", "if"},
        {"ratio(B) <= 0.9", "ip"},
        {"speedup(B) >= 1.2", "fp"},
        {"speedup(B) >= 1.249", "fp"}, /* 1 / 0.8, to a rounding */
        {"time(B) <= 0.9 * time(A)", "ip"},
        {"0.95 * time(A) >= time(B)", "pp"},
        {"2 * time(B) <= 1.7 * time(A)", "fp"},
        {"time(A) <= 1.2 * time(B)", "pf"}, /* 1.11 and 1.25 */
        {"gain(B) == 20%", "fi"},           /* no measurement proves that two times are equal */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rule_results results;
        struct err why = {0};
        if (judge(&r, cases[i].rule, &results, &why))
            fail_msg("%s: %s", cases[i].rule, why.text);
        char rows[8] = "";
        for (size_t k = 0; k < results.count; k++)
            rows[k] = *rule_status_name(results.items[k].status);
        assert_string_equal(results.items[0].variant, "f/close");
        if (strcmp(rows, cases[i].rows))
            fail_msg("%s: %s instead of %s (%s)", cases[i].rule, rows, cases[i].rows, results.items[0].reason);
        rule_results_release(&results);
    }
    close_run(&r);
}

/* Ranks of a and b share a GPU, those of c, d and e do not: 100, 80, 100, 80 and 50 ns in six processes. b is compared
 * with a, d with c; of the others the rule makes its own ratio. */
static void open_shared(struct recorded *r)
{
    static const struct {
        const char *variant, *baseline, *no_verdict;
        double ns;
    } arms[] = {{"f/a", "", "all 2 ranks share one GPU", 100},
                {"f/b", "f/a", "all 2 ranks share one GPU", 80},
                {"f/c", "", "", 100},
                {"f/d", "f/c", "", 80},
                {"f/e", "f/c", "", 50}};
    scratch_create(&r->scratch);
    for (size_t a = 0; a < COUNT_OF(arms); a++) {
        char cells[128];
        snprintf(cells, sizeof cells, "%s|s|%s||x||||ready||||||%s", arms[a].variant, arms[a].baseline,
                 arms[a].no_verdict);
        scratch_row(&r->scratch, BUNDLE_VARIANTS, cells);
        for (int process = 0; process < 6; process++) {
            snprintf(cells, sizeof cells, "%s|s|%d|0|%zu|0|hot|1|1e9|%.17g", arms[a].variant, process, a,
                     arms[a].ns * (1 + 0.001 * process));
            scratch_row(&r->scratch, BUNDLE_TIMING, cells);
        }
    }
    scratch_analyse(&r->scratch, &r->bundle, &r->analysis);
}

/* Neither a pass nor a failure follows from times that say nothing. */
static void times_that_say_nothing_decide_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        enum rule_status status;
    } cases[] = {
        {"time(f/b) < time(f/a)", RULE_INCONCLUSIVE}, /* the comparison's */
        {"time(f/a) < time(f/b)", RULE_INCONCLUSIVE},
        {"gain(f/b) >= 10%", RULE_INCONCLUSIVE},
        {"time(f/b) < time(f/c)", RULE_INCONCLUSIVE}, /* of two arms that nothing compares; here the first, */
        {"time(f/c) < time(f/b)", RULE_INCONCLUSIVE}, /* here the second says nothing */
        {"time(f/c) > 2 * time(f/a)", RULE_INCONCLUSIVE},
        {"time(f/b) < 1us", RULE_INCONCLUSIVE},
        {"time(f/b) > 1us", RULE_INCONCLUSIVE},
        {"50ns > time(f/a)", RULE_INCONCLUSIVE},
        {"time(f/d) < time(f/c)", RULE_PASS},
        {"time(f/e) < time(f/d)", RULE_PASS}, /* of two arms that nothing compares */
        {"time(f/d) < time(f/e)", RULE_FAIL},
        {"time(f/d) < 1us", RULE_PASS},
        {"time(f/d) > 1us", RULE_FAIL},
    };
    struct recorded r;
    open_shared(&r);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rule_results results;
        struct err why = {0};
        if (judge(&r, cases[i].rule, &results, &why))
            fail_msg("%s: %s", cases[i].rule, why.text);
        const struct rule_result *row = &results.items[0];
        assert_int_equal(results.count, 1);
        if (row->status != cases[i].status)
            fail_msg("%s: %s (%s)", cases[i].rule, rule_status_name(row->status), row->reason);
        if (row->status == RULE_INCONCLUSIVE) {
            assert_string_equal(row->reason,
                                "nothing follows from these times: times of this form say nothing of the variants");
            assert_int_equal(rule_results_status(&results), EXIT_INCONCLUSIVE);
        }
        rule_results_release(&results);
    }
    close_run(&r);
}

static void signals_are_confirmed_or_refuted(void **state)
{
    (void)state;
    struct recorded r;
    open_two(&r);
    static const struct {
        const char *expected_change;
        enum rule_status status; /* of f/one; nothing is counted of f/two */
        const char *note;
    } cases[] = {
        {"dram_bytes flat 3%", RULE_PASS, "confirmed: up 2.0%"}, /* 1000 and 1020 MB */
        {"dram_bytes flat 1%", RULE_FAIL, "refuted: up 2.0%"},
        {"dram_bytes flat", RULE_PASS, "confirmed: up 2.0%"},
        {"dram_bytes up", RULE_PASS, "confirmed: up 2.0%"},
        {"dram_bytes up 5%", RULE_FAIL, "refuted: up 2.0%"},
        {"dram_bytes down", RULE_FAIL, "refuted: up 2.0%"},
        {"dram__bytes_write.sum up 2.5%", RULE_PASS, "confirmed: up 2.5%"}, /* 400 and 410 MB */
        /* 12 and 36 KB: of device memory repetitions differ by more */
        {"dram__bytes.sum flat 3%", RULE_PASS, "confirmed: up 200.0%, differs by less than 2.00 MiB"},
        {"dram__bytes.sum up", RULE_INCONCLUSIVE, ""},
        {"dram__bytes.sum down", RULE_INCONCLUSIVE, ""},
        {"l1_bytes flat 3%", RULE_FAIL, "refuted: up 200.0%"},
        {"bank_conflicts up", RULE_PASS, "confirmed: up from 0"},
        {"bank_conflicts flat", RULE_FAIL, "refuted: up from 0"},
        {"tensor_cycles up", RULE_INCONCLUSIVE, ""},
        {"of_another_chip flat", RULE_INCONCLUSIVE, ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char rule[96];
        snprintf(rule, sizeof rule, "expect %s", cases[i].expected_change);
        struct rule_results results;
        struct err why = {0};
        if (judge(&r, rule, &results, &why))
            fail_msg("%s: %s", rule, why.text);
        assert_int_equal(results.count, 2);
        assert_string_equal(results.items[0].rule, rule);
        if (results.items[0].status != cases[i].status)
            fail_msg("%s: %s", rule, rule_status_name(results.items[0].status));
        assert_string_equal(results.items[0].note, cases[i].note);
        if (!strncmp(cases[i].expected_change, "dram__bytes.sum ", 16) && cases[i].status == RULE_INCONCLUSIVE)
            assert_string_equal(results.items[0].reason, "up 200.0%, differs by less than 2.00 MiB");
        assert_int_equal(results.items[1].status, RULE_INCONCLUSIVE);
        rule_results_release(&results);
    }
    close_run(&r);
}

static void provenance_is_asked_of_the_manifest(void **state)
{
    (void)state;
    struct recorded r;
    open_two(&r);
    static const struct {
        const char *rule;
        enum rule_status status;
        const char *value;
    } cases[] = {
        {"recorded(cpprof.build_flags)", RULE_PASS, "Release"},
        {"recorded(gpu.uuid)", RULE_PASS, "GPU-1"},
        {"recorded(cpprof.commit)", RULE_FAIL, "0123abc-dirty"},
        {"recorded(cpprof.version)", RULE_FAIL, "not recorded"}, /* "unknown" */
        {"recorded(driver.version)", RULE_FAIL, "not recorded"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rule_results results;
        struct err why = {0};
        if (judge(&r, cases[i].rule, &results, &why))
            fail_msg("%s: %s", cases[i].rule, why.text);
        assert_int_equal(results.count, 1);
        if (results.items[0].status != cases[i].status)
            fail_msg("%s: %s", cases[i].rule, rule_status_name(results.items[0].status));
        assert_string_equal(results.items[0].value_word, cases[i].value);
        rule_results_release(&results);
    }
    close_run(&r);
}

static void letters_need_a_variant(void **state)
{
    (void)state;
    struct scratch s;
    scratch_create(&s);
    scratch_row(&s, BUNDLE_VARIANTS, "f/base|small|||x||||ready");
    scratch_row(&s, BUNDLE_VARIANTS, "f/other|small|||x||||ready");
    scratch_row(&s, BUNDLE_VARIANTS, "f/one|small|f/base||x||||ready");
    scratch_row(&s, BUNDLE_VARIANTS, "f/two|small|f/other||x||||ready");
    MUST(bundle_seal(s.path, s.manifest, &e));
    struct recorded r = {.scratch = s};
    bundle_init(&r.bundle);
    MUST(bundle_open(&r.bundle, r.scratch.path, &e));
    analysis_init(&r.analysis, &r.bundle);
    MUST(analyzers_run(&r.analysis, QUESTIONS_ALL, &e));
    struct rule_results results;
    struct err why = {0};
    assert_int_equal(judge(&r, "registers(A) < 64", &results, &why), ERR_USAGE);
    assert_string_equal(why.text, "r: the run has 2 baselines, so 'A' names none of them; write the variant's name");
    rule_results_release(&results);
    close_run(&r);
}

/* Variants are written as in variants.csv, "variant|shape|baseline"; what a letter or a name cannot mean is said. */
static void what_a_run_cannot_be_asked_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *variants[2];
        const char *rule;
        int code;
        const char *said; /* the message, or why the only row is vacuous */
    } cases[] = {
        {{"f/lone|s|", NULL},
         "registers(B) <= registers(A)",
         ERR_USAGE,
         "r: 'f/lone' has no baseline, so 'A' names none; write the variant's name"},
        {{"f/a|s|f/b", "f/b|s|f/a"},
         "registers(B) <= 64",
         ERR_USAGE,
         "r: the run has 0 variants that are no baseline, so 'B' names none of them; write the variant's name"},
        {{"f/a|s|", "f/b|t|f/a"}, "registers(f/b) <= registers(f/a)", 0, "its variants have no shape in common"},
        {{"f/a|s|", "f/b|t|f/a"}, "registers(f/bb) <= 64", 0, "the run has no variant 'f/bb'; did you mean 'f/b'?"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recorded r;
        struct rule_results results;
        struct err why = {0};
        scratch_create(&r.scratch);
        for (size_t v = 0; v < 2 && cases[i].variants[v]; v++) {
            char cells[128];
            snprintf(cells, sizeof cells, "%s||x||||ready", cases[i].variants[v]);
            scratch_row(&r.scratch, BUNDLE_VARIANTS, cells);
        }
        scratch_analyse(&r.scratch, &r.bundle, &r.analysis);
        assert_int_equal(judge(&r, cases[i].rule, &results, &why), cases[i].code);
        assert_int_equal(results.count, cases[i].code ? 0 : 1);
        if (!cases[i].code)
            assert_int_equal(results.items[0].status, RULE_VACUOUS);
        assert_string_equal(cases[i].code ? why.text : results.items[0].reason, cases[i].said);
        rule_results_release(&results);
        close_run(&r);
    }
}

/* The variants are gone with their table: no fault of the rule, so not its exit status. */
static void a_candidate_that_damage_took_is_no_wrong_rule(void **state)
{
    (void)state;
    struct recorded r;
    struct rule_results results;
    struct err why = {0};
    scratch_create(&r.scratch);
    write_tables(&r.scratch);
    MUST(bundle_seal(r.scratch.path, r.scratch.manifest, &e));
    scratch_write(&r.scratch, "variants.csv", "");
    bundle_init(&r.bundle);
    MUST(bundle_open(&r.bundle, r.scratch.path, &e));
    analysis_init(&r.analysis, &r.bundle);
    MUST(analyzers_run(&r.analysis, QUESTIONS_ALL, &e));
    assert_int_equal(judge(&r, "registers(B) <= 64", &results, &why), ERR_INPUT);
    assert_non_null(strstr(why.text, "r: what is left of the run has no variant for 'B': "));
    rule_results_release(&results);
    close_run(&r);
}

static void without_a_run_no_variant_is_judged(void **state)
{
    (void)state;
    struct rule_results results;
    struct err why = {0};
    const struct rule_evidence nothing = {.query = &(struct timeline_query){.set_count = 0},
                                          .timeline = &(struct timeline){.gpu_events = 1},
                                          .caveats = &(struct caveat_list){.count = 0}};
    struct rule_list *rules;
    MUST(rule_list_new(&rules, &e));
    MUST(rule_list_add(rules, "spills(B) == 0", "r", &e));
    assert_int_equal(rule_list_judge(rules, &nothing, &results, &why), ERR_USAGE);
    assert_string_equal(why.text,
                        "r: 'spills(B) == 0' asks about a variant: give 'cpprof check' the bundle of a 'cpprof run'");
    rule_results_release(&results);
    rule_list_free(rules);
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
        {"time(f/c) <= time(f/a)", RULE_INCONCLUSIVE},            /* fails by 0.5% */
        {"2 * time(f/a) <= 2.01 * time(f/c)", RULE_INCONCLUSIVE}, /* 1.005 */
        {"time(f/b) <= 104 ns", RULE_PASS},                       /* no ratio */
        {"time(f/d) <= 1.02 * time(f/a)", RULE_INCONCLUSIVE},     /* d: two processes, no effect is known */
    };
    static const struct {
        const char *variant;
        double duration_ns;
        int processes;
    } arms[] = {{"f/a", 100, 3}, {"f/b", 103, 3}, {"f/c", 100.5, 3}, {"f/d", 101, 2}};
    double same[PAIRS];
    for (size_t i = 0; i < PAIRS; i++)
        same[i] = 1000;
    struct aa_pair pair = {.variant = "v", .config = "us1", .base = same, .cand = same, .count = PAIRS};
    const struct aa_comparisons pool = {.items = &pair, .count = 1};
    struct recorded r;
    scratch_create(&r.scratch);
    for (size_t a = 0; a < COUNT_OF(arms); a++) {
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
    MUST(analyzers_run(&r.analysis, QUESTIONS_ALL, &e));
    r.analysis.aa = &pool;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rule_results results;
        struct err why = {0};
        if (judge(&r, cases[i].rule, &results, &why))
            fail_msg("%s: %s", cases[i].rule, why.text);
        if (results.items[0].status != cases[i].status)
            fail_msg("%s: %s, %s", cases[i].rule, rule_status_name(results.items[0].status), results.items[0].reason);
        if (i == 4)
            assert_string_equal(
                results.items[0].reason,
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
        cmocka_unit_test(the_wrong_kernel_fails),
        cmocka_unit_test(a_class_is_a_word),
        cmocka_unit_test(reasons_are_said),
        cmocka_unit_test(wrong_results_take_a_pass_away),
        cmocka_unit_test(tensor_cycles_are_the_larger_share),
        cmocka_unit_test(b_is_each_candidate),
        cmocka_unit_test(times_are_judged_with_their_interval),
        cmocka_unit_test(times_that_say_nothing_decide_nothing),
        cmocka_unit_test(signals_are_confirmed_or_refuted),
        cmocka_unit_test(provenance_is_asked_of_the_manifest),
        cmocka_unit_test(letters_need_a_variant),
        cmocka_unit_test(what_a_run_cannot_be_asked_is_said),
        cmocka_unit_test(a_candidate_that_damage_took_is_no_wrong_rule),
        cmocka_unit_test(without_a_run_no_variant_is_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
