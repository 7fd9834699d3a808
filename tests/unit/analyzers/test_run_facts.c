/* Does a run say of a variant what its tables hold, and nothing of what they do not? */
#include "tests/unit/scratch_bundle.h"

#include <math.h>
#include <time.h>

#include "analyzers/entries.h"
#include "analyzers/run_facts.h"
#include "core/base/array.h"
#include "core/base/count_of.h"
#include "tests/unit/named_arms.h"

struct recorded {
    struct bundle bundle;
    struct analysis analysis;
    struct run_facts *facts;
};

static void add_row(struct recorded *r, enum bundle_table which, const char *cells)
{
    struct table *t = &r->bundle.tables[which];
    struct cell *row = table_add_row(t);
    assert_non_null(row);
    for (size_t column = 0; column < t->column_count && *cells; column++) {
        char text[128];
        const size_t length = strcspn(cells, "|");
        snprintf(text, sizeof text, "%.*s", (int)length, cells);
        if (length)
            row[column] = t->columns[column].unit == UNIT_TEXT ? cell_text(t, text) : cell_number(strtod(text, NULL));
        cells += length + (cells[length] == '|');
    }
}

/* `count` processes, each a sample: `first_ns`, and 1% more in each further one. */
static void add_times(struct recorded *r, const char *variant, const char *cache, int count, double first_ns)
{
    for (int process = 0; process < count; process++) {
        char row[128];
        snprintf(row, sizeof row, "%s|s|%d|0|0|0|%s|1||%.17g|no", variant, process, cache,
                 first_ns * (1 + 0.01 * process));
        add_row(r, BUNDLE_TIMING, row);
    }
}

/* `facts` knows the times that are there when it is made. */
static void start(struct recorded *r)
{
    bundle_init(&r->bundle);
    r->bundle.manifest = json_object();
    analysis_init(&r->analysis, &r->bundle);
    r->facts = NULL;
}

static void gather(struct recorded *r)
{
    MUST(analysis_join(&r->analysis, &e));
    MUST(run_facts_new(&r->facts, &r->analysis, &e));
    assert_ptr_equal(run_facts_analysis(r->facts), &r->analysis);
}

/* At the config "s", as most of what is asked for here. */
static const struct arm *arm_of(const struct recorded *r, const char *variant)
{
    return analysis_arm(&r->analysis, variant, "s");
}

static struct fact_place place_of(const struct recorded *r, const char *variant, const char *config, const char *metric)
{
    return (struct fact_place){analysis_arm(&r->analysis, variant, config), metric};
}

static void end(struct recorded *r)
{
    run_facts_free(r->facts);
    analysis_release(&r->analysis);
    bundle_release(&r->bundle);
}

/* The first row that states one decides, at whichever config it is. */
static void a_baseline_is_the_first_that_is_stated(void **state)
{
    (void)state;
    struct recorded r;
    start(&r);
    add_row(&r, BUNDLE_VARIANTS, "a|s|");
    add_row(&r, BUNDLE_VARIANTS, "b|s|");
    add_row(&r, BUNDLE_VARIANTS, "b|large|a");
    add_row(&r, BUNDLE_VARIANTS, "c|s|b");
    add_row(&r, BUNDLE_VARIANTS, "b|huge|c");
    gather(&r);
    assert_string_equal(run_facts_baseline(r.facts, "a"), "");
    assert_string_equal(run_facts_baseline(r.facts, "b"), "a");
    assert_string_equal(run_facts_baseline(r.facts, "c"), "b");
    assert_string_equal(run_facts_baseline(r.facts, "large"), ""); /* no variant */
    assert_string_equal(run_facts_baseline(r.facts, "d"), "");
    end(&r);
}

/* Each row of a report asks for it. 40,000 looks at 40,000 configs took half a minute. */
static void a_baseline_takes_no_look_at_every_config(void **state)
{
    (void)state;
    enum { CONFIGS = 40000 };
    struct recorded r;
    start(&r);
    for (int i = 0; i < CONFIGS; i++) {
        char row[64];
        snprintf(row, sizeof row, "b|n=%d|a", i);
        add_row(&r, BUNDLE_VARIANTS, row);
    }
    gather(&r);
    const clock_t begin = clock(); /* the time of this process, whatever else the machine does */
    for (int i = 0; i < CONFIGS; i++)
        assert_string_equal(run_facts_baseline(r.facts, "b"), "a");
    assert_true(clock() - begin < CLOCKS_PER_SEC);
    end(&r);
}

