/* Is a kernel's time told to the last bit, and each part as what it is? */
#include <math.h>
#include <string.h>

#include "analyzers/bounds/lost_time.h"
#include "core/gpu/metrics.h"
#include "tests/test.h"
#include "tests/unit/embedded_thresholds.h"

struct given {
    struct counters counters;
    struct launch_cost launch;
    struct bound_inputs in;
};

static void give(struct given *g, const char *id, double value)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    g->counters.values[metric_by_id(id) - metrics] = value;
}

/* A kernel with fma at `fma` and l2 at `l2` of their peaks; nothing else is known. */
static void start(struct given *g, double fma, double l2)
{
    *g = (struct given){.in = {.thresholds = embedded_thresholds(), .sm_count = 100, .grid_blocks = 100, .waves = 1}};
    for (size_t i = 0; i < COUNTERS_METRICS_MAX; i++)
        g->counters.values[i] = NAN;
    give(g, "fma_share", fma);
    give(g, "l2_share", l2);
    g->in.counters = &g->counters;
    g->in.compute_unit = g->in.compute_busiest = metric_by_id("fma_share");
    g->in.memory_unit = g->in.memory_busiest = metric_by_id("l2_share");
    g->in.shares = (struct bound_shares){.launch_idle = NAN, .compute = fma, .memory = l2};
    g->in.compute_unit_share = fma;
    g->in.memory_unit_share = l2;
}

static double share_of(const struct lost_part *parts, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(parts[i].name, name))
            return parts[i].share;
    return 0;
}

static void adds_up(const struct lost_part *parts, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(parts[i].share > 0);
        assert_true(!i || parts[i].kind >= parts[i - 1].kind || !strcmp(parts[i].name, "other"));
        sum += parts[i].share;
    }
    assert_true(fabs(sum - 1) < 1e-12);
}

/* An interval of 10 us with 2 us of gap leaves 0.8 to the kernel. Half of the grid's SMs are
 * empty and SMs are active for 45% of the time: 0.8 * 0.5 small grid, 0.8 * 0.05 tail. fma 20%:
 * 0.16. What is left, 0.2, goes by the stalls 6 : 2, and 2 of the latency of 12 have no name
 * (12 - 1 for the issue - 6 - 2 - 1 not selected): 0.12, 0.04 and 0.04. */
TEST(every_part_has_its_share)
{
    struct given g;
    struct lost_part parts[LOST_PARTS_MAX];
    start(&g, 0.2, 0.1);
    g.launch = (struct launch_cost){.interval_median_ns = 10000, .gap_median_ns = 2000, .kernel_median_ns = 8000};
    g.in.launch = &g.launch;
    g.in.grid_blocks = 50;
    give(&g, "active_cycles", 450);
    give(&g, "elapsed_cycles", 1000);
    give(&g, "stall_long_scoreboard", 6);
    give(&g, "stall_barrier", 2);
    give(&g, "stall_not_selected", 1);
    give(&g, "warp_latency", 12);
    const size_t count = lost_time_split(&g.in, parts);
    adds_up(parts, count);
    static const struct {
        const char *name;
        double share;
        enum lost_kind kind;
    } wanted[] = {
        {"launch gap", 0.2, LOST_HOST}, {"small grid", 0.4, LOST_SMALL_GRID},  {"start, end and tail", 0.04, LOST_TAIL},
        {"fma", 0.16, LOST_UNIT},       {"long_scoreboard", 0.12, LOST_STALL}, {"barrier", 0.04, LOST_SYNCHRONISATION},
        {"other", 0.04, LOST_STALL}};
    assert_int_equal(count, COUNT_OF(wanted));
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(parts[i].name, wanted[i].name);
        assert_true(fabs(parts[i].share - wanted[i].share) < 1e-12);
        assert_int_equal(parts[i].kind, wanted[i].kind);
    }
}

/* A unit that is always busy leaves nothing to wait for; shares a little above 1 are rounding. */
TEST(a_full_unit_is_all_there_is)
{
    struct given g;
    struct lost_part parts[LOST_PARTS_MAX];
    start(&g, 0.3, 1.004);
    give(&g, "stall_long_scoreboard", 6);
    const size_t count = lost_time_split(&g.in, parts);
    assert_int_equal(count, 1);
    assert_string_equal(parts[0].name, "l2");
    assert_true(parts[0].share == 1);
}

/* Stalls below half a percent are summed up; without any stall the rest is without a name. */
TEST(small_and_unknown_parts_are_summed_up)
{
    struct given g;
    struct lost_part parts[LOST_PARTS_MAX];
    start(&g, 0.5, 0.1);
    size_t count = lost_time_split(&g.in, parts);
    adds_up(parts, count);
    assert_true(fabs(share_of(parts, count, "other") - 0.5) < 1e-12);
    give(&g, "stall_wait", 999);
    give(&g, "stall_barrier", 1);
    count = lost_time_split(&g.in, parts);
    adds_up(parts, count);
    assert_true(share_of(parts, count, "barrier") == 0);
    assert_true(fabs(share_of(parts, count, "wait") - 0.4995) < 1e-12);
    assert_true(fabs(share_of(parts, count, "other") - 0.0005) < 1e-12);
}

TEST(without_counters_nothing_is_told)
{
    struct given g;
    struct lost_part parts[LOST_PARTS_MAX];
    start(&g, 0.5, 0.1);
    g.in.memory_unit = NULL;
    assert_int_equal(lost_time_split(&g.in, parts), 0);
    start(&g, 0.5, 0.1);
    g.in.counters = NULL;
    assert_int_equal(lost_time_split(&g.in, parts), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_has_its_share),
        cmocka_unit_test(a_full_unit_is_all_there_is),
        cmocka_unit_test(small_and_unknown_parts_are_summed_up),
        cmocka_unit_test(without_counters_nothing_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
