/* What of a bound is left when counters are missing or make no sense? */
#include "tests/unit/counted_run.h"

/* 93% where 88% is what it can reach: all of it, and not more than that. */
static void nothing_reaches_more_than_it_can(void **state)
{
    (void)state;
    static const char *const named[] = {"dram_share"};
    struct recorded run;
    run_start(&run);
    add_idle_units(&run, "v", SHAPE, named, COUNT_OF(named));
    add_metric(&run, "v", SHAPE, 0, "dram_share", 0.93);
    assert_has(only_bound(&run)->cause, "dram at 93.0% of its peak (100.0% of what it can reach)");
    run_end(&run);
}

static void missing_counters_are_named(void **state)
{
    (void)state;
    struct recorded run;
    run_start(&run);
    static const char *const absent[] = {"dram_share", "tensor_share", "fmaheavy_share", "fma_share", "l2_share"};
    add_idle_units(&run, "v", SHAPE, absent, COUNT_OF(absent));
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

/* They were counted, and the words say why they are not taken. */
static void damaged_shares_are_not_taken(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        double share;
        const char *said;
    } cases[] = {
        {"l2_share", -0.1, "lts__throughput.avg.pct_of_peak_sustained_elapsed (-10.0% of its peak"},
        {"l2_share", 1.09, "lts__throughput.avg.pct_of_peak_sustained_elapsed (109.0% of its peak"},
        {"l2_share", 91.2, "lts__throughput.avg.pct_of_peak_sustained_elapsed (9120.0% of its peak"},
        {"l2_share", 1e300, "lts__throughput.avg.pct_of_peak_sustained_elapsed (1e+300 times its peak"},
        /* Its data stage is a part of it that no run counts. */
        {"l1_share", 1.5, "l1tex__throughput.avg.pct_of_peak_sustained_elapsed (150.0% of its peak"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recorded run;
        struct str cause;
        run_start(&run);
        str_init(&cause);
        str_addf(&cause, "counted, but not taken: %s, which is not credible)", cases[i].said);
        add_idle_units(&run, "v", SHAPE, &cases[i].id, 1);
        add_metric(&run, "v", SHAPE, 0, cases[i].id, cases[i].share);
        const struct bound *b = only_bound(&run);
        assert_int_equal(b->class_, BOUND_INCONCLUSIVE);
        assert_string_equal(b->cause, str_text(&cause));
        str_release(&cause);
        run_end(&run);
    }
}

/* 109% of the SMs' throughput contradicts the units that it is the maximum of; 101% is rounded. */
static void a_throughput_beyond_its_peak_decides_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct recorded run;
        run_start(&run);
        add_two(&run, "v", SHAPE, 0.99, 0.10);
        add_metric(&run, "v", SHAPE, 0, "sm_throughput", i ? 1.09 : 1.01);
        const struct bound *b = only_bound(&run);
        assert_int_equal(b->class_, i ? BOUND_INCONCLUSIVE : BOUND_COMPUTE);
        assert_int_equal(strstr(b->cause, "(109.0% of its peak, which is not credible)") != NULL, i);
        run_end(&run);
    }
}

/* Fma at 70%, 70% and -50%: the mean would be 30%. A grid of less than no blocks is unknown. */
static void one_impossible_reading_is_not_averaged_away(void **state)
{
    (void)state;
    struct recorded run;
    run_start(&run);
    add_two(&run, "v", SHAPE, 0.70, 0.10);
    add_metric(&run, "v", SHAPE, 1, "fma_share", -0.5);
    add_metric(&run, "v", SHAPE, 2, "fma_share", 0.70);
    add_resource(&run, "v", SHAPE, -1e308, -2);
    const struct bound *b = only_bound(&run);
    assert_int_equal(b->class_, BOUND_INCONCLUSIVE);
    assert_has(b->cause, "counted, but not taken: sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed "
                         "(-50.0% of its peak, which is not credible)");
    assert_true(isnan(evidence_of(b, "grid_blocks")) && isnan(evidence_of(b, "waves")));
    run_end(&run);
}

static void an_arm_without_counters_says_so(void **state)
{
    (void)state;
    struct recorded run;
    run_start(&run);
    add_variant(&run, "quiet", SHAPE);
    const struct bound *b = only_bound(&run);
    assert_string_equal(b->variant, "quiet");
    assert_int_equal(b->class_, BOUND_INCONCLUSIVE);
    assert_string_equal(b->cause, "no counters of its kernels were recorded");
    assert_string_equal(b->lean, "");
    assert_string_equal(b->unit, "");
    assert_int_equal(b->evidence.count, 1); /* the number of SMs */
    run_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_reaches_more_than_it_can),
        cmocka_unit_test(missing_counters_are_named),
        cmocka_unit_test(damaged_shares_are_not_taken),
        cmocka_unit_test(a_throughput_beyond_its_peak_decides_nothing),
        cmocka_unit_test(one_impossible_reading_is_not_averaged_away),
        cmocka_unit_test(an_arm_without_counters_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