/* Of nothing nothing is known; 0 would be a number. */
static void an_empty_run_knows_nothing(void **state)
{
    (void)state;
    typedef double fact(const struct run_facts *f, const struct fact_place *p);
    typedef int interval(const struct run_facts *f, const struct fact_place *p, struct fact_interval *out,
                         struct err *e);
    static fact *const facts[] = {fact_time,        fact_registers, fact_local,  fact_waves,
                                  fact_launches,    fact_shared,    fact_spills, fact_occupancy,
                                  fact_max_abs_err, fact_bad_ratio, fact_metric, fact_class,
                                  fact_ratio,       fact_speedup,   fact_gain,   fact_wrong_kernels};
    static interval *const intervals[] = {fact_time_interval, fact_ratio_interval, fact_speedup_interval,
                                          fact_gain_interval};
    struct recorded r;
    struct fact_interval known;
    double ratio;
    start(&r);
    gather(&r);
    const struct fact_place place = place_of(&r, "f/a", "s", "dram_bytes");
    assert_null(place.arm);
    for (size_t i = 0; i < COUNT_OF(facts); i++)
        if (!isnan(facts[i](r.facts, &place)))
            fail_msg("fact %zu is known", i);
    for (size_t i = 0; i < COUNT_OF(intervals); i++) {
        MUST(intervals[i](r.facts, &place, &known, &e));
        assert_true(isnan(known.low) && isnan(known.high));
    }
    MUST(run_facts_time_ratio(r.facts, arm_of(&r, "f/a"), arm_of(&r, "f/b"), &ratio, &known, &e));
    assert_true(isnan(ratio) && isnan(known.low) && isnan(known.high));
    assert_int_equal(run_facts_processes(r.facts, arm_of(&r, "f/a")), 0);
    assert_null(run_facts_comparison(r.facts, arm_of(&r, "f/a")));
    assert_string_equal(run_facts_baseline(r.facts, "f/a"), "");
    end(&r);
}

/* The first row that names a baseline, whatever the config. */
static void a_variant_has_one_baseline(void **state)
{
    (void)state;
    struct recorded r;
    start(&r);
    add_row(&r, BUNDLE_VARIANTS, "f/a|s||");
    add_row(&r, BUNDLE_VARIANTS, "f/b|s||");
    add_row(&r, BUNDLE_VARIANTS, "f/b|t|f/a|");
    gather(&r);
    assert_string_equal(run_facts_baseline(r.facts, "f/a"), "");
    assert_string_equal(run_facts_baseline(r.facts, "f/b"), "f/a");
    assert_string_equal(run_facts_baseline(r.facts, "f/"), "");
    end(&r);
}

/* Hot where it was timed so, whichever comes first. */
static void the_time_is_that_of_hot_caches(void **state)
{
    (void)state;
    struct recorded r;
    start(&r);
    add_times(&r, "f/a", "cold", 3, 900);
    add_times(&r, "f/a", "hot", 1, 100);
    add_times(&r, "f/b", "cold", 1, 700);
    gather(&r);
    const struct fact_place a = place_of(&r, "f/a", "s", ""), b = place_of(&r, "f/b", "s", "");
    assert_true(fabs(fact_time(r.facts, &a) - 100) < 1e-9);
    assert_int_equal(run_facts_processes(r.facts, arm_of(&r, "f/a")), 1);
    assert_true(fabs(fact_time(r.facts, &b) - 700) < 1e-9);
    end(&r);
}

