/* Does a kernel get the bound that its numbers mean? */
#include "tests/unit/counted_run.h"

#include "analyzers/bounds/bound_repeats.h"
#include "core/gpu/thresholds.h"
#include "reports/reports.h"

/* ---- six kernels on an H200, their numbers as Nsight Compute 2025.3 measured
 * them (in per cent), and the verdicts that are known for them ---- */

static const char *const h200_metrics[] = {"sm_throughput", "memory_throughput", "issue_share", "tensor_share",
                                           "fma_share",     "fmaheavy_share",    "alu_share",   "lsu_share",
                                           "dram_share",    "l2_share",          "l1_share",    "shared_share"};

static const struct {
    const char *kernel;
    double percent[COUNT_OF(h200_metrics)];
    double grid, waves;
    enum bound_class class_;
    const char *lean, *unit, *ncu_rule;
    double margin;
} h200[] = {
    /* L2 leads with 88.00, DRAM reaches 82.58 / 0.88 = 93.84: DRAM. 88 - 60 = 28 < 88 - 6.03 - 10 */
    {"copy of 1 GiB",
     {6.03, 82.58, 4.92, 0, 0.76, 1.53, 6.03, 3.02, 82.58, 88.00, 27.11, 0.01},
     1056,
     1,
     BOUND_MEMORY,
     "memory",
     "dram",
     "High Throughput",
     0.28},
    /* 96.94 - 60: the issue slots, whose instructions are those of the FMA pipe */
    {"loop of FMAs",
     {96.94, 0.01, 96.94, 2.85, 91.21, 91.18, 5.73, 0, 0, 0.01, 0, 0},
     1056,
     1,
     BOUND_COMPUTE,
     "compute",
     "fma",
     "High Throughput",
     0.3694},
    /* 98.92 - 60 */
    {"loop of tensor-core products",
     {98.92, 0.01, 21.65, 98.92, 2.58, 5.16, 3.10, 0, 0, 2.31, 0.01, 0},
     1056,
     1,
     BOUND_COMPUTE,
     "compute",
     "tensor",
     "High Throughput",
     0.3892},
    /* 92.10 - 60: issue slots */
    {"copy, then FMAs",
     {92.10, 4.78, 92.10, 2.70, 86.39, 86.37, 5.86, 0.18, 4.78, 5.18, 1.61, 0},
     1056,
     1,
     BOUND_COMPUTE,
     "compute",
     "fma",
     "High Throughput",
     0.3210},
    /* 77.54 - 60: the issue slots are 16.44 points busier than any pipe */
    {"tiles, plain loads, 4 blocks per SM",
     {77.54, 16.95, 77.54, 0, 61.10, 43.86, 20.38, 1.83, 16.95, 22.45, 7.66, 5.08},
     528,
     0.5,
     BOUND_COMPUTE,
     "compute",
     "issue",
     "High Compute Throughput",
     0.1754},
    /* 86.16 - 60: 15.4 points busier than any pipe */
    {"tiles, three cp.async stages, 4 blocks per SM",
     {86.16, 18.04, 86.16, 0, 70.76, 64.51, 16.53, 3.90, 18.04, 23.93, 5.51, 4.70},
     528,
     0.5,
     BOUND_COMPUTE,
     "compute",
     "issue",
     "High Throughput",
     0.2616},
};

static void six_known_kernels(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(h200); i++) {
        struct recorded run;
        run_start(&run);
        add_idle_units(&run, "v", SHAPE, h200_metrics, COUNT_OF(h200_metrics));
        for (size_t m = 0; m < COUNT_OF(h200_metrics); m++)
            add_metric(&run, "v", SHAPE, 0, h200_metrics[m], h200[i].percent[m] / 100);
        add_resource(&run, "v", SHAPE, h200[i].grid, h200[i].waves);
        const struct bound *b = only_bound(&run);
        if (b->class_ != h200[i].class_ || !near(b->margin, h200[i].margin))
            fail_msg("%s: %s, margin %.4f", h200[i].kernel, bound_class_name(b->class_), b->margin);
        assert_string_equal(b->lean, h200[i].lean);
        assert_string_equal(b->unit, h200[i].unit);
        assert_string_equal(b->ncu_rule, h200[i].ncu_rule);
        assert_true(*b->advice && *b->will_not_help);
        run_end(&run);
    }
}

