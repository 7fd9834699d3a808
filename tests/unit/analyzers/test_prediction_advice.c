/* Does the advice of each kernel fit what is predicted for it, and for no other kernel? */
#include <math.h>
#include <string.h>

#include "analyzers/entries.h"
#include "core/base/array.h"
#include "core/gpu/metrics.h"
#include "tests/test.h"
#include "tests/unit/named_arms.h"

struct recorded {
    struct bundle bundle;
    struct analysis analysis;
};

static void add(struct recorded *run, const char *kernel, const char *id, double value)
{
    struct table *t = &run->bundle.tables[BUNDLE_METRICS];
    struct cell *row = table_add_row(t);
    assert_non_null(row);
    row[METRICS_VARIANT] = cell_text(t, "f/v");
    row[METRICS_SHAPE] = cell_text(t, "m");
    row[METRICS_KERNEL] = cell_text(t, kernel);
    row[METRICS_LAUNCH] = cell_integer(0);
    row[METRICS_METRIC] = cell_text(t, metric_by_id(id)->name);
    row[METRICS_VALUE] = cell_number(value);
}

/* Fma and dram at these shares; of 10 cycles of a warp `loads` and `barrier` are waits; ldgsts copies ahead; of 1000
 * cycles SMs are at work in `active`. */
struct amounts {
    double fma, dram, loads, barrier, ldgsts, active;
};

static void add_kernel_at_work(struct recorded *run, const char *kernel, struct amounts of)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    for (size_t i = 0; i < count; i++)
        if (metrics[i].role == METRIC_COMPUTE || metrics[i].role == METRIC_MEMORY)
            add(run, kernel, metrics[i].id,
                !strcmp(metrics[i].id, "fma_share")    ? of.fma
                : !strcmp(metrics[i].id, "dram_share") ? of.dram
                                                       : 0);
    const struct {
        const char *id;
        double value;
    } others[] = {{"warp_latency", 10},          {"stall_long_scoreboard", of.loads},
                  {"stall_barrier", of.barrier}, {"issue_share", 0.1 * of.active / 1000},
                  {"warps_per_sm", 4},           {"active_cycles", of.active},
                  {"elapsed_cycles", 1000},      {"ldgsts", of.ldgsts}};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        add(run, kernel, others[i].id, others[i].value);
}

static void add_kernel(struct recorded *run, const char *kernel, double fma, double dram, double loads, double barrier,
                       double ldgsts)
{
    add_kernel_at_work(run, kernel, (struct amounts){fma, dram, loads, barrier, ldgsts, 1000});
}

static void run_start(struct recorded *run)
{
    bundle_init(&run->bundle);
    run->bundle.manifest = json_pack("{s:{s:i}}", "gpu", "sm_count", 132);
    assert_non_null(run->bundle.manifest);
    analysis_init(&run->analysis, &run->bundle);
}

static void run_ask(struct recorded *run)
{
    struct err e = {0};
    assert_int_equal(analysis_join(&run->analysis, &e), 0);
    name_arms(&run->analysis);
    assert_int_equal(bound_analyze(&run->analysis, &e), 0);
    assert_int_equal(prediction_analyze(&run->analysis, &e), 0);
}

static void run_end(struct recorded *run)
{
    analysis_release(&run->analysis);
    bundle_release(&run->bundle);
}

/* 0.1 of 10 cycles are waits for loads, and of barriers 0.05: whatever is loaded further ahead wins at most 1.5%. */
TEST(what_will_not_help_is_not_to_be_tried)
{
    static const struct {
        double loads, barrier;
        const char *limit, *kept;
        double grid; /* of 132 SMs; 0: not known */
    } cases[] = {{0.1, 0.05, "long_scoreboard", "more blocks per SM", 0},
                 {0.05, 0.1, "barrier", "fewer barriers", 0},
                 {0.1, 0.05, "small-grid", "more blocks per SM; split the work", 128}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recorded run;
        run_start(&run);
        add_kernel(&run, "k", 0.3, 0.1, cases[i].loads, cases[i].barrier, 64);
        struct resource *r = cases[i].grid > 0 ? ARRAY_PUSH(&run.analysis.resources) : NULL;
        if (r)
            *r = (struct resource){
                .variant = "f/v", .config = "m", .kernel = "k", .grid_blocks = cases[i].grid, .waves = 0.5};
        run_ask(&run);
        const struct bound *b = &run.analysis.bounds.items[0];
        assert_int_equal(b->class_, BOUND_LATENCY);
        assert_string_equal(b->bound_by, cases[i].limit);
        assert_non_null(
            strstr(b->will_not_help, cases[i].loads > 0.05
                                         ? "one more stage: long-scoreboard stalls are 1.0% of the warps' cycles"
                                         : "one more stage: long-scoreboard stalls are 0.5% of the warps' cycles"));
        assert_null(strstr(b->advice, "stages"));
        assert_non_null(strstr(b->advice, cases[i].kept));
        run_end(&run);
    }
}

