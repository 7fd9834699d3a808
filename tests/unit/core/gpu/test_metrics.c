/* Do counters have the units and roles that verdicts rely on? */
#include <string.h>

#include "core/gpu/metrics.h"
#include "core/run/counters.h"
#include "tests/test.h"

TEST(each_metric_is_named_once)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    assert_true(count > 0 && count <= COUNTERS_METRICS_MAX);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(metric_by_id(metrics[i].id), &metrics[i]);
        assert_ptr_equal(metric_by_name(metrics[i].name), &metrics[i]);
        assert_true(*metrics[i].group && *metrics[i].meaning);
    }
    assert_null(metric_by_id("no_such"));
    assert_null(metric_by_name(""));
}

/* A share over active cycles would call a one-block grid busy. */
TEST(shares_are_over_elapsed_cycles)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    for (size_t i = 0; i < count; i++) {
        if (metrics[i].role != METRIC_COMPUTE && metrics[i].role != METRIC_MEMORY)
            continue;
        assert_non_null(strstr(metrics[i].name, ".avg.pct_of_peak_sustained_elapsed"));
        assert_int_equal(metrics[i].unit, UNIT_RATIO);
    }
}

TEST(values_come_in_base_units)
{
    static const struct {
        const char *name;
        double value, base;
        enum unit unit;
    } cases[] = {
        {"dram__throughput.avg.pct_of_peak_sustained_elapsed", 82.5, 0.825, UNIT_RATIO},
        {"lts__t_sector_hit_rate.pct", 50, 0.5, UNIT_RATIO},
        {"l1tex__some_other.max.pct_of_peak_sustained_active", 100, 1, UNIT_RATIO},
        {"x__pctl.sum", 3, 3, UNIT_COUNT},
        {"x.pctl", 3, 3, UNIT_COUNT},
        {"gpu__time_duration.sum", 535296, 535296, UNIT_NS},
        {"gpu__time_duration.max", 535296, 535296, UNIT_NS},
        {"dram__bytes.sum.per_second", 3e12, 3e12, UNIT_BYTES_PER_S},
        {"dram__bytes.sum", 5120, 5120, UNIT_BYTES},
        {"sm__cycles_elapsed.avg.per_second", 1.98e9, 1.98e9, UNIT_HZ},
        {"sm__cycles_elapsed.max", 1055932, 1055932, UNIT_CYCLES},
        {"sm__inst_executed.sum", 7, 7, UNIT_COUNT},
        {"sm__inst_executed.avg.per_cycle_elapsed", 3.1, 3.1, UNIT_NONE},
        {"sm__inst_executed.sum.per_second", 3.1, 3.1, UNIT_NONE},
        {"smsp__thread_inst_executed_per_inst_executed.ratio", 31, 31, UNIT_NONE},
        {"", 1, 1, UNIT_COUNT},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double got = metric_to_base(cases[i].name, cases[i].value);
        if (got < cases[i].base - 1e-9 || got > cases[i].base + 1e-9 || metric_unit(cases[i].name) != cases[i].unit)
            fail_msg("'%s': %g, unit %s", cases[i].name, got, unit_name(metric_unit(cases[i].name)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_metric_is_named_once),
        cmocka_unit_test(shares_are_over_elapsed_cycles),
        cmocka_unit_test(values_come_in_base_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
