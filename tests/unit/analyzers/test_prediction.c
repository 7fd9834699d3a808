/* Is a gain predicted from the right numbers, and is a candidate known for what it changes? */
#include <math.h>
#include <string.h>

#include "analyzers/bounds/gain_prediction.h"
#include "core/gpu/metrics.h"
#include "core/gpu/scheduler_model.h"
#include "tests/test.h"
#include "tests/unit/embedded_thresholds.h"

static void near(double got, double wanted, double room)
{
    if (!(fabs(got - wanted) <= room))
        fail_msg("%.6f, wanted %.6f", got, wanted);
}

/* One warp issues once in think + 1 cycles. The second finds the first in the queue or at
 * issue for X(1) x 1 = 1/4 of a cycle: 2 / (4 + 1/4) = 8/17; between them a line. */
TEST(rates_of_few_warps)
{
    near(scheduler_rate(0, 3), 0, 0);
    near(scheduler_rate(1, 3), 0.25, 1e-12);
    near(scheduler_rate(2, 3), 8.0 / 17, 1e-12);
    near(scheduler_rate(1.5, 3), (0.25 + 8.0 / 17) / 2, 1e-12);
    near(scheduler_rate(1, 0), 1, 1e-12);
    double before = 0;
    for (int warps = 1; warps <= SCHEDULER_WARPS_MAX; warps++) {
        const double rate = scheduler_rate(warps, 6);
        assert_true(rate >= before && rate <= 1 + 1e-12 && rate <= warps / 7.0 + 1e-12); /* the asymptotic bounds */
        before = rate;
    }
    near(scheduler_rate(1e9, 6), before, 0);
}

/* Two blocks of one warp, think 3. Alike: 8/17 of a cycle with two warps. Oldest first: it runs
 * at 1/4 and ends after 4 cycles, when the other did 4 (8/17 - 1/4) = 15/17 of its work; the last
 * 2/17 take 8/17 of a cycle. In all 76/17 cycles, with (2 x 4 + 8/17) / (76/17) = 36/19 warps. */
TEST(blocks_that_end_one_by_one)
{
    const struct scheduler_blocks alike = {2, 1, 0}, ordered = {2, 1, 1}, half = {2, 1, 0.5};
    near(scheduler_run(&alike, 3).rate, 8.0 / 17, 1e-12);
    near(scheduler_run(&alike, 3).warps, 2, 1e-12);
    near(scheduler_run(&ordered, 3).rate, 34.0 / 76, 1e-12);
    near(scheduler_run(&ordered, 3).warps, 36.0 / 19, 1e-12);
    near(scheduler_run(&half, 3).rate, (8.0 / 17 + 34.0 / 76) / 2, 1e-12);
}

struct given {
    struct counters counters;
    struct resource resource;
    struct bound_inputs in;
};

static void give(struct given *g, const char *id, double value)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    g->counters.values[metric_by_id(id) - metrics] = value;
}

static void set_shares(struct given *g, double fma, double l2)
{
    give(g, "fma_share", fma);
    give(g, "l2_share", l2);
    g->in.gap_most = NAN;
    g->in.shares = (struct bound_shares){.launch_idle = NAN, .compute = fma, .memory = l2};
    g->in.compute_unit_share = fma;
    g->in.memory_unit_share = l2;
}

/* One warp on each scheduler: no queue, so that a share of its cycles is a share of the time.
 * An issue in 10 cycles, and one instruction in ten loads or stores. */
static void start(struct given *g, double loads, double barrier, double copies_ahead)
{
    *g = (struct given){.resource = {.block_threads = 128, .shared_bytes = 4096},
                        .in = {.thresholds = embedded_thresholds(),
                               .sm_count = 100,
                               .grid_blocks = 100,
                               .waves = 0.9,
                               .dram_reach = 0.88}};
    for (size_t i = 0; i < COUNTERS_METRICS_MAX; i++)
        g->counters.values[i] = NAN;
    set_shares(g, 0.1, 0.05);
    give(g, "issue_share", 0.1);
    give(g, "lsu_share", 0.04);
    give(g, "warp_latency", 10);
    give(g, "warps_per_sm", 4);
    give(g, "stall_long_scoreboard", loads);
    give(g, "stall_barrier", barrier);
    give(g, "ldgsts", copies_ahead);
    give(g, "active_cycles", 1000);
    give(g, "elapsed_cycles", 1000);
    g->in.counters = &g->counters;
    g->in.resource = &g->resource;
    g->in.compute_unit = g->in.compute_busiest = metric_by_id("fma_share");
    g->in.memory_unit = g->in.memory_busiest = metric_by_id("l2_share");
}

static const struct predicted *find(const struct predicted *list, size_t count, enum prediction_kind kind)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].kind == kind)
            return &list[i];
    return NULL;
}