/* Two candidates of one baseline, or of none: each against the other, and turned round. */
static void any_two_arms_have_a_ratio(void **state)
{
    (void)state;
    static const struct {
        int processes;
        const char *caches[2];
        const char *declares; /* what f/b says of its own times */
        double ratio;         /* of f/b to f/a, 200 ns to 100 ns */
        const char *doubt;
    } cases[] = {
        {8, {"hot", "hot"}, "", 2, ""},
        {2, {"hot", "hot"}, "", 2, "an interval needs three processes or more"},
        {8, {"hot", "cold"}, "", 2, "the arms were timed in different ways, which do not cost the same"},
        {8, {"hot", "hot"}, "ranks share a GPU", NAN, "times of this form say nothing of the variants"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recorded r;
        struct fact_interval forth, back;
        double ratio, reverse;
        char row[128];
        start(&r);
        snprintf(row, sizeof row, "f/b|s|||||||ready||||||%s", cases[i].declares);
        add_row(&r, BUNDLE_VARIANTS, row);
        add_times(&r, "f/a", cases[i].caches[0], cases[i].processes, 100);
        add_times(&r, "f/b", cases[i].caches[1], cases[i].processes, 200);
        gather(&r);
        MUST(run_facts_time_ratio(r.facts, arm_of(&r, "f/b"), arm_of(&r, "f/a"), &ratio, &forth, &e));
        MUST(run_facts_time_ratio(r.facts, arm_of(&r, "f/a"), arm_of(&r, "f/b"), &reverse, &back, &e));
        assert_string_equal(forth.doubt, cases[i].doubt);
        assert_string_equal(back.doubt, cases[i].doubt);
        if (isnan(cases[i].ratio)) {
            assert_true(isnan(ratio) && isnan(reverse));
        } else {
            assert_true(fabs(ratio - cases[i].ratio) < 1e-9 && fabs(reverse - 1 / cases[i].ratio) < 1e-9);
            assert_true(forth.low <= ratio && ratio <= forth.high && back.low <= reverse && reverse <= back.high);
        }
        end(&r);
    }
}

/* ratio 0.5 within [0.4, 0.8]: speedup 2 within [1 / 0.8, 1 / 0.4], gain 0.5 within [1 - 0.8, 1 - 0.4] */
static void a_comparison_is_read_from_both_sides(void **state)
{
    (void)state;
    static const struct {
        enum comparison_reason reason;
        const char *doubt;
    } cases[] = {{COMPARISON_INTERVAL_BELOW_MARGIN, ""},
                 {COMPARISON_TOO_FEW_PROCESSES, "an interval needs three processes or more"},
                 {COMPARISON_MIXED_TIMING, "the arms were timed in different ways, which do not cost the same"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recorded r;
        struct fact_interval known;
        double ratio;
        start(&r);
        add_row(&r, BUNDLE_VARIANTS, "f/a|s||");
        add_row(&r, BUNDLE_VARIANTS, "f/b|s|f/a|");
        gather(&r);
        const struct fact_place b = place_of(&r, "f/b", "s", ""), a = place_of(&r, "f/a", "s", "");
        struct comparison *c = ARRAY_PUSH(&r.analysis.comparisons);
        assert_non_null(c);
        *c = (struct comparison){.baseline = "f/a",
                                 .candidate = "f/b",
                                 .config = "s",
                                 .ratio = 0.5,
                                 .speedup = 2,
                                 .gain = 0.5,
                                 .ci_low = 0.4,
                                 .ci_high = 0.8,
                                 .reason = cases[i].reason};
        name_arms(&r.analysis);
        assert_ptr_equal(run_facts_comparison(r.facts, arm_of(&r, "f/b")), c);
        assert_null(run_facts_comparison(r.facts, arm_of(&r, "f/a")));
        assert_true(fact_ratio(r.facts, &b) == 0.5 && fact_speedup(r.facts, &b) == 2 && fact_gain(r.facts, &b) == 0.5);
        assert_true(isnan(fact_ratio(r.facts, &a)));
        MUST(run_facts_time_ratio(r.facts, arm_of(&r, "f/b"), arm_of(&r, "f/a"), &ratio, &known, &e));
        assert_true(ratio == 0.5 && known.low == 0.4 && known.high == 0.8);
        assert_string_equal(known.doubt, cases[i].doubt);
        MUST(run_facts_time_ratio(r.facts, arm_of(&r, "f/a"), arm_of(&r, "f/b"), &ratio, &known, &e));
        assert_true(ratio == 2 && known.low == 1 / 0.8 && known.high == 1 / 0.4);
        assert_string_equal(known.doubt, cases[i].doubt);
        MUST(fact_speedup_interval(r.facts, &b, &known, &e));
        assert_true(known.low == 1 / 0.8 && known.high == 1 / 0.4);
        MUST(fact_gain_interval(r.facts, &b, &known, &e));
        assert_true(known.low == 1 - 0.8 && known.high == 1 - 0.4);
        assert_string_equal(known.doubt, cases[i].doubt);
        end(&r);
    }
}

/* Kernels of one launch add up in counts and not in shares; readings of one kernel are a mean. */
static void counters_of_a_variant(void **state)
{
    (void)state;
    static const char share[] = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
    static const struct {
        const char *rows[3];
        const char *metric;
        double all, own; /* of everything that was counted; of kernels alone */
    } cases[] = {
        {{"f/a|s|k|0|sm__inst_executed.sum|count|30", "f/a|s|k|1|sm__inst_executed.sum|count|40",
          "f/b|s|k|0|sm__inst_executed.sum|count|9"},
         "sm__inst_executed.sum",
         35,
         35}, /* (30 + 40) / 2 */
        {{"f/a|s|k|0|sm__inst_executed.sum|count|30", "f/a|s|k2|0|sm__inst_executed.sum|count|4",
          "f/a|t|k|0|sm__inst_executed.sum|count|9"},
         "sm__inst_executed.sum",
         34,
         34},
        {{"f/a|s|k|0|sm__inst_executed.sum|count|30", "f/a|s|k|1|sm__inst_executed.sum|count|",
          "f/a|s|k2|0|sm__inst_executed.sum|count|1"},
         "sm__inst_executed.sum",
         NAN,
         NAN}, /* one unknown reading */
        {{"f/a|s|k|0|sm__inst_executed.sum|count|-3", "f/a|s|k|1|sm__inst_executed.sum|count|9",
          "f/b|s|k|0|sm__inst_executed.sum|count|1"},
         "sm__inst_executed.sum",
         NAN,
         NAN},
        {{"f/a|s|k|0|dram__throughput.avg.pct_of_peak_sustained_elapsed|ratio|0.5",
          "f/a|s|k2|0|dram__throughput.avg.pct_of_peak_sustained_elapsed|ratio|0.25", "f/b|s|k|0|x|count|1"},
         share,
         NAN,
         NAN},
        {{"f/a|s|k|0|dram__throughput.avg.pct_of_peak_sustained_elapsed|ratio|0.5",
          "f/a|s|gpu 0|0|sm__inst_executed.sum|count|7", "f/b|s|k|0|x|count|1"},
         share,
         0.5,
         0.5},
        {{"f/a|s|gpu 0|0|sm__inst_executed.sum|count|7", "f/a|s|gpu 1|0|sm__inst_executed.sum|count|8",
          "f/b|s|k|0|x|count|1"},
         "sm__inst_executed.sum",
         15,
         NAN}, /* what GPUs counted of a whole launch is no kernel's */
        {{"f/a|s|k|0|dram__bytes_read.sum|bytes|64", "f/a|s|k|0|dram__bytes_write.sum|bytes|32", "f/b|s|k|0|x|count|1"},
         "dram_bytes",
         96,
         96}, /* 64 + 32 */
        {{"f/a|s|k|0|dram__bytes_read.sum|bytes|64", "f/a|s|k|0|x|count|32", "f/b|s|k|0|x|count|1"},
         "dram_bytes",
         NAN,
         NAN},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recorded r;
        start(&r);
        for (size_t k = 0; k < COUNT_OF(cases[i].rows); k++)
            add_row(&r, BUNDLE_METRICS, cases[i].rows[k]);
        gather(&r);
        const struct fact_place place = place_of(&r, "f/a", "s", cases[i].metric);
        const double all = fact_metric(r.facts, &place), own = metric_of_arm(&r.analysis, &place);
        if (!(isnan(cases[i].all) ? isnan(all) : fabs(all - cases[i].all) < 1e-9) ||
            !(isnan(cases[i].own) ? isnan(own) : fabs(own - cases[i].own) < 1e-9))
            fail_msg("case %zu: %g, %g", i, all, own);
        end(&r);
    }
}

/* Two kernels of a variant that are bound by different things have no class together. */
static void kernels_share_a_class_or_have_none(void **state)
{
    (void)state;
    static const struct bound bounds[] = {{.variant = "f/a", .config = "s", .kernel = "k", .class_ = BOUND_MEMORY},
                                          {.variant = "f/a", .config = "t", .kernel = "k", .class_ = BOUND_COMPUTE},
                                          {.variant = "f/b", .config = "s", .kernel = "k", .class_ = BOUND_LATENCY},
                                          {.variant = "f/a", .config = "s", .kernel = "k2", .class_ = BOUND_MEMORY},
                                          {.variant = "f/a", .config = "s", .kernel = "k3", .class_ = BOUND_LATENCY}};
    struct recorded r;
    start(&r);
    add_row(&r, BUNDLE_VARIANTS, "f/a|s||");
    add_row(&r, BUNDLE_VARIANTS, "f/a|t||");
    add_row(&r, BUNDLE_VARIANTS, "f/b|s||");
    gather(&r);
    const struct fact_place a = place_of(&r, "f/a", "s", ""), b = place_of(&r, "f/b", "s", "");
    for (size_t i = 0; i < COUNT_OF(bounds); i++) {
        struct bound *slot = ARRAY_PUSH(&r.analysis.bounds);
        assert_non_null(slot);
        *slot = bounds[i];
        name_arms(&r.analysis);
        if (i == 3)
            assert_true(fact_class(r.facts, &a) == BOUND_MEMORY);
    }
    assert_true(isnan(fact_class(r.facts, &a)));
    assert_true(fact_class(r.facts, &b) == BOUND_LATENCY);
    end(&r);
}

static void what_the_manifest_says(void **state)
{
    (void)state;
    static const struct {
        const char *path, *text;
    } cases[] = {
        {"kind", "run"},
        {"gpu.uuid", "GPU-1"},
        {"gpu.sm_count", "132"},
        {"gpu.share", "0.5"},
        {"gpu", "3 members"},
        {"seeds", "2 members"},
        {"none", ""},
        {"empty", ""},
        {"driver", ""},
        {"missing", ""},
        {"gpu.missing", ""},
        {"kind.uuid", ""},
        {"seeds.0", ""},
        {"dirty", ""},
        {"is_true", ""},
        {"gpu.uuid.more", ""},
        {"gpu..uuid", ""},
        {"0123456789012345678901234567890123456789012345678901234567890123", ""}, /* 64: longer than any of ours */
    };
    struct recorded r;
    start(&r);
    json_decref(r.bundle.manifest);
    r.bundle.manifest = json_loads(
        "{\"kind\": \"run\", \"gpu\": {\"uuid\": \"GPU-1\", \"sm_count\": 132, \"share\": 0.5},"
        " \"seeds\": [\"1\", \"2\"], \"none\": null, \"empty\": {}, \"driver\": \"unknown\", \"dirty\": \"\","
        " \"is_true\": true, \"0123456789012345678901234567890123456789012345678901234567890123\": \"x\"}",
        0, NULL);
    assert_non_null(r.bundle.manifest);
    gather(&r);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_string_equal(run_facts_recorded(r.facts, cases[i].path, &r.analysis.arena), cases[i].text);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_baseline_is_the_first_that_is_stated),
        cmocka_unit_test(a_baseline_takes_no_look_at_every_config),
        cmocka_unit_test(an_empty_run_knows_nothing),
        cmocka_unit_test(a_variant_has_one_baseline),
        cmocka_unit_test(the_time_is_that_of_hot_caches),
        cmocka_unit_test(any_two_arms_have_a_ratio),
        cmocka_unit_test(a_comparison_is_read_from_both_sides),
        cmocka_unit_test(counters_of_a_variant),
        cmocka_unit_test(kernels_share_a_class_or_have_none),
        cmocka_unit_test(what_the_manifest_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