static void causes_say_their_numbers(void **state)
{
    (void)state;
    struct recorded run;
    run_start(&run);
    for (size_t m = 0; m < COUNT_OF(h200_metrics); m++)
        add_metric(&run, "v", SHAPE, 0, h200_metrics[m], h200[0].percent[m] / 100);
    add_idle_units(&run, "v", SHAPE, h200_metrics, COUNT_OF(h200_metrics));
    const struct bound *b = only_bound(&run);
    /* 88.00 - 6.03 = 81.97 */
    assert_string_equal(b->cause, "dram at 82.6% of its peak (93.8% of what it can reach), l2 at 88.0%; "
                                  "memory leads compute (alu 6.0%) by 82.0 points");
    assert_true(near(evidence_of(b, "dram__throughput.avg.pct_of_peak_sustained_elapsed"), 0.8258));
    assert_string_equal(b->evidence.items[0].metric, "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed");
    assert_string_equal(b->evidence.items[1].metric, "dram__throughput.avg.pct_of_peak_sustained_elapsed");
    run_end(&run);
}

static void a_waiting_device_is_launch_bound(void **state)
{
    (void)state;
    static const struct {
        double kernel_ns, interval_ns, gap_ns;
        enum bound_class class_;
    } cases[] = {
        {1000, 2660, 1660, BOUND_LAUNCH},      /* 62% of the interval idle */
        {300000, 302000, 2000, BOUND_COMPUTE}, /* 0.7% */
        {1000, 1000, 1000, BOUND_COMPUTE},     /* kernel no shorter than the interval: overlapping launches */
        {1000, NAN, NAN, BOUND_COMPUTE},       /* launched once */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recorded run;
        run_start(&run);
        add_two(&run, "v", SHAPE, 0.90, 0.10);
        struct launch_cost *cost = ARRAY_PUSH(&run.analysis.launches);
        assert_non_null(cost);
        *cost = (struct launch_cost){.variant = "v",
                                     .config = SHAPE,
                                     .kernel_median_ns = cases[i].kernel_ns,
                                     .interval_median_ns = cases[i].interval_ns,
                                     .gap_median_ns = cases[i].gap_ns};
        const struct bound *b = only_bound(&run);
        assert_int_equal(b->class_, cases[i].class_);
        assert_string_equal(b->lean, "compute"); /* answered all the same */
        if (b->class_ == BOUND_LAUNCH)
            assert_string_equal(b->cause, "the device waits for the host 62.4% of the launch interval: kernel 1.00 us, "
                                          "one launch every 2.66 us");
        run_end(&run);
    }
}

/* Its traced launches wait for Python, and those that are timed are graphs. */
static void a_function_of_python_is_not_launch_bound(void **state)
{
    (void)state;
    static const struct {
        const char *as;
        enum bound_class class_;
    } cases[] = {{"solution v", BOUND_LAUNCH},
                 {"solution v2:f", BOUND_LAUNCH},
                 {"solution v:f", BOUND_COMPUTE},
                 {"task", BOUND_LAUNCH}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recorded run;
        run_start(&run);
        add_two(&run, "v", SHAPE, 0.90, 0.10);
        json_object_set_new(run.bundle.manifest, "libraries", json_pack("[{s:s}]", "as", cases[i].as));
        struct launch_cost *cost = ARRAY_PUSH(&run.analysis.launches);
        assert_non_null(cost);
        *cost = (struct launch_cost){.variant = "v",
                                     .config = SHAPE,
                                     .kernel_median_ns = 1000,
                                     .interval_median_ns = 2660,
                                     .gap_median_ns = 1660};
        const struct bound *b = only_bound(&run);
        if (b->class_ != cases[i].class_)
            fail_msg("'%s': %s", cases[i].as, bound_class_name(b->class_));
        run_end(&run);
    }
}