TEST(what_may_help_is_still_to_be_tried)
{
    struct recorded run;
    run_start(&run);
    add_kernel(&run, "k", 0.3, 0.1, 6, 0.2, 64);
    run_ask(&run);
    const struct bound *b = &run.analysis.bounds.items[0];
    assert_non_null(strstr(b->advice, "one more stage: predicted gain"));
    assert_non_null(strstr(b->advice, "more stages"));
    assert_null(strstr(b->will_not_help, "stage"));
    run_end(&run);
}

/* Of 8 blocks for 132 SMs little of the time is a wait for loads, 0.6%, but 10% of what the SMs at work do: 1 of 10
 * cycles may go, and "tuning the inner loop" would be that. What wins less is still denied. */
TEST(waits_are_shares_of_the_time_at_work)
{
    static const struct {
        double loads, ldgsts;
        const char *denied; /* beside the general words */
    } cases[] = {{1, 0, NULL}, {0.1, 0, "load a tile ahead"}, {1, 64, NULL}, {0.1, 64, "one more stage"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recorded run;
        run_start(&run);
        add_kernel_at_work(&run, "k", (struct amounts){0.01, 0.05, cases[i].loads, 0, cases[i].ldgsts, 60});
        struct resource *r = ARRAY_PUSH(&run.analysis.resources);
        assert_non_null(r);
        *r = (struct resource){.variant = "f/v", .config = "m", .kernel = "k", .grid_blocks = 8, .waves = 0.02};
        run_ask(&run);
        const struct bound *b = &run.analysis.bounds.items[0];
        assert_string_equal(b->bound_by, "small-grid");
        if (!cases[i].denied != !*b->will_not_help ||
            (cases[i].denied &&
             (!strstr(b->will_not_help, cases[i].denied) || !strstr(b->will_not_help, "tuning the inner loop"))))
            fail_msg("case %zu: '%s'", i, b->will_not_help);
        run_end(&run);
    }
}

/* Nothing is denied, in general words neither, that the numbers of the same kernel leave open. */
TEST(what_is_predicted_is_not_denied)
{
    static const struct {
        double fma, dram;
        enum bound_class class_;
        const char *id; /* of the prediction that speaks for it */
    } cases[] = {{0.7, 0.65, BOUND_BALANCED, "compute-work"}, {0.3, 0.7, BOUND_MEMORY, "stage"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recorded run;
        run_start(&run);
        add_kernel(&run, "k", cases[i].fma, cases[i].dram, 6, 0.2, 64);
        run_ask(&run);
        const struct bound *b = &run.analysis.bounds.items[0];
        assert_int_equal(b->class_, cases[i].class_);
        double high = 0;
        for (size_t k = 0; k < run.analysis.predictions.count; k++)
            if (!strcmp(run.analysis.predictions.items[k].id, cases[i].id))
                high = run.analysis.predictions.items[k].gain_high;
        assert_true(high >= 0.03);
        assert_string_equal(b->will_not_help, "");
        run_end(&run);
    }
}

/* A launch-bound kernel may be faster: in a graph that counts. */
TEST(of_the_host_it_is_said_when_it_holds)
{
    struct recorded run;
    run_start(&run);
    add_kernel(&run, "k", 0.3, 0.1, 6, 0, 0);
    struct launch_cost *launch = ARRAY_PUSH(&run.analysis.launches);
    assert_non_null(launch);
    *launch = (struct launch_cost){.variant = "f/v",
                                   .config = "m",
                                   .interval_median_ns = 5000,
                                   .kernel_median_ns = 3000,
                                   .gap_median_ns = 2000,
                                   .launches = 31};
    run_ask(&run);
    const struct bound *b = &run.analysis.bounds.items[0];
    assert_int_equal(b->class_, BOUND_LAUNCH);
    assert_non_null(strstr(b->will_not_help, "launched one by one"));
    assert_non_null(strstr(b->will_not_help, "in a graph the kernel's own time counts"));
    run_end(&run);
}

/* Without cp.async on a GPU that has TMA, loading ahead may be what it does. */
TEST(loads_by_tma_are_not_counted)
{
    static const char *const capabilities[] = {"9.0", "8.0"};
    for (size_t i = 0; i < 2; i++) {
        struct recorded run;
        run_start(&run);
        json_t *gpu = json_object_get(run.bundle.manifest, "gpu");
        assert_int_equal(json_object_set_new(gpu, "compute_capability", json_string(capabilities[i])), 0);
        add_kernel(&run, "k", 0.1, 0.1, 6, 0, 0);
        run_ask(&run);
        const char *advice = run.analysis.bounds.items[0].advice;
        assert_non_null(strstr(advice, "load a tile ahead"));
        assert_int_equal(!!strstr(advice, "(unless it loads by TMA already, which these counters do not show)"),
                         i == 0);
        run_end(&run);
    }
}

/* One is full of FMAs, the other waits for loads: what would help the one is no advice for the other. */
TEST(each_kernel_of_an_arm_has_its_own)
{
    struct recorded run;
    run_start(&run);
    add_kernel(&run, "full", 0.9, 0, 0, 0, 0);
    add_kernel(&run, "waiting", 0.1, 0.1, 6, 0, 0);
    run_ask(&run);
    assert_int_equal(run.analysis.bounds.count, 2);
    const struct bound *full = &run.analysis.bounds.items[0], *waiting = &run.analysis.bounds.items[1];
    assert_string_equal(full->kernel, "full");
    assert_int_equal(full->class_, BOUND_COMPUTE);
    assert_null(strstr(full->advice, "load a tile ahead"));
    assert_non_null(strstr(waiting->advice, "load a tile ahead"));
    size_t of_work = 0, of_waiting = 0;
    for (size_t i = 0; i < run.analysis.predictions.count; i++) {
        const struct prediction *p = &run.analysis.predictions.items[i];
        of_work += !strcmp(p->id, "compute-work");
        of_waiting += !strncmp(p->because, "of kernel waiting alone: ", 25);
        assert_int_equal(p->outcome_count, 0);
    }
    assert_int_equal(of_work, 1);
    assert_true(of_waiting > 0);
    run_end(&run);
}

/* A kernel of which something would be predicted. */
TEST(where_times_say_nothing_nothing_is_predicted)
{
    for (int is_silent = 0; is_silent < 2; is_silent++) {
        struct recorded run;
        run_start(&run);
        struct table *t = &run.bundle.tables[BUNDLE_VARIANTS];
        struct cell *row = table_add_row(t);
        assert_non_null(row);
        row[VARIANTS_VARIANT] = cell_text(t, "f/v");
        row[VARIANTS_SHAPE] = cell_text(t, "m");
        row[VARIANTS_NO_VERDICT] = cell_text(t, is_silent ? "ranks share a GPU" : "");
        add_kernel(&run, "", 0.3, 0.1, 5, 0, 0);
        run_ask(&run);
        assert_int_equal(run.analysis.predictions.count > 0, !is_silent);
        run_end(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_will_not_help_is_not_to_be_tried),
        cmocka_unit_test(what_may_help_is_still_to_be_tried),
        cmocka_unit_test(waits_are_shares_of_the_time_at_work),
        cmocka_unit_test(what_is_predicted_is_not_denied),
        cmocka_unit_test(of_the_host_it_is_said_when_it_holds),
        cmocka_unit_test(each_kernel_of_an_arm_has_its_own),
        cmocka_unit_test(loads_by_tma_are_not_counted),
        cmocka_unit_test(where_times_say_nothing_nothing_is_predicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
