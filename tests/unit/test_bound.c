/* Does a kernel get the bound that its numbers mean? */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzers/entries.h"
#include "base/array.h"
#include "model/bound_decision.h"
#include "model/bound_repeats.h"
#include "model/bundle.h"
#include "model/metrics.h"
#include "model/thresholds.h"
#include "reports/ncu_words.h"
#include "reports/reports.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define SHAPE    "large ctas_per_sm=1"

/* ---- a bundle in memory ---- */

struct run {
    struct bundle bundle;
    struct analysis analysis;
};

static void run_start(struct run *run)
{
    bundle_init(&run->bundle);
    run->bundle.manifest = json_pack("{s:{s:i}}", "gpu", "sm_count", 132);
    assert_non_null(run->bundle.manifest);
    analysis_init(&run->analysis, &run->bundle);
}

static void run_end(struct run *run)
{
    analysis_release(&run->analysis);
    bundle_release(&run->bundle);
}

static void add_variant(struct run *run, const char *variant, const char *shape)
{
    struct table *t = &run->bundle.tables[BUNDLE_VARIANTS];
    struct cell *row = table_add_row(t);
    assert_non_null(row);
    row[VARIANTS_VARIANT] = cell_text(t, variant);
    row[VARIANTS_SHAPE] = cell_text(t, shape);
}

static void add_metric(struct run *run, const char *variant, const char *shape, int launch, const char *id,
                       double value)
{
    struct table *t = &run->bundle.tables[BUNDLE_METRICS];
    struct cell *row = table_add_row(t);
    assert_non_null(row);
    row[METRICS_VARIANT] = cell_text(t, variant);
    row[METRICS_SHAPE] = cell_text(t, shape);
    row[METRICS_KERNEL] = cell_text(t, "kernel");
    row[METRICS_LAUNCH] = cell_integer(launch);
    row[METRICS_METRIC] = cell_text(t, metric_by_id(id)->name);
    row[METRICS_VALUE] = cell_number(value);
}

/* Every unit at zero except those that a test then says. */
static void add_idle_units(struct run *run, const char *variant, const char *shape, const char *const *except,
                           size_t except_count)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    for (size_t i = 0; i < count; i++) {
        bool skip = metrics[i].role != METRIC_COMPUTE && metrics[i].role != METRIC_MEMORY;
        for (size_t j = 0; j < except_count; j++)
            skip = skip || !strcmp(except[j], metrics[i].id);
        if (!skip)
            add_metric(run, variant, shape, 0, metrics[i].id, 0);
    }
}

/* One compute and one memory unit at the given shares. */
static void add_two(struct run *run, const char *variant, const char *shape, double fma, double l2)
{
    static const char *const named[] = {"fma_share", "l2_share"};
    add_idle_units(run, variant, shape, named, COUNT(named));
    add_metric(run, variant, shape, 0, "fma_share", fma);
    add_metric(run, variant, shape, 0, "l2_share", l2);
}

static void add_resource(struct run *run, const char *variant, const char *shape, double grid, double waves)
{
    struct resource *r = ARRAY_PUSH(&run->analysis.resources);
    assert_non_null(r);
    *r = (struct resource){.variant = variant, .shape = shape, .kernel = "kernel", .grid_blocks = grid, .waves = waves};
}

static const struct bound *only_bound(struct run *run)
{
    struct err e = {0};
    assert_int_equal(bound_analyze(&run->analysis, &e), 0);
    assert_int_equal(run->analysis.bounds.count, 1);
    return &run->analysis.bounds.items[0];
}