/* A launch every 1,000 ns with a kernel of 300: what fills most of the rest is named, and the time table has it. */
static void what_is_between_two_launches_is_named(void **state)
{
    (void)state;
    static const struct {
        double idle, copying, other;
        enum bound_class class_;
        double margin;
        const char *cause;
    } cases[] = {
        {400, 200, 100, BOUND_LAUNCH, 0.15,
         "the device waits for the host 40.0% of the launch interval: kernel 300 ns"},
        {200, 400, 100, BOUND_COPY, 0.15,
         "no kernel of it runs for 40.0% of the launch interval, in which the device copies: kernel"},
        {100, 300, 290, BOUND_COPY, 0.01, "no kernel of it runs for 30.0%"},
        {100, 200, 400, BOUND_OTHER_WORK, 0.15,
         "no kernel of it runs for 40.0% of the launch interval, in which the device runs other"},
        {240, 230, 230, BOUND_COMPUTE, 0.01, "fma at 90.0% of its peak"}, /* none of them reaches 25% */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recorded run;
        run_start(&run);
        add_two(&run, "v", SHAPE, 0.90, 0.10);
        struct launch_cost *cost = ARRAY_PUSH(&run.analysis.launches);
        assert_non_null(cost);
        *cost = (struct launch_cost){.variant = "v",
                                     .config = SHAPE,
                                     .kernel_median_ns = 300,
                                     .interval_median_ns = 1000,
                                     .gap_median_ns = cases[i].idle,
                                     .copy_median_ns = cases[i].copying,
                                     .other_median_ns = cases[i].other};
        const struct bound *b = only_bound(&run);
        if (b->class_ != cases[i].class_ || !near(b->margin, cases[i].margin) || !strstr(b->cause, cases[i].cause))
            fail_msg("case %zu: %s, margin %g: %s", i, bound_class_name(b->class_), b->margin, b->cause);
        assert_int_equal(b->lost[0].kind, LOST_HOST);
        assert_true(near(b->lost[0].share, cases[i].idle / 1000));
        assert_int_equal(b->lost[1].kind, LOST_COPY);
        assert_true(near(b->lost[1].share, cases[i].copying / 1000));
        assert_int_equal(b->lost[2].kind, LOST_OTHER_WORK);
        assert_true(near(b->lost[2].share, cases[i].other / 1000));
        run_end(&run);
    }
}

static void launches_are_averaged_and_arms_kept_in_order(void **state)
{
    (void)state;
    struct recorded run;
    run_start(&run);
    add_two(&run, "z", SHAPE, 0.60, 0.10);
    add_two(&run, "a", SHAPE, 0.90, 0.10);
    add_metric(&run, "z", SHAPE, 1, "fma_share", 0.70); /* mean 0.65 */
    struct err e = {0};
    assert_int_equal(analysis_join(&run.analysis, &e), 0);
    assert_int_equal(bound_analyze(&run.analysis, &e), 0);
    assert_int_equal(run.analysis.bounds.count, 2);
    assert_string_equal(run.analysis.bounds.items[0].variant, "z");
    assert_true(near(run.analysis.bounds.items[0].compute_share, 0.65));
    assert_string_equal(run.analysis.bounds.items[1].variant, "a");
    run_end(&run);
}

/* SM and memory throughput beside fma, l2 and the issue slots: more than 10 points above all of them is a unit that
 * nobody counted. Where the other side leads all the same, it stays the limit. */
static void a_throughput_without_a_unit_decides_nothing(void **state)
{
    (void)state;
    static const struct {
        double fma, issue, l2, sm, memory;
        enum bound_class class_;
        const char *unit, *says;
    } cases[] = {
        {0.30, 0.20, 0.10, 0.85, 0.10, BOUND_INCONCLUSIVE, "fma",
         "SM throughput is 85.0%, and the busiest unit counted there, fma, only 30.0%: a unit that is not known may be the limit"},
        {0.30, 0.20, 0.10, 0.41, 0.10, BOUND_INCONCLUSIVE, "fma", "SM throughput is 41.0%"},
        {0.30, 0.20, 0.10, 0.40, 0.10, BOUND_LATENCY, "fma",
         "no unit reaches"},                                                   /* 10 points are rounding and overlap */
        {0.30, 0.20, 0.10, NAN, NAN, BOUND_LATENCY, "fma", "no unit reaches"}, /* no throughput was counted */
        {0.30, 0.97, 0.10, 0.97, 0.10, BOUND_COMPUTE, "issue", "issue slots at 97.0% of their peak; compute leads"},
        {0.90, 0.97, 0.10, 0.97, 0.10, BOUND_COMPUTE, "fma",
         "fma at 90.0% of its peak, issue slots at 97.0%; compute leads"},
        {0.30, 0.20, 0.40, 0.30, 0.70, BOUND_INCONCLUSIVE, "l2",
         "memory throughput is 70.0%, and the busiest unit counted there, l2"},
        {0.30, 0.20, 0.90, 0.50, 0.90, BOUND_MEMORY, "l2", "memory leads compute"}, /* 90 - 50 leads, too */
        {0.30, 0.20, 0.90, 0.85, 0.90, BOUND_INCONCLUSIVE, "l2",
         "SM throughput is 85.0%"}, /* 90 - 85 would be balanced */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        static const char *const named[] = {"fma_share", "l2_share", "issue_share"};
        const double shares[] = {cases[i].fma, cases[i].l2, cases[i].issue};
        struct recorded run;
        run_start(&run);
        add_idle_units(&run, "v", SHAPE, named, COUNT_OF(named));
        for (size_t m = 0; m < COUNT_OF(named); m++)
            add_metric(&run, "v", SHAPE, 0, named[m], shares[m]);
        if (isfinite(cases[i].sm)) {
            add_metric(&run, "v", SHAPE, 0, "sm_throughput", cases[i].sm);
            add_metric(&run, "v", SHAPE, 0, "memory_throughput", cases[i].memory);
        }
        const struct bound *b = only_bound(&run);
        if (b->class_ != cases[i].class_ || strcmp(b->unit, cases[i].unit) || !strstr(b->cause, cases[i].says))
            fail_msg("case %zu: %s, %s: %s", i, bound_class_name(b->class_), b->unit, b->cause);
        run_end(&run);
    }
}