/* Gains of waits, by cycles of a warp; added instructions: 3 (ahead) or 1 (stage) for each of the
 * 0.1 loads and stores per instruction. Loads hardly get longer: memory is at 5% and rises little. */
TEST(waits_that_go)
{
    static const struct {
        double loads, barrier, copies_ahead;
        enum prediction_kind kind;
        double low, high;
    } cases[] = {
        /* work is 5 >= loads: all of them can go. Best: 4 + 1 of 10. Worst: 6 / 10 x 1.3 = 0.78. */
        {4, 1, 0, PREDICT_LOAD_AHEAD, 0.22, 0.5},
        /* barriers wait for more than loads: only as long as these. 1 - (10 - 1 - 1) / 10; worst 9 / 10 x 1.3. */
        {1, 3, 0, PREDICT_LOAD_AHEAD, -0.17, 0.2},
        /* loads take 7, the work on a tile 3: 4 stay, 1 - 7 / 10; worst: 7 / 10 x 1.3 = 0.91. */
        {7, 0, 0, PREDICT_LOAD_AHEAD, 0.09, 0.3},
        /* two tiles ahead: 7 / 2 - 3 = 0.5 stay, 1 - 3.5 / 10; worst 0.35 x 1.3 = 0.455 */
        {7, 0, 0, PREDICT_LOAD_FURTHER, 0.545, 0.65},
        /* a ring that waits 2 of 10: best 8 / 10 x 0.9 = 0.72, worst 8 / 10 x 1.1 = 0.88 */
        {2, 0, 1, PREDICT_STAGE, 0.12, 0.28},
        /* a ring that waits for nothing: its own instructions, more or less */
        {0, 0, 1, PREDICT_STAGE, -0.1, 0.1},
        /* a ring that waits 6 of 10: of two buffers a load took 10 and then takes 5 of 4 + 1, x 0.9; of four 10
         * for three and then 7.5 = 4 + 3.5, x 1.1 */
        {6, 0, 1, PREDICT_STAGE, 0.175, 0.55},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct given g;
        struct predicted list[PREDICTION_KINDS];
        start(&g, cases[i].loads, cases[i].barrier, cases[i].copies_ahead);
        const struct predicted *p = find(list, prediction_make(&g.in, BOUND_LATENCY, list), cases[i].kind);
        assert_non_null(p);
        near(p->high, cases[i].high, 1e-9);
        near(p->low, cases[i].low, 0.03);
        assert_true(p->low <= cases[i].low + 1e-9); /* longer loads make the worst worse */
    }
}

/* One cycle of ten at the dispatcher: a loop with other loads may be without it. Best: 4 + 1 + 1 of 10; the worst
 * stays as it was; one more stage is the same loop. */
TEST(what_the_dispatcher_holds_back_may_go)
{
    struct given g;
    struct predicted list[PREDICTION_KINDS];
    start(&g, 4, 1, 0);
    const double low_without = find(list, prediction_make(&g.in, BOUND_LATENCY, list), PREDICT_LOAD_AHEAD)->low;
    give(&g, "stall_dispatch_stall", 1);
    const struct predicted *ahead = find(list, prediction_make(&g.in, BOUND_LATENCY, list), PREDICT_LOAD_AHEAD);
    near(ahead->high, 0.6, 1e-9);
    near(ahead->low, low_without, 1e-9);
    start(&g, 2, 0, 1);
    give(&g, "stall_dispatch_stall", 1);
    near(find(list, prediction_make(&g.in, BOUND_LATENCY, list), PREDICT_STAGE)->high, 0.28, 1e-9);
}

/* What is not predicted: three buffers where two are enough, one more stage of a kernel without any,
 * waits when a counter is missing or memory is not used, anything of a class that is not known. */
TEST(nothing_is_predicted_without_reason)
{
    struct given g;
    struct predicted list[PREDICTION_KINDS];
    start(&g, 4, 1, 0);
    size_t count = prediction_make(&g.in, BOUND_LATENCY, list);
    assert_int_equal(count, 1);
    assert_int_equal(list[0].kind, PREDICT_LOAD_AHEAD);
    assert_int_equal(prediction_make(&g.in, BOUND_INCONCLUSIVE, list), 0);
    set_shares(&g, 0.1, 0.005);
    assert_int_equal(prediction_make(&g.in, BOUND_LATENCY, list), 0);
    static const char *const needed[] = {"stall_long_scoreboard", "stall_barrier", "warp_latency", "warps_per_sm",
                                         "ldgsts"};
    for (size_t i = 0; i < COUNT_OF(needed); i++) {
        start(&g, 4, 1, 0);
        give(&g, needed[i], NAN);
        assert_int_equal(prediction_make(&g.in, BOUND_LATENCY, list), 0);
    }
    start(&g, 8, 3, 0); /* more waits than there are cycles: damaged */
    assert_int_equal(prediction_make(&g.in, BOUND_LATENCY, list), 0);
}

