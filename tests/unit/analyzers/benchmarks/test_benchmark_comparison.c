/* Is a benchmark of another tool called faster only where its times say so? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/benchmarks/benchmark_comparison.h"
#include "tests/test.h"

enum { PROCESSES = 4, TIMES = 12 };

/* One benchmark, "b", of one side: a list of times for each process, a mean for one without times. */
struct side {
    double mean_ns[PROCESSES]; /* 0: no further process */
    double times[PROCESSES][TIMES];
    const char *failure;
};

static void start(struct benchmark_results *r, const char *machine)
{
    benchmark_results_init(r);
    r->format = &nvbench_format;
    r->machine = machine;
}

static void add(struct benchmark_results *r, const char *name, const struct side *s)
{
    for (size_t p = 0; p < PROCESSES && s->mean_ns[p] > 0; p++) {
        bool is_new;
        r->processes = p;
        struct benchmark_times *row = benchmark_results_row(r, name, &is_new);
        assert_non_null(row);
        assert_true(is_new);
        row->mean_ns = s->mean_ns[p];
        row->failure = s->failure;
        for (size_t i = 0; i < TIMES && s->times[p][i] > 0; i++) {
            double *slot = ARRAY_PUSH(&row->times);
            assert_non_null(slot);
            *slot = s->times[p][i];
        }
        r->processes = p + 1;
    }
}

TEST(judged)
{
    static const struct {
        const char *what;
        struct side before, after;
        enum comparison_verdict verdict;
        const char *reason;
        double before_ns, ratio; /* 0: not looked at */
        int status;
    } cases[] = {
        /* The blocks of six values are these; (100 ... 105)^(1/6) = 102.4858, (80 ... 85)^(1/6) = 82.4823, their ratio
         * 0.805. */
        {"one process each, apart",
         {{103}, {{100, 101, 102, 103, 104, 105}}, NULL},
         {{83}, {{80, 81, 82, 83, 84, 85}}, NULL},
         COMPARE_INCONCLUSIVE,
         "beyond_spread",
         102.4858,
         0.805,
         EXIT_INCONCLUSIVE},
        {"the same, the other way round",
         {{83}, {{80, 81, 82, 83, 84, 85}}, NULL},
         {{103}, {{100, 101, 102, 103, 104, 105}}, NULL},
         COMPARE_INCONCLUSIVE,
         "beyond_spread",
         82.4823,
         1.242,
         EXIT_INCONCLUSIVE},
        /* 99 of the second side reaches into the first one. */
        {"one value overlaps",
         {{103}, {{98, 101, 102, 103, 104, 105}}, NULL},
         {{83}, {{80, 81, 82, 83, 84, 99}}, NULL},
         COMPARE_INCONCLUSIVE,
         "within_spread",
         0,
         0,
         EXIT_INCONCLUSIVE},
        {"the same times are not equivalent in one process",
         {{100}, {{100, 100, 100, 100, 100}}, NULL},
         {{100}, {{100, 100, 100, 100, 100}}, NULL},
         COMPARE_INCONCLUSIVE,
         "within_spread",
         100,
         1,
         EXIT_INCONCLUSIVE},
        {"four times",
         {{100}, {{100, 101, 102, 103}}, NULL},
         {{50}, {{50, 51, 52, 53, 54}}, NULL},
         COMPARE_INCONCLUSIVE,
         "too_few_values",
         101.5,
         0,
         EXIT_INCONCLUSIVE},
        {"means alone",
         {{100}, {{0}}, NULL},
         {{50}, {{0}}, NULL},
         COMPARE_INCONCLUSIVE,
         "no_values",
         100,
         0,
         EXIT_INCONCLUSIVE},
        {"two processes",
         {{100, 101}, {{0}}, NULL},
         {{50, 51}, {{0}}, NULL},
         COMPARE_INCONCLUSIVE,
         "too_few_processes",
         100.4988, /* (100 * 101)^(1/2) */
         0,
         EXIT_INCONCLUSIVE},
        {"three processes and one",
         {{100, 101, 102}, {{0}}, NULL},
         {{50}, {{50, 51, 52, 53, 54}}, NULL},
         COMPARE_INCONCLUSIVE,
         "too_few_processes",
         100.9967, /* (100 * 101 * 102)^(1/3) */
         0,
         EXIT_INCONCLUSIVE},
        /* exp of the difference of mean logs: (50 * 51 * 52 / (100 * 101 * 102)) ^ (1/3) = 0.505. */
        {"three processes each, a mean of each",
         {{100, 101, 102}, {{0}}, NULL},
         {{50, 51, 52}, {{0}}, NULL},
         COMPARE_FASTER,
         "interval_below_margin",
         100.9967,
         0.505,
         EXIT_PASS},
        /* The median of a process counts, not its mean of 500. */
        {"three processes with times",
         {{500, 500, 500}, {{99, 100, 101}, {100, 100, 100}, {100, 101, 99}}, NULL},
         {{500, 500, 500}, {{100, 100, 100}, {100, 99, 101}, {100, 100, 100}}, NULL},
         COMPARE_EQUIVALENT,
         "interval_within_margin",
         100,
         1,
         EXIT_PASS},
        /* A mean of 100 and a median of 98 may be of the same times. */
        {"means against times, three processes each",
         {{100, 100, 100}, {{97, 98, 105}, {97, 98, 105}, {97, 98, 105}}, NULL},
         {{100, 100, 100}, {{0}}, NULL},
         COMPARE_INCONCLUSIVE,
         "no_values",
         98,
         0,
         EXIT_INCONCLUSIVE},
        {"no time",
         {{100}, {{100, 101, 102, 103, 104}}, NULL},
         {{1}, {{0}}, "out of memory"},
         COMPARE_UNUSABLE,
         "failed",
         0,
         0,
         EXIT_UNUSABLE_INPUT},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct benchmark_results before, after;
        struct benchmark_comparisons c;
        struct err e = {0};
        start(&before, "H100");
        start(&after, "H100");
        add(&before, "b", &cases[i].before);
        add(&after, "b", &cases[i].after);
        if (benchmark_comparisons_make(&c, &before, &after, 0.01, NULL, &e))
            fail_msg("%s: %s", cases[i].what, e.text);
        assert_int_equal(c.rows.count, 1);
        const struct benchmark_comparison *row = &c.rows.items[0];
        if (row->verdict != cases[i].verdict || strcmp(benchmark_reasons[row->reason].key, cases[i].reason) != 0)
            fail_msg("%s: %s, %s", cases[i].what, comparison_verdict_name(row->verdict),
                     benchmark_reasons[row->reason].key);
        if (cases[i].before_ns > 0)
            assert_float_equal(row->before_ns, cases[i].before_ns, 1e-4);
        if (cases[i].ratio > 0) {
            assert_float_equal(row->interval.ratio, cases[i].ratio, 0.001);
            assert_float_equal(row->after_ns / row->before_ns, row->interval.ratio, 1e-9);
        }
        assert_int_equal(benchmark_comparisons_status(&c), cases[i].status);

        assert_int_equal(isnan(row->p_value), !row->has_replicates || row->reason == BENCHMARK_NO_VALUES);
        benchmark_comparisons_release(&c);
        benchmark_results_release(&before);
        benchmark_results_release(&after);
    }
}