static void add_readings(struct recorded *run, const double fma[3])
{
    for (int launch = 0; launch < 3; launch++) {
        size_t count;
        const struct metric *metrics = metrics_known(&count);
        for (size_t i = 0; i < count; i++)
            if ((metrics[i].role == METRIC_COMPUTE || metrics[i].role == METRIC_MEMORY) &&
                strcmp(metrics[i].id, "fma_share"))
                add_metric(run, "v", SHAPE, launch, metrics[i].id, strcmp(metrics[i].id, "l2_share") ? 0 : 0.10);
        add_metric(run, "v", SHAPE, launch, "issue_share", fmin(1, fma[launch]));
        add_metric(run, "v", SHAPE, launch, "fma_share", fma[launch]);
    }
}

/* Three readings: fma 0.70, 0.90 and 0.50 beside an l2 of 0.10. Their mean is 0.70, compute-bound fma; the third
 * is below 0.60, so latency-bound, of nothing that is known as there are no stalls. */
static void each_reading_is_judged_for_itself(void **state)
{
    (void)state;
    struct recorded run;
    run_start(&run);
    add_readings(&run, (const double[]){0.70, 0.90, 0.50});
    const struct bound *b = only_bound(&run);
    assert_int_equal(b->class_, BOUND_COMPUTE);
    assert_string_equal(b->bound_by, "fma");
    assert_int_equal(b->repeats, 3);
    assert_int_equal(b->agreeing, 2);
    assert_int_equal(b->tally_count, 2);
    assert_int_equal(b->tallies[0].class_, BOUND_COMPUTE);
    assert_string_equal(b->tallies[0].bound_by, "fma");
    assert_int_equal(b->tallies[0].count, 2);
    assert_int_equal(b->tallies[1].class_, BOUND_LATENCY);
    assert_int_equal(b->tallies[1].count, 1);
    run_end(&run);
}

/* Three readings of fma, one beyond its peak: their mean is 0.80, and says nothing. */
static void one_reading_beyond_its_peak_is_not_averaged_away(void **state)
{
    (void)state;
    struct recorded run;
    run_start(&run);
    add_readings(&run, (const double[]){0.60, 1.20, 0.60});
    const struct bound *b = only_bound(&run);
    assert_int_equal(b->class_, BOUND_INCONCLUSIVE);
    assert_non_null(strstr(b->cause, "120.0% of its peak, which is not credible"));
    run_end(&run);
}

/* The l1 counter is the largest of its parts: where shared has three quarters of it, that part is shared. */
static void shared_is_named_when_it_is_what_fills_l1(void **state)
{
    (void)state;
    static const struct {
        double l1, shared;
        const char *unit;
    } cases[] = {{0.95, 0.95, "shared"}, {0.8, 0.6, "shared"}, {0.8, 0.59, "l1"}, {0.95, 0.0, "l1"}};
    static const char *const named[] = {"l1_share", "shared_share"};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recorded run;
        run_start(&run);
        add_idle_units(&run, "v", SHAPE, named, COUNT_OF(named));
        add_metric(&run, "v", SHAPE, 0, "l1_share", cases[i].l1);
        add_metric(&run, "v", SHAPE, 0, "shared_share", cases[i].shared);
        const struct bound *b = only_bound(&run);
        assert_int_equal(b->class_, BOUND_MEMORY);
        assert_string_equal(b->unit, cases[i].unit);
        assert_string_equal(b->bound_by, cases[i].unit);
        run_end(&run);
    }
}

