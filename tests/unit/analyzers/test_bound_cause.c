/* Does a bound say why, and what to do about it? */
#include "tests/unit/counted_run.h"

#include "analyzers/bounds/ncu_words.h"

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
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recorded run;
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
        {119, 0.8, false}, {118, 0.8, true},  {64, 0.48, true}, {64, 0.95, false},
        {64, 0.89, true},  {128, NAN, false}, {64, NAN, true},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recorded run;
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
        assert_string_equal(b->bound_by, "small-grid");
        assert_has(b->cause, "small grid: ");
        assert_has(b->advice, grid);
        if (cases[i].grid_first != !strncmp(b->advice, grid, strlen(grid)) ||
            cases[i].grid_first == !!strstr(b->advice, "independent chains") ||
            cases[i].grid_first != !!strstr(b->will_not_help, "every SM has a block"))
            fail_msg("case %zu: '%s', not '%s'", i, b->advice, b->will_not_help);
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
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recorded run;
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
    } cases[] = {{3000, 0.40, 1056, true},  {9999, 0.49, 1056, true}, {10000, 0.40, 1056, false},
                 {3000, 0.50, 1056, false}, {NAN, 0.40, 1056, false}, {3000, NAN, 1056, false},
                 {3000, 0.40, 64, false}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recorded run;
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
        assert_string_equal(b->bound_by, cases[i].grid > 132 ? "long_scoreboard" : "small-grid"); /* as ever */
        run_end(&run);
    }
}

/* The rule sees a busier SM than any unit is, by less than makes one unknown. Where both point the same way nothing is
 * said. */
static void a_rule_that_differs_is_told_with_the_reason(void **state)
{
    (void)state;
    static const struct {
        double fma, l2, sm, memory;
        const char *says; /* NULL: nothing */
    } cases[] = {
        {0.56, 0.22, 0.64, 0.22,
         "Nsight Compute's rule gives High Compute Throughput on the same numbers. Its SM throughput (64.0%) "
         "counts load/store and other pipes, too; the busiest arithmetic pipe or the issue slots are busy "
         "less: 56.0%."},
        {0.31, 0.56, 0.31, 0.65,
         "High Memory Throughput on the same numbers. Its memory throughput (65.0%) is of other parts"},
        {0.31, 0.22, 0.40, 0.22, NULL},
        {0.91, 0.22, 0.91, 0.22, NULL},
        {0.31, 0.22, NAN, 0.22, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recorded run;
        struct str said;
        run_start(&run);
        str_init(&said);
        add_two(&run, "v", SHAPE, cases[i].fma, cases[i].l2);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latency_bounds_name_what_is_waited_for),
        cmocka_unit_test(a_grid_that_costs_little_leaves_the_word_to_the_stall),
        cmocka_unit_test(a_latency_cause_names_the_unit_of_the_table),
        cmocka_unit_test(short_kernels_are_to_be_launched_less_often),
        cmocka_unit_test(a_rule_that_differs_is_told_with_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