static const struct side fast = {{50, 51, 52}, {{0}}, NULL}, slow = {{100, 101, 102}, {{0}}, NULL};

TEST(names)
{
    struct benchmark_results before, after;
    struct benchmark_comparisons c;
    struct err e = {0};
    start(&before, "H100");
    start(&after, "H100");
    add(&before, "gone", &slow);
    add(&before, "both", &slow);
    add(&after, "new", &fast);
    add(&after, "both", &fast);
    assert_int_equal(benchmark_comparisons_make(&c, &before, &after, 0.01, NULL, &e), 0);
    assert_int_equal(c.rows.count, 2);
    assert_string_equal(c.rows.items[0].name, "gone");
    assert_string_equal(benchmark_reasons[c.rows.items[0].reason].key, "not_in_candidate");
    assert_true(isnan(c.rows.items[0].after_ns));
    assert_int_equal(c.rows.items[1].verdict, COMPARE_FASTER);
    assert_true(c.rows.items[1].p_adjusted >= c.rows.items[1].p_value);
    assert_int_equal(c.only_after.count, 1);
    assert_string_equal(c.only_after.items[0], "new");
    benchmark_comparisons_release(&c);
    benchmark_results_release(&after);
    start(&after, "H100");
    add(&after, "other", &fast);
    assert_int_equal(benchmark_comparisons_make(&c, &before, &after, 0.01, NULL, &e), ERR_INPUT);
    assert_non_null(strstr(e.text, "nothing to compare"));
    benchmark_comparisons_release(&c);
    benchmark_results_release(&before);
    benchmark_results_release(&after);
}

/* Three percent in three noisy processes each: a difference alone, and chance among forty. */
TEST(among_many)
{
    static const struct side noisy_slow = {{103, 104, 105}, {{0}}, NULL}, noisy_fast = {{99, 100, 101}, {{0}}, NULL};
    for (int count = 1; count <= 40; count += 39) {
        struct benchmark_results before, after;
        struct benchmark_comparisons c;
        struct err e = {0};
        start(&before, "H100");
        start(&after, "H100");
        for (int i = 0; i < count; i++) {
            char name[16];
            snprintf(name, sizeof name, "b%d", i);
            add(&before, name, &noisy_slow);
            add(&after, name, &noisy_fast);
        }
        assert_int_equal(benchmark_comparisons_make(&c, &before, &after, 0.01, NULL, &e), 0);
        assert_int_equal(c.rows.items[0].verdict, count == 1 ? COMPARE_FASTER : COMPARE_INCONCLUSIVE);
        assert_string_equal(benchmark_reasons[c.rows.items[0].reason].key,
                            count == 1 ? "interval_below_margin" : "holm");
        benchmark_comparisons_release(&c);
        benchmark_results_release(&before);
        benchmark_results_release(&after);
    }
}

TEST(machines)
{
    static const struct {
        const char *before, *after, *across, *reason;
    } cases[] = {
        {"H100", "H100", NULL, "interval_below_margin"},
        {"H100", "H200", NULL, "other_machine"},
        {"H100", "H200", "driver,device", "interval_below_margin"},
        {"H100", "H200", "devices", "other_machine"},
        {"", "", NULL, "unknown_machine"},
        {"", "", "device", "interval_below_margin"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct benchmark_results before, after;
        struct benchmark_comparisons c;
        struct err e = {0};
        start(&before, cases[i].before);
        start(&after, cases[i].after);
        add(&before, "b", &slow);
        add(&after, "b", &fast);
        assert_int_equal(benchmark_comparisons_make(&c, &before, &after, 0.01, cases[i].across, &e), 0);
        assert_string_equal(benchmark_reasons[c.rows.items[0].reason].key, cases[i].reason);
        benchmark_comparisons_release(&c);
        benchmark_results_release(&before);
        benchmark_results_release(&after);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(judged), cmocka_unit_test(names), cmocka_unit_test(among_many),
                                       cmocka_unit_test(machines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