/* What a variant says of itself, beside what was found. */
static void stated_bounds_are_held_against_the_verdict(void **state)
{
    (void)state;
    static const struct {
        enum bound_class class_;
        const char *bound_by, *stated;
        bool as_stated;
    } cases[] = {
        {BOUND_MEMORY, "dram", "memory-bound dram", true},
        {BOUND_MEMORY, "l2", "memory-bound dram", false},
        {BOUND_COMPUTE, "fma", "memory-bound fma", false},
        {BOUND_MEMORY, "dram", "memory-bound dram-x", false},
        {BOUND_MEMORY, "dram", "memory-bound", false},
        {BOUND_LAUNCH, "", "launch-bound", true},
        {BOUND_LAUNCH, "", "launch-bound host", false},
        {BOUND_LATENCY, "tail", "latency-bound tail", true},
        {BOUND_LATENCY, "tail", "", false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct bound b = {.class_ = cases[i].class_, .bound_by = cases[i].bound_by, .stated = cases[i].stated};
        assert_int_equal(bound_is_as_stated(&b), cases[i].as_stated);
    }
}

static void classify_json_has_the_contract(void **state)
{
    (void)state;
    struct recorded run;
    run_start(&run);
    add_two(&run, "bad\xff", SHAPE, 0.90, 0.10); /* not UTF-8 */
    add_variant(&run, "quiet", SHAPE);
    struct err e = {0};
    assert_int_equal(analysis_join(&run.analysis, &e), 0);
    assert_int_equal(bound_analyze(&run.analysis, &e), 0);
    json_t *root = json_classify(&run.analysis);
    assert_non_null(root);
    assert_string_equal(json_get_text(root, "schema", ""), "cpprof.classify/1");
    json_t *kernels = json_object_get(root, "kernels");
    assert_int_equal(json_array_size(kernels), 2);
    json_t *first = json_array_get(kernels, 0), *second = json_array_get(kernels, 1);
    assert_string_equal(json_get_text(first, "id", ""), "0");
    assert_string_equal(json_get_text(first, "class", ""), "compute-bound");
    assert_string_equal(json_get_text(first, "unit", ""), "fma");
    assert_string_equal(json_get_text(first, "variant", ""), "bad\xef\xbf\xbd");
    assert_true(near(json_get_number(first, "margin", -1), 0.30));
    assert_true(json_is_null(json_object_get(first, "ncu_rule")));
    assert_string_equal(json_get_text(first, "limit", ""), "fma");
    assert_int_equal(json_get_integer(first, "repeats", 0), 1);
    assert_int_equal(json_get_integer(first, "agreeing", 0), 1);
    assert_int_equal(json_array_size(json_object_get(first, "repeat_bounds")), 1);
    assert_true(json_is_null(json_object_get(first, "stated")) && json_is_null(json_object_get(first, "as_stated")));
    assert_int_equal(json_get_integer(second, "repeats", -1), 0);
    json_t *evidence = json_array_get(json_object_get(first, "evidence"), 0);
    assert_string_equal(json_get_text(evidence, "metric", ""),
                        "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed");
    assert_string_equal(json_get_text(evidence, "unit", ""), "ratio");
    assert_string_equal(json_get_text(second, "class", ""), "inconclusive");
    assert_true(json_is_null(json_object_get(second, "lean")));
    assert_true(json_is_null(json_object_get(second, "margin")));
    assert_int_equal(json_array_size(json_object_get(root, "thresholds")), THRESHOLD_COUNT);
    json_decref(root);
    run_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(six_known_kernels),
        cmocka_unit_test(causes_say_their_numbers),
        cmocka_unit_test(a_waiting_device_is_launch_bound),
        cmocka_unit_test(launches_are_averaged_and_arms_kept_in_order),
        cmocka_unit_test(a_throughput_without_a_unit_decides_nothing),
        cmocka_unit_test(a_function_of_python_is_not_launch_bound),
        cmocka_unit_test(what_is_between_two_launches_is_named),
        cmocka_unit_test(each_reading_is_judged_for_itself),
        cmocka_unit_test(one_reading_beyond_its_peak_is_not_averaged_away),
        cmocka_unit_test(shared_is_named_when_it_is_what_fills_l1),
        cmocka_unit_test(stated_bounds_are_held_against_the_verdict),
        cmocka_unit_test(classify_json_has_the_contract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