/* A unit that is at work 85% of the time leaves 15%, whatever waits go, and at worst, at 90% then,
 * 1 - 85 / 90; a full one nothing, and no interval is narrower than two points. */
TEST(busy_units_are_a_ceiling)
{
    struct given g;
    struct predicted list[PREDICTION_KINDS];
    start(&g, 4, 1, 0);
    set_shares(&g, 0.85, 0.05);
    const struct predicted *p = find(list, prediction_make(&g.in, BOUND_COMPUTE, list), PREDICT_LOAD_AHEAD);
    assert_non_null(p);
    near(p->high, 0.15, 1e-9);
    near(p->low, 1 - 0.85 / 0.9, 1e-9);
    start(&g, 4, 1, 0);
    give(&g, "dram_share", 0.9);
    set_shares(&g, 0.1, 0.9);
    p = find(list, prediction_make(&g.in, BOUND_MEMORY, list), PREDICT_LOAD_AHEAD);
    assert_non_null(p);
    assert_true(p->high <= 0.01 + 1e-9);
    assert_true(p->high - p->low >= 0.02 - 1e-9);
}

/* Half the bytes: l2 at 66%, dram at 0.616 / 0.88 = 70% of what it can reach, issue slots 30%.
 * Best: 1 - max(0.35, 0.3); worst: 0.66 - max(0.33, 0.3). Half the FMAs, 60% of all instructions:
 * issue slots 0.8 x 0.7 = 0.56, the limit in both cases: 1 - 0.56 and 0.7 - 0.56. */
TEST(limits_that_are_lifted)
{
    struct given g;
    struct predicted list[PREDICTION_KINDS];
    start(&g, 4, 1, 1);
    set_shares(&g, 0.2, 0.66);
    give(&g, "dram_share", 0.616);
    give(&g, "issue_share", 0.3);
    const struct predicted *p = find(list, prediction_make(&g.in, BOUND_MEMORY, list), PREDICT_MEMORY_TRAFFIC);
    assert_non_null(p);
    near(p->high, 0.65, 1e-9);
    near(p->low, 0.33, 1e-9);
    start(&g, 1, 1, 1);
    set_shares(&g, 0.7, 0.2);
    give(&g, "issue_share", 0.8);
    give(&g, "instructions", 1000);
    give(&g, "ffma_threads", 600 * 32);
    p = find(list, prediction_make(&g.in, BOUND_COMPUTE, list), PREDICT_COMPUTE_WORK);
    assert_non_null(p);
    near(p->high, 0.44, 1e-9);
    near(p->low, 0.14, 1e-9);
}

/* A gap of 30%, and nothing of the kernel, for whose time nobody waits; 20 blocks on 100 SMs, fma at 10%: at best a
 * fifth of the time; 1.5 waves with 10% idle. */
TEST(idle_time_that_goes)
{
    struct given g;
    struct predicted list[PREDICTION_KINDS];
    start(&g, 4, 1, 0);
    g.in.shares.launch_idle = 0.3;
    g.in.grid_blocks = 20;
    assert_int_equal(prediction_make(&g.in, BOUND_LAUNCH, list), 1);
    const struct predicted *gap = find(list, 1, PREDICT_LAUNCH_GAP);
    assert_non_null(gap);
    near(gap->low, 0.15, 1e-9);
    near(gap->high, 0.3, 1e-9);
    g.in.gap_most = 0.1; /* graphs were timed, in which a launch takes hardly longer than its kernel */
    assert_int_equal(prediction_make(&g.in, BOUND_LAUNCH, list), 1);
    near(list[0].high, 0.1, 1e-9);
    g.in.gap_most = 0;
    assert_int_equal(prediction_make(&g.in, BOUND_LAUNCH, list), 0);
    g.in.gap_most = NAN;
    const struct predicted *grid = find(list, prediction_make(&g.in, BOUND_LATENCY, list), PREDICT_SMALL_GRID);
    assert_non_null(grid);
    near(grid->low, 0.4, 1e-9);
    near(grid->high, 0.8, 1e-9);
    start(&g, 4, 1, 0);
    g.in.waves = 1.5;
    g.in.grid_blocks = 300;
    give(&g, "active_cycles", 900);
    const struct predicted *tail = find(list, prediction_make(&g.in, BOUND_LATENCY, list), PREDICT_TAIL);
    assert_non_null(tail);
    near(tail->low, 0, 1e-9);
    near(tail->high, 0.1, 1e-9);
}