static double evidence_of(const struct bound *b, const char *metric)
{
    for (size_t i = 0; i < b->evidence.count; i++)
        if (!strcmp(b->evidence.items[i].metric, metric))
            return b->evidence.items[i].value;
    return NAN;
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' does not say '%s'", text, part);
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* ---- pure decisions ---- */

static void shares_make_a_class(void **state)
{
    (void)state;
    static const struct {
        double idle, compute, memory;
        enum bound_class class_;
        double margin;
    } cases[] = {
        /* latency: margin is what is missing to 60 points */
        {NAN, 0.30, 0.20, BOUND_LATENCY, 0.30},
        {NAN, 0.20, 0.5999, BOUND_LATENCY, 0.0001},
        /* exactly 60: no longer latency; 0.60 - 0.60 = 0 */
        {NAN, 0.60, 0.20, BOUND_COMPUTE, 0.00},
        /* lead 62 - 20 = 42, less 10 = 32; to latency 62 - 60 = 2 */
        {NAN, 0.62, 0.20, BOUND_COMPUTE, 0.02},
        /* lead 75 - 62 = 13, less 10 = 3; to latency 15 */
        {NAN, 0.62, 0.75, BOUND_MEMORY, 0.03},
        /* a lead of exactly 10 wins, with nothing to spare */
        {NAN, 0.70, 0.60, BOUND_COMPUTE, 0.00},
        /* lead 9: balanced; 1 point to a lead of 10, 80 - 72 = 8 to the high share, 12 to latency */
        {NAN, 0.72, 0.63, BOUND_BALANCED, 0.01},
        /* only one passes 80: lead 5; it falls below after 2 points, the other passes after 3 */
        {NAN, 0.82, 0.77, BOUND_COMPUTE, 0.02},
        {NAN, 0.79, 0.84, BOUND_MEMORY, 0.01},
        /* wins by both: lead 85 - 70 = 15, 5 to spare; as the only one above 80: min(5, 10) = 5 */
        {NAN, 0.85, 0.70, BOUND_COMPUTE, 0.05},
        /* lead 30, 20 to spare; alone above 80 by 10: both must fall, so 20 */
        {NAN, 0.60, 0.90, BOUND_MEMORY, 0.20},
        /* both above 80, lead 5: balanced; 5 to a lead of 10, lower one 85 - 80 = 5 to falling out */
        {NAN, 0.90, 0.85, BOUND_BALANCED, 0.05},
        /* both above 80, lead 12 */
        {NAN, 0.82, 0.94, BOUND_MEMORY, 0.02},
        /* launch comes first, at 25% of the interval idle */
        {0.25, 0.95, 0.20, BOUND_LAUNCH, 0.00},
        {0.60, 0.05, 0.02, BOUND_LAUNCH, 0.35},
        {0.60, NAN, NAN, BOUND_LAUNCH, 0.35},
        /* 95 - 60 = 35, lead 75; but it is launch-bound when the device idles 0.01 points more */
        {0.2499, 0.95, 0.20, BOUND_COMPUTE, 0.0001},
        {0.10, 0.62, 0.20, BOUND_COMPUTE, 0.02},
        /* nothing to go by */
        {NAN, NAN, 0.90, BOUND_INCONCLUSIVE, NAN},
        {0.10, 0.90, NAN, BOUND_INCONCLUSIVE, NAN},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bound_shares shares = {cases[i].idle, cases[i].compute, cases[i].memory};
        double margin = -1;
        enum bound_class got = bound_decide(&shares, &margin);
        bool margin_right = isnan(cases[i].margin) ? isnan(margin) : near(margin, cases[i].margin);
        if (got != cases[i].class_ || !margin_right)
            fail_msg("case %zu: %s, margin %g", i, bound_class_name(got), margin);
    }
}

static void dram_is_named_when_close_to_its_ceiling(void **state)
{
    (void)state;
    static const struct {
        double dram, busiest;
        bool dram_named;
    } cases[] = {
        {0.8258, 0.88, true},  /* 82.58 / 0.88 = 93.8 >= 88 - 10 */
        {0.22, 0.70, false},   /* strided: 25 < 60 */
        {0.528, 0.70, true},   /* 52.8 / 0.88 = 60 = 70 - 10 */
        {0.5279, 0.70, false}, /* 59.99 */
        {NAN, 0.70, false},
        /* Within 10 points, but of a unit that does twice as much: dram carries little of what goes there. */
        {0.001, 0.09, false},
        {0.044, 0.10, true}, /* 4.4 / 0.88 = 5 = 10 / 2 */
        {0.0439, 0.10, false},
        {0, 0, true},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(bound_prefers_dram(cases[i].dram, 0.88, cases[i].busiest), cases[i].dram_named);
}

/* L2 at 75%, DRAM at 53%: 53 / 0.88 = 60.2, too far below 75 - 10. Where device memory reached 4 of 5 TB/s,
 * 53 / 0.80 = 66.3 is close enough. A measurement of a tenth of the peak is none. */
static void a_measured_ceiling_takes_the_place_of_the_threshold(void **state)
{
    (void)state;
    static const struct {
        double measured; /* NAN: none */
        double reach;    /* shown as evidence; NAN: not measured */
        const char *unit;
    } cases[] = {{NAN, NAN, "l2"}, {4e12, 0.8, "dram"}, {5e11, NAN, "l2"}, {5.1e12, NAN, "l2"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        static const char *const named[] = {"dram_share", "l2_share"};
        struct run run;
        run_start(&run);
        add_idle_units(&run, "v", SHAPE, named, COUNT(named));
        add_metric(&run, "v", SHAPE, 0, "dram_share", 0.53);
        add_metric(&run, "v", SHAPE, 0, "l2_share", 0.75);
        add_metric(&run, "v", SHAPE, 0, "peak_dram", 5e12);
        if (!isnan(cases[i].measured))
            json_object_set_new(run.bundle.manifest, "ceilings",
                                json_pack("{s:[{ss sf}]}", "ceilings", "id", "dram", "best", cases[i].measured));
        const struct bound *b = only_bound(&run);
        assert_string_equal(b->unit, cases[i].unit);
        const double reach = evidence_of(b, "dram_reach_measured");
        assert_true(isnan(cases[i].reach) ? isnan(reach) : near(reach, cases[i].reach));
        run_end(&run);
    }
}

static void shared_is_named_when_it_is_most_of_l1(void **state)
{
    (void)state;
    static const struct {
        double shared, l1;
        bool shared_named;
    } cases[] = {{0.93, 0.95, true}, {0.9299, 0.95, false}, {0, 0.015, false}, {0.01, 0.02, true}, {NAN, 0.95, false}};
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(bound_prefers_shared(cases[i].shared, cases[i].l1), cases[i].shared_named);
}

static void latency_has_a_cause(void **state)
{
    (void)state;
    static const struct {
        double grid, sms, waves;
        enum latency_cause cause;
    } cases[] = {
        {131, 132, 0.99, LATENCY_SMALL_GRID}, {132, 132, 1, LATENCY_STALL},   {158, 132, 1.2, LATENCY_TAIL},
        {196, 132, 1.49, LATENCY_TAIL},       {198, 132, 1.5, LATENCY_STALL}, {264, 132, 2.0, LATENCY_STALL},
        {290, 132, 2.2, LATENCY_STALL},       {NAN, 132, NAN, LATENCY_STALL}, {64, NAN, NAN, LATENCY_STALL},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(bound_latency_cause(cases[i].grid, cases[i].sms, cases[i].waves), cases[i].cause);
}

static void ncu_rule_as_ncu_has_it(void **state)
{
    (void)state;
    static const struct {
        double sm, memory, waves;
        const char *rule;
    } cases[] = {
        {0.80, 0.10, 4, "High Throughput"},
        {0.10, 0.81, 0.5, "High Throughput"},
        {0.7999, 0.10, 4, "High Compute Throughput"},
        {0.60, 0.70, 4, "High Memory Throughput"},
        {0.65, 0.60, 4, "Balanced Throughput"},
        {0.70, 0.6001, 4, "Balanced Throughput"},
        {0.5999, 0.10, 4, "Latency Issue"},
        {0.30, 0.10, 1, "Latency Issue"},
        {0.30, 0.10, 0.99, "Small Grid"},
        {0.30, 0.10, NAN, "Latency Issue"},
        {0.65, 0.10, 0.5, "High Compute Throughput"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(bound_ncu_rule(cases[i].sm, cases[i].memory, cases[i].waves), cases[i].rule);
    assert_null(bound_ncu_rule(NAN, 0.9, 1));
    assert_null(bound_ncu_rule(0.9, NAN, 1));
}

/* ---- six kernels on an H200, their numbers as Nsight Compute 2025.3 measured
 * them (in per cent), and the verdicts that are known for them ---- */

static const char *const h200_metrics[] = {"sm_throughput", "memory_throughput", "issue_share", "tensor_share",
                                           "fma_share",     "fmaheavy_share",    "alu_share",   "lsu_share",
                                           "dram_share",    "l2_share",          "l1_share",    "shared_share"};

static const struct {
    const char *kernel;
    double percent[COUNT(h200_metrics)];
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
    /* 91.21 - 60 */
    {"loop of FMAs",
     {96.94, 0.01, 96.94, 2.85, 91.21, 91.18, 5.73, 0, 0, 0.01, 0, 0},
     1056,
     1,
     BOUND_COMPUTE,
     "compute",
     "fma",
     "High Throughput",
     0.3121},
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
    /* 86.39 - 60 */
    {"copy, then FMAs",
     {92.10, 4.78, 92.10, 2.70, 86.39, 86.37, 5.86, 0.18, 4.78, 5.18, 1.61, 0},
     1056,
     1,
     BOUND_COMPUTE,
     "compute",
     "fma",
     "High Throughput",
     0.2639},
    /* 61.10 - 60: the issue slots at 77.54 are no unit */
    {"tiles, plain loads, 4 blocks per SM",
     {77.54, 16.95, 77.54, 0, 61.10, 43.86, 20.38, 1.83, 16.95, 22.45, 7.66, 5.08},
     528,
     0.5,
     BOUND_COMPUTE,
     "compute",
     "fma",
     "High Compute Throughput",
     0.0110},
    /* 70.76 - 60 */
    {"tiles, three cp.async stages, 4 blocks per SM",
     {86.16, 18.04, 86.16, 0, 70.76, 64.51, 16.53, 3.90, 18.04, 23.93, 5.51, 4.70},
     528,
     0.5,
     BOUND_COMPUTE,
     "compute",
     "fma",
     "High Throughput",
     0.1076},
};

static void six_known_kernels(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(h200); i++) {
        struct run run;
        run_start(&run);
        add_idle_units(&run, "v", SHAPE, h200_metrics, COUNT(h200_metrics));
        for (size_t m = 0; m < COUNT(h200_metrics); m++)
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
    struct run run;
    run_start(&run);
    for (size_t m = 0; m < COUNT(h200_metrics); m++)
        add_metric(&run, "v", SHAPE, 0, h200_metrics[m], h200[0].percent[m] / 100);
    add_idle_units(&run, "v", SHAPE, h200_metrics, COUNT(h200_metrics));
    const struct bound *b = only_bound(&run);
    /* 88.00 - 6.03 = 81.97 */
    assert_string_equal(b->cause, "dram at 82.6% of its peak (93.8% of what it can reach), l2 at 88.0%; "
                                  "memory leads compute (alu 6.0%) by 82.0 points");
    assert_true(near(evidence_of(b, "dram__throughput.avg.pct_of_peak_sustained_elapsed"), 0.8258));
    assert_string_equal(b->evidence.items[0].metric, "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed");
    assert_string_equal(b->evidence.items[1].metric, "dram__throughput.avg.pct_of_peak_sustained_elapsed");
    run_end(&run);
}

static void latency_bounds_name_what_is_waited_for(void **state)
{
    (void)state;
    static const struct {
        double grid, waves;
        const char *cause, *advice;
    } cases[] = {
        {64, 0.48, "small grid: 64 blocks for 132 SMs", "split the work"},
        {172, 1.3, "tail: 1.30 waves, the last one 30.0% full", "last wave"},
        /* 4.5 of 9 cycles */
        {1056, 8, "leading stall: long_scoreboard, 50.0% of warp cycles", "loads in flight"},
        {NAN, NAN, "leading stall: long_scoreboard, 50.0% of warp cycles", "loads in flight"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct run run;
        run_start(&run);
        add_two(&run, "v", SHAPE, 0.31, 0.22);
        add_metric(&run, "v", SHAPE, 0, "warp_latency", 9);
        add_metric(&run, "v", SHAPE, 0, "stall_wait", 2.5);
        add_metric(&run, "v", SHAPE, 0, "stall_long_scoreboard", 4.5);
        add_metric(&run, "v", SHAPE, 0, "stall_not_selected", 6); /* no reason of its own */
        add_resource(&run, "v", SHAPE, cases[i].grid, cases[i].waves);
        const struct bound *b = only_bound(&run);
        assert_int_equal(b->class_, BOUND_LATENCY);
        assert_string_equal(b->lean, "compute");
        assert_has(b->cause, cases[i].cause);
        assert_has(b->cause, "fma");
        assert_has(b->advice, cases[i].advice);
        assert_null(b->ncu_rule);
        run_end(&run);
    }
}

/* 119 blocks for 132 SMs leave 9.85% of them without, 118 leave 10.6%. Where the SMs were
 * counted to be idle for less than that, it is what was lost. */
static void a_grid_that_costs_little_leaves_the_word_to_the_stall(void **state)
{
    (void)state;
    static const char grid[] = "split the work into more blocks, or run it beside other work";
    static const struct {
        double blocks, active;
        bool grid_first;
    } cases[] = {
        {128, 0.9, false}, /* 1 - 128/132 = 3.0% */
        {119, 0.8, false}, {118, 0.8, true}, {64, 0.48, true},
        {64, 0.95, false}, {64, 0.89, true}, {128, NAN, false}, {64, NAN, true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct run run;
        run_start(&run);
        add_two(&run, "v", SHAPE, 0.31, 0.22);
        add_metric(&run, "v", SHAPE, 0, "warp_latency", 9);
        add_metric(&run, "v", SHAPE, 0, "stall_wait", 4.5);
        if (!isnan(cases[i].active)) {
            add_metric(&run, "v", SHAPE, 0, "elapsed_cycles", 1000);
            add_metric(&run, "v", SHAPE, 0, "active_cycles", 1000 * cases[i].active);
        }
        add_resource(&run, "v", SHAPE, cases[i].blocks, 0.5);
        const struct bound *b = only_bound(&run);
        assert_string_equal(b->limit, "small-grid");
        assert_has(b->cause, "small grid: ");
        assert_has(b->advice, grid);
        if (cases[i].grid_first != !strncmp(b->advice, grid, strlen(grid)) ||
            cases[i].grid_first == !!strstr(b->advice, "independent chains") ||
            cases[i].grid_first != !!strstr(b->will_not_help, "every SM has a block"))
            fail_msg("case %zu: '%s', not '%s'", i, b->advice, b->will_not_help);
        run_end(&run);
    }
}

/* 93% where 88% is what it can reach: all of it, and not more than that. */
static void nothing_reaches_more_than_it_can(void **state)
{
    (void)state;
    static const char *const named[] = {"dram_share"};
    struct run run;
    run_start(&run);
    add_idle_units(&run, "v", SHAPE, named, COUNT(named));
    add_metric(&run, "v", SHAPE, 0, "dram_share", 0.93);
    assert_has(only_bound(&run)->cause, "dram at 93.0% of its peak (100.0% of what it can reach)");
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
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct run run;
        run_start(&run);
        add_two(&run, "v", SHAPE, 0.90, 0.10);
        struct launch_cost *cost = ARRAY_PUSH(&run.analysis.launches);
        assert_non_null(cost);
        *cost = (struct launch_cost){.variant = "v",
                                     .shape = SHAPE,
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

static void missing_counters_are_named(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    static const char *const absent[] = {"dram_share", "tensor_share", "fmaheavy_share", "fma_share", "l2_share"};
    add_idle_units(&run, "v", SHAPE, absent, COUNT(absent));
    add_metric(&run, "v", SHAPE, 0, "fma_share", 0.9); /* fmaheavy alone is no loss: GA100 has none */
    add_metric(&run, "v", SHAPE, 0, "l2_share", 0.2);
    const struct bound *b = only_bound(&run);
    assert_int_equal(b->class_, BOUND_INCONCLUSIVE);
    assert_true(isnan(b->margin));
    assert_string_equal(b->cause, "counters missing, any of which could be the limit: "
                                  "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed, "
                                  "dram__throughput.avg.pct_of_peak_sustained_elapsed");
    assert_string_equal(b->lean, "compute");
    assert_string_equal(b->advice, "");
    run_end(&run);
}

static void damaged_shares_are_missing_ones(void **state)
{
    (void)state;
    static const double damaged[] = {-0.1, 91.2, 1e300};
    for (size_t i = 0; i < COUNT(damaged); i++) {
        struct run run;
        run_start(&run);
        static const char *const absent[] = {"l2_share"};
        add_idle_units(&run, "v", SHAPE, absent, COUNT(absent));
        add_metric(&run, "v", SHAPE, 0, "l2_share", damaged[i]);
        const struct bound *b = only_bound(&run);
        assert_int_equal(b->class_, BOUND_INCONCLUSIVE);
        assert_has(b->cause, "lts__throughput");
        run_end(&run);
    }
}

/* Fma at 70%, and a second reading below 0, which is none; a grid of less than no blocks is unknown. */
static void damaged_numbers_are_left_out(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    add_two(&run, "v", SHAPE, 0.70, 0.10);
    add_metric(&run, "v", SHAPE, 1, "fma_share", -0.5);
    add_resource(&run, "v", SHAPE, -1e308, -2);
    const struct bound *b = only_bound(&run);
    assert_true(near(b->compute_share, 0.70));
    assert_true(isnan(evidence_of(b, "grid_blocks")) && isnan(evidence_of(b, "waves")));
    run_end(&run);
}

static void an_arm_without_counters_says_so(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    add_variant(&run, "quiet", SHAPE);
    const struct bound *b = only_bound(&run);
    assert_string_equal(b->variant, "quiet");
    assert_int_equal(b->class_, BOUND_INCONCLUSIVE);
    assert_string_equal(b->cause, "no counters were recorded for this kernel");
    assert_string_equal(b->lean, "");
    assert_string_equal(b->unit, "");
    assert_int_equal(b->evidence.count, 1); /* the number of SMs */
    run_end(&run);
}

static void launches_are_averaged_and_arms_kept_in_order(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    add_two(&run, "z", SHAPE, 0.60, 0.10);
    add_two(&run, "a", SHAPE, 0.90, 0.10);
    add_metric(&run, "z", SHAPE, 1, "fma_share", 0.70); /* mean 0.65 */
    struct err e = {0};
    assert_int_equal(bound_analyze(&run.analysis, &e), 0);
    assert_int_equal(run.analysis.bounds.count, 2);
    assert_string_equal(run.analysis.bounds.items[0].variant, "z");
    assert_true(near(run.analysis.bounds.items[0].compute_share, 0.65));
    assert_string_equal(run.analysis.bounds.items[1].variant, "a");
    run_end(&run);
}

/* Three readings: fma 0.70, 0.90 and 0.50 beside an l2 of 0.10. Their mean is 0.70, compute-bound fma; the third
 * is below 0.60, so latency-bound, of nothing that is known as there are no stalls. */
static void each_reading_is_judged_for_itself(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    static const double fma[] = {0.70, 0.90, 0.50};
    for (int launch = 0; launch < 3; launch++) {
        size_t count;
        const struct metric *metrics = metrics_known(&count);
        for (size_t i = 0; i < count; i++)
            if ((metrics[i].role == METRIC_COMPUTE || metrics[i].role == METRIC_MEMORY) && strcmp(metrics[i].id, "fma_share"))
                add_metric(&run, "v", SHAPE, launch, metrics[i].id, strcmp(metrics[i].id, "l2_share") ? 0 : 0.10);
        add_metric(&run, "v", SHAPE, launch, "fma_share", fma[launch]);
    }
    const struct bound *b = only_bound(&run);
    assert_int_equal(b->class_, BOUND_COMPUTE);
    assert_string_equal(b->limit, "fma");
    assert_int_equal(b->repeats, 3);
    assert_int_equal(b->agreeing, 2);
    assert_int_equal(b->tally_count, 2);
    assert_int_equal(b->tallies[0].class_, BOUND_COMPUTE);
    assert_string_equal(b->tallies[0].limit, "fma");
    assert_int_equal(b->tallies[0].count, 2);
    assert_int_equal(b->tallies[1].class_, BOUND_LATENCY);
    assert_int_equal(b->tallies[1].count, 1);
    run_end(&run);
}

/* The l1 counter is the largest of its parts: 2 points above shared that part is shared, 3 points above another. */
static void shared_is_named_when_it_is_what_fills_l1(void **state)
{
    (void)state;
    static const struct {
        double l1, shared;
        const char *unit;
    } cases[] = {{0.95, 0.95, "shared"}, {0.95, 0.93, "shared"}, {0.95, 0.92, "l1"}, {0.95, 0.0, "l1"}};
    static const char *const named[] = {"l1_share", "shared_share"};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct run run;
        run_start(&run);
        add_idle_units(&run, "v", SHAPE, named, COUNT(named));
        add_metric(&run, "v", SHAPE, 0, "l1_share", cases[i].l1);
        add_metric(&run, "v", SHAPE, 0, "shared_share", cases[i].shared);
        const struct bound *b = only_bound(&run);
        assert_int_equal(b->class_, BOUND_MEMORY);
        assert_string_equal(b->unit, cases[i].unit);
        assert_string_equal(b->limit, cases[i].unit);
        run_end(&run);
    }
}

/* The sentence has the unit of the table: shared memory is a part of l1, and dram that is near to what it can reach
 * stands beside a busier l2 (0.30 / 0.88 = 34.1% of what it can reach, 36% are no 10 points more). */
static void a_latency_cause_names_the_unit_of_the_table(void **state)
{
    (void)state;
    static const struct {
        const char *ids[2];
        double shares[2];
        const char *unit, *says;
    } cases[] = {
        {{"l1_share", "shared_share"}, {0.19, 0.18}, "shared", "(busiest: shared 18.0%)"},
        {{"l1_share", "shared_share"}, {0.19, 0.10}, "l1", "(busiest: l1 19.0%)"},
        {{"dram_share", "l2_share"}, {0.30, 0.36}, "dram", "(busiest: dram 30.0% beside l2 36.0%)"},
        {{"dram_share", "l2_share"}, {0.05, 0.36}, "l2", "(busiest: l2 36.0%)"},
        {{"alu_share", "l2_share"}, {0.37, 0.36}, "alu", "(busiest: alu 37.0%)"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct run run;
        run_start(&run);
        add_idle_units(&run, "v", SHAPE, cases[i].ids, 2);
        for (size_t k = 0; k < 2; k++)
            add_metric(&run, "v", SHAPE, 0, cases[i].ids[k], cases[i].shares[k]);
        const struct bound *b = only_bound(&run);
        assert_int_equal(b->class_, BOUND_LATENCY);
        assert_string_equal(b->unit, cases[i].unit);
        assert_has(b->cause, cases[i].says);
        run_end(&run);
    }
}

/* 3 us, SMs with warps for 40% of it: no load that is hidden makes that much shorter. One that is longer, or at
 * work for most of it, or whose grid is the reason, is told what it was. */
static void short_kernels_are_to_be_launched_less_often(void **state)
{
    (void)state;
    static const struct {
        double duration, active, grid;
        bool is_short;
    } cases[] = {{3000, 0.40, 1056, true},  {9999, 0.49, 1056, true},  {10000, 0.40, 1056, false},
                 {3000, 0.50, 1056, false}, {NAN, 0.40, 1056, false}, {3000, NAN, 1056, false},
                 {3000, 0.40, 64, false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct run run;
        run_start(&run);
        add_two(&run, "v", SHAPE, 0.11, 0.22);
        add_metric(&run, "v", SHAPE, 0, "warp_latency", 9);
        add_metric(&run, "v", SHAPE, 0, "stall_long_scoreboard", 4.5);
        add_metric(&run, "v", SHAPE, 0, "elapsed_cycles", 6000);
        if (isfinite(cases[i].duration))
            add_metric(&run, "v", SHAPE, 0, "duration", cases[i].duration);
        if (isfinite(cases[i].active))
            add_metric(&run, "v", SHAPE, 0, "active_cycles", 6000 * cases[i].active);
        add_resource(&run, "v", SHAPE, cases[i].grid, 8);
        const struct bound *b = only_bound(&run);
        assert_int_equal(b->class_, BOUND_LATENCY);
        assert_int_equal(strstr(b->advice, "launch less often") != NULL, cases[i].is_short);
        assert_int_equal(strstr(b->advice, "loads in flight") != NULL, !cases[i].is_short && cases[i].grid > 132);
        assert_int_equal(strstr(b->cause, "SMs have warps for") != NULL, cases[i].is_short);
        if (i == 0)
            assert_has(b->cause, "; its SMs have warps for 40.0% of its 3.00 us");
        assert_string_equal(b->limit, cases[i].grid > 132 ? "long_scoreboard" : "small-grid"); /* as ever */
        run_end(&run);
    }
}

/* Issue slots are no pipe here: the rule sees a busy SM where no unit is. Where both point the same way nothing is said. */
static void a_rule_that_differs_is_told_with_the_reason(void **state)
{
    (void)state;
    static const struct {
        double fma, sm, memory;
        const char *says; /* NULL: nothing */
    } cases[] = {
        {0.31, 0.85, 0.22, "Nsight Compute's rule gives High Throughput on the same numbers. Its SM throughput (85.0%) counts "
                           "issue slots and load/store pipes, too; the busiest arithmetic pipe is busy less: 31.0%."},
        {0.31, 0.31, 0.65, "High Memory Throughput on the same numbers. Its memory throughput (65.0%) is of other parts"},
        {0.31, 0.40, 0.22, NULL},
        {0.91, 0.91, 0.22, NULL},
        {0.31, NAN, 0.22, NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct run run;
        struct str said;
        run_start(&run);
        str_init(&said);
        add_two(&run, "v", SHAPE, cases[i].fma, 0.22);
        if (isfinite(cases[i].sm))
            add_metric(&run, "v", SHAPE, 0, "sm_throughput", cases[i].sm);
        add_metric(&run, "v", SHAPE, 0, "memory_throughput", cases[i].memory);
        add_resource(&run, "v", SHAPE, 1056, 8);
        ncu_words_add_difference(&said, only_bound(&run));
        if (cases[i].says)
            assert_has(str_text(&said), cases[i].says);
        else
            assert_string_equal(str_text(&said), "");
        str_release(&said);
        run_end(&run);
    }
}

/* What a variant says of itself, beside what was found. */
static void stated_bounds_are_held_against_the_verdict(void **state)
{
    (void)state;
    static const struct {
        enum bound_class class_;
        const char *limit, *stated;
        bool as_stated;
    } cases[] = {
        {BOUND_MEMORY, "dram", "memory-bound dram", true},    {BOUND_MEMORY, "l2", "memory-bound dram", false},
        {BOUND_COMPUTE, "fma", "memory-bound fma", false},    {BOUND_MEMORY, "dram", "memory-bound dram-x", false},
        {BOUND_MEMORY, "dram", "memory-bound", false},        {BOUND_LAUNCH, "", "launch-bound", true},
        {BOUND_LAUNCH, "", "launch-bound host", false},       {BOUND_LATENCY, "tail", "latency-bound tail", true},
        {BOUND_LATENCY, "tail", "", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bound b = {.class_ = cases[i].class_, .limit = cases[i].limit, .stated = cases[i].stated};
        assert_int_equal(bound_is_as_stated(&b), cases[i].as_stated);
    }
}

static void classify_json_has_the_contract(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    add_two(&run, "bad\xff", SHAPE, 0.90, 0.10); /* not UTF-8 */
    add_variant(&run, "quiet", SHAPE);
    struct err e = {0};
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

static void every_threshold_is_described(void **state)
{
    (void)state;
    for (int i = 0; i < THRESHOLD_COUNT; i++) {
        const struct threshold *t = threshold_get((enum threshold_id)i);
        assert_non_null(t->name);
        assert_true(strlen(t->meaning) > 10);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(t->name, threshold_get((enum threshold_id)j)->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_make_a_class),
        cmocka_unit_test(dram_is_named_when_close_to_its_ceiling),
        cmocka_unit_test(shared_is_named_when_it_is_most_of_l1),
        cmocka_unit_test(a_measured_ceiling_takes_the_place_of_the_threshold),
        cmocka_unit_test(latency_has_a_cause),
        cmocka_unit_test(ncu_rule_as_ncu_has_it),
        cmocka_unit_test(six_known_kernels),
        cmocka_unit_test(causes_say_their_numbers),
        cmocka_unit_test(latency_bounds_name_what_is_waited_for),
        cmocka_unit_test(a_grid_that_costs_little_leaves_the_word_to_the_stall),
        cmocka_unit_test(a_rule_that_differs_is_told_with_the_reason),
        cmocka_unit_test(a_latency_cause_names_the_unit_of_the_table),
        cmocka_unit_test(short_kernels_are_to_be_launched_less_often),
        cmocka_unit_test(nothing_reaches_more_than_it_can),
        cmocka_unit_test(a_waiting_device_is_launch_bound),
        cmocka_unit_test(missing_counters_are_named),
        cmocka_unit_test(damaged_shares_are_missing_ones),
        cmocka_unit_test(damaged_numbers_are_left_out),
        cmocka_unit_test(an_arm_without_counters_says_so),
        cmocka_unit_test(launches_are_averaged_and_arms_kept_in_order),
        cmocka_unit_test(each_reading_is_judged_for_itself),
        cmocka_unit_test(shared_is_named_when_it_is_what_fills_l1),
        cmocka_unit_test(stated_bounds_are_held_against_the_verdict),
        cmocka_unit_test(classify_json_has_the_contract),
        cmocka_unit_test(every_threshold_is_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