/* SMs that are active for no time, or less, which no counter can say: nothing follows from that. */
TEST(no_gain_is_more_than_all)
{
    static const double active[] = {-1e308, -1, 0};
    for (size_t i = 0; i < COUNT_OF(active); i++) {
        struct given g;
        struct predicted list[PREDICTION_KINDS];
        start(&g, 4, 1, 0);
        g.in.waves = 1.5;
        g.in.grid_blocks = 300;
        give(&g, "active_cycles", active[i]);
        const struct predicted *tail = find(list, prediction_make(&g.in, BOUND_LATENCY, list), PREDICT_TAIL);
        assert_int_equal(tail != NULL, active[i] >= 0);
        if (!tail)
            continue;
        near(tail->low, 0, 1e-9);
        near(tail->high, 1, 1e-9);
    }
}

/* 12 warps a scheduler that issue once in 8 cycles and never queue: more than one a cycle, which no scheduler can do.
 * The hopeful reading is cut there and sees no gain, the plain one sees some: both are in the interval. */
TEST(ends_that_cross_are_both_kept)
{
    struct given g;
    struct predicted list[PREDICTION_KINDS];
    start(&g, 4.8, 0, 0);
    give(&g, "lsu_share", 0);
    give(&g, "warp_latency", 8);
    give(&g, "warps_per_sm", 48);
    const struct predicted *p = find(list, prediction_make(&g.in, BOUND_LATENCY, list), PREDICT_LOAD_AHEAD);
    assert_non_null(p);
    near(p->low, 0, 1e-9);
    assert_true(p->high > 0.025);
}

/* A warp that waits alone 10 of 10 cycles: with a second block 2 / (10 + 1/10) instead of 1/10, at
 * best; blocks of which only one fits are not doubled. */
TEST(twice_the_blocks)
{
    struct given g;
    struct predicted list[PREDICTION_KINDS];
    start(&g, 4, 1, 0);
    g.in.waves = 0.5;
    const struct predicted *p = find(list, prediction_make(&g.in, BOUND_LATENCY, list), PREDICT_BLOCKS);
    assert_non_null(p);
    near(p->high, 1 - 0.1 * 10.1 / 2, 1e-9);
    assert_true(p->low < p->high - 0.1 && p->low > 0.2);
    g.in.waves = 0.6;
    assert_null(find(list, prediction_make(&g.in, BOUND_LATENCY, list), PREDICT_BLOCKS));
}

TEST(candidates_are_known_by_what_they_execute)
{
    static const struct {
        double copies_before, copies_after, shared_after, blocks_after;
        enum prediction_kind is;
    } cases[] = {
        {0, 64, 8192, 100, PREDICT_LOAD_AHEAD}, {0, 64, 12288, 100, PREDICT_LOAD_FURTHER},
        {64, 64, 6144, 100, PREDICT_STAGE},     {64, 64, 8192, 100, PREDICTION_KINDS},
        {64, 64, 4096, 100, PREDICTION_KINDS},  {0, 0, 8192, 100, PREDICTION_KINDS},
        {64, 0, 2048, 100, PREDICTION_KINDS},   {0, 64, 8192, 200, PREDICTION_KINDS},
        {NAN, 64, 8192, 100, PREDICTION_KINDS},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct given base, cand;
        start(&base, 4, 1, cases[i].copies_before);
        start(&cand, 0, 1, cases[i].copies_after);
        cand.resource.shared_bytes = cases[i].shared_after;
        cand.in.grid_blocks = cases[i].blocks_after;
        assert_int_equal(prediction_recognise(&base.in, &cand.in), cases[i].is);
    }
}

/* More shared memory, but also other operations: no stage. Within 1% they are the same. */
TEST(another_calculation_is_another_change)
{
    static const double ffmas[] = {1000, 1009, 991, 1012, 60};
    for (size_t i = 0; i < COUNT_OF(ffmas); i++) {
        struct given base, cand;
        start(&base, 4, 1, 64);
        start(&cand, 0, 1, 64);
        cand.resource.shared_bytes = 6144;
        give(&base, "ffma_threads", 1000);
        give(&cand, "ffma_threads", ffmas[i]);
        assert_int_equal(prediction_recognise(&base.in, &cand.in), i < 3 ? PREDICT_STAGE : PREDICTION_KINDS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_of_few_warps),
        cmocka_unit_test(blocks_that_end_one_by_one),
        cmocka_unit_test(waits_that_go),
        cmocka_unit_test(what_the_dispatcher_holds_back_may_go),
        cmocka_unit_test(nothing_is_predicted_without_reason),
        cmocka_unit_test(busy_units_are_a_ceiling),
        cmocka_unit_test(limits_that_are_lifted),
        cmocka_unit_test(idle_time_that_goes),
        cmocka_unit_test(no_gain_is_more_than_all),
        cmocka_unit_test(ends_that_cross_are_both_kept),
        cmocka_unit_test(twice_the_blocks),
        cmocka_unit_test(candidates_are_known_by_what_they_execute),
        cmocka_unit_test(another_calculation_is_another_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
