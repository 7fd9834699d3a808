/* Are quantiles right, and do intervals cover what they say they cover? */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/statistics.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g is not within %g of %.12g", value, tolerance, expected);
}

/* Type 7: position = q (n - 1) between the order statistics. */
static void quantiles_interpolate(void **state)
{
    (void)state;
    static const double four[] = {10, 20, 30, 40};
    static const struct {
        double q, expected;
    } cases[] = {
        {0, 10}, {1, 40}, {0.5, 25}, /* position 1.5 */
        {0.9, 37},                   /* position 2.7: 30 + 0.7 * 10 */
        {1.0 / 3, 20}, {-1, 10}, {2, 40},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_near(quantile_sorted(four, COUNT(four), cases[i].q), cases[i].expected, 1e-12);
    assert_true(isnan(quantile_sorted(four, 0, 0.5)));
    assert_near(quantile_sorted(four, 1, 0.99), 10, 0);
}

static void moments(void **state)
{
    (void)state;
    double values[] = {9, 2, 4, 4, 5, 5, 7, 4}; /* sum 40; squared deviations 16+9+1+1+0+0+4+1 = 32 */
    assert_near(mean(values, COUNT(values)), 5, 1e-15);
    assert_near(standard_deviation(values, COUNT(values)), sqrt(32.0 / 7), 1e-15);
    assert_near(median(values, COUNT(values)), 4.5, 1e-15);
    assert_near(values[0], 2, 0); /* sorted in place */
    assert_true(isnan(standard_deviation(values, 1)));
    assert_true(isnan(mean(values, 0)));
}

static void sorting_at_every_size(void **state)
{
    (void)state;
    double values[64];
    for (size_t count = 0; count <= COUNT(values); count++) {
        for (size_t i = 0; i < count; i++)
            values[i] = (double)((i * 37) % 64); /* 37 is odd: all distinct */
        sort_doubles(values, count);
        for (size_t i = 1; i < count; i++)
            assert_true(values[i - 1] < values[i]);
    }
}

/* Abramowitz and Stegun, tables 26.1 and 26.10; p = 0.975 to twelve digits. */
/* A quarter is left out at each end, rounded down. */
static void the_midmean_is_the_middle_half(void **state)
{
    (void)state;
    double eight[] = {900, 3, 1, 4, 2, 6, 5, -900}; /* 1 2 3 4 5 6 less one more at each end: (2 + 3 + 4 + 5) / 4 */
    double three[] = {1, 2, 6};                     /* none to leave out: 9 / 3 */
    assert_true(midmean(eight, 8) == 3.5);
    assert_true(midmean(three, 3) == 3);
    assert_true(midmean(three, 1) == 1);
    assert_true(isnan(midmean(three, 0)));
}

static void quantiles_of_the_normal(void **state)
{
    (void)state;
    static const struct {
        double p, z;
    } cases[] = {
        {0.5, 0},
        {0.975, 1.959963984540},
        {0.995, 2.575829303549},
        {0.9, 1.281551565545},
        {0.0013498980316301, -3},
        {1e-10, -6.361340902404},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_near(normal_quantile(cases[i].p), cases[i].z, 1e-11);
        assert_near(normal_cdf(cases[i].z), cases[i].p, 1e-12);
    }
    assert_true(normal_quantile(0) < -1e300 && normal_quantile(1) > 1e300);
    assert_true(isnan(normal_quantile(-0.1)) && isnan(normal_quantile(1.1)) && isnan(normal_quantile(NAN)));
}

/* df = 1: tan(pi (p - 1/2)); df = 2: (2p - 1) sqrt(2 / (1 - (2p - 1)^2)): exact.
 * The others: any table of Student's t (three decimals). */
static void quantiles_of_student(void **state)
{
    (void)state;
    const double u = 2 * 0.975 - 1;
    const struct {
        double p, df, t, tolerance;
    } cases[] = {
        {0.975, 1, tan(acos(-1.0) * 0.475), 1e-9},
        {0.95, 1, tan(acos(-1.0) * 0.45), 1e-9},
        {0.975, 2, u * sqrt(2 / (1 - u * u)), 1e-11},
        {0.975, 3, 3.182, 0.0005},  {0.95, 3, 2.353, 0.0005},
        {0.975, 4, 2.776, 0.0005},  {0.95, 4, 2.132, 0.0005},
        {0.975, 9, 2.262, 0.0005},  {0.975, 30, 2.042, 0.0005},
        {0.025, 4, -2.776, 0.0005}, {0.5, 4, 0, 1e-15},
        {0.9995, 5, 6.869, 0.0005},
        {0.975, 1e7, 1.959963984540, 1e-6}, /* close to the normal */
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_near(student_t_quantile(cases[i].p, cases[i].df), cases[i].t, cases[i].tolerance);
    assert_true(isnan(student_t_quantile(0.9, 0)) && isnan(student_t_quantile(2, 4)));
}

/* Pairs with log ratios log(0.9) + {-2, -1, 0, 1, 2} * 0.01: the mean is
 * log(0.9), the standard deviation 0.01 sqrt(10 / 4) = 0.015811, the t interval
 * half as wide as 2.776445 * 0.015811 / sqrt(5) = 0.019632. With equal
 * baselines the bootstrap reaches at most the extreme pairs, 0.9 exp(+-0.02),
 * and its expanded tail at n = 5, Phi(-sqrt(5/4) 2.776) = 0.00095, is below the
 * chance that the median of a resample is an extreme, so it reaches them. */
static void interval_of_pairs_by_hand(void **state)
{
    (void)state;
    double base[5], cand[5];
    for (int i = 0; i < 5; i++) {
        base[i] = 100;
        cand[i] = 90 * exp(0.01 * (i - 2));
    }
    const struct ratio_interval r = bootstrap_ratio(base, 5, cand, 5, 1, 0.95);
    assert_near(r.ratio, 0.9, 1e-12);
    assert_near(r.low, 0.9 * exp(-0.02), 1e-9);
    assert_near(r.high, 0.9 * exp(0.02), 1e-9);
}

/* Three pairs, log(1.1) + {-1, 0, 1} * 0.01: the bootstrap cannot leave
 * 1.1 exp(+-0.01), which would cover the median of three in 1 - 2 / 8 = 75% of
 * all cases; the t interval is 4.302653 * 0.01 / sqrt(3) = 0.0248414 wide. */
static void few_pairs_get_the_t_interval(void **state)
{
    (void)state;
    const double base[] = {100, 50, 200};
    const double cand[] = {110 * exp(-0.01), 55, 220 * exp(0.01)};
    const struct ratio_interval r = bootstrap_ratio(base, 3, cand, 3, 1, 0.95);
    assert_near(r.low, 1.1 * exp(-0.0248414), 1e-7);
    assert_near(r.high, 1.1 * exp(0.0248414), 1e-7);
}

static void degenerate_samples(void **state)
{
    (void)state;
    const double one[] = {2}, flat[] = {3, 3, 3}, flat_less[] = {1.5, 1.5, 1.5}, broken[] = {1, NAN, 2}, zero[] = {0, 1, 2};
    struct ratio_interval r = bootstrap_ratio(one, 1, one, 1, 1, 0.95);
    assert_near(r.ratio, 1, 0);
    assert_true(isinf(r.high) && r.low == 0);
    r = bootstrap_ratio(flat, 3, flat_less, 3, 0, 0.95); /* no spread: nothing to widen by */
    assert_near(r.low, 0.5, 1e-15);
    assert_near(r.high, 0.5, 1e-15);
    r = bootstrap_ratio(flat, 3, broken, 3, 1, 0.95);
    assert_true(isnan(r.ratio) && isinf(r.high));
    r = bootstrap_ratio(zero, 3, flat, 3, 1, 0.95);
    assert_true(isnan(r.ratio));
    r = bootstrap_ratio(flat, 3, flat, 2, 1, 0.95); /* no pairs */
    assert_true(isnan(r.ratio));
    r = bootstrap_ratio(NULL, 0, NULL, 0, 0, 0.95);
    assert_true(isnan(r.ratio));
}

static void same_input_same_interval(void **state)
{
    (void)state;
    const double base[] = {10, 11, 12, 10.5, 11.5}, cand[] = {9, 9.7, 10, 9.5, 9.9};
    const struct ratio_interval a = bootstrap_ratio(base, 5, cand, 5, 0, 0.95);
    const struct ratio_interval b = bootstrap_ratio(base, 5, cand, 5, 0, 0.95);
    const struct ratio_interval narrow = bootstrap_ratio(base, 5, cand, 5, 0, 0.90);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(narrow.low >= a.low && narrow.high <= a.high);
}

/* A generator of its own: sums of twelve uniforms are normal enough. */
static double noise(uint64_t *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        *random = *random * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*random >> 11) / 9007199254740992.0;
    }
    return sum;
}

enum { PROCESSES_MAX = 10 };

/* Processes differ by 2% and share that within a pair; each arm adds 1%. */
static double coverage(size_t processes, int paired, int trials)
{
    uint64_t random = 1;
    int covered = 0;
    for (int trial = 0; trial < trials; trial++) {
        double base[PROCESSES_MAX], cand[PROCESSES_MAX];
        for (size_t i = 0; i < processes; i++) {
            const double shared = 0.02 * noise(&random);
            base[i] = 100 * exp(shared + 0.01 * noise(&random));
            cand[i] = 95 * exp((paired ? shared : 0.02 * noise(&random)) + 0.01 * noise(&random));
        }
        const struct ratio_interval r = bootstrap_ratio(base, processes, cand, processes, paired, 0.95);
        covered += r.low <= 0.95 && 0.95 <= r.high;
    }
    return (double)covered / trials;
}

/* With 400 trials the standard error of a true 95% is 1.1 points: 92.5% is more
 * than two of them below. docs/statistics.md has the figures of many more. */
static void intervals_cover(void **state)
{
    (void)state;
    static const struct {
        size_t processes;
        int paired;
    } cases[] = {{3, 1}, {5, 1}, {5, 0}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const double share = coverage(cases[i].processes, cases[i].paired, 400);
        if (share < 0.925)
            fail_msg("%zu processes, paired %d: %.1f%% covered", cases[i].processes, cases[i].paired, 100 * share);
    }
}

/* p <= alpha and "the interval at 1 - alpha excludes" are one statement, at every alpha. */
static void p_values_belong_to_the_interval(void **state)
{
    (void)state;
    static const double alphas[] = {0.3, 0.1, 0.05, 0.01, 0.001};
    uint64_t random = 7;
    int excluded = 0, held = 0;
    for (int trial = 0; trial < 60; trial++) {
        double base[5], cand[6];
        const size_t more = trial % 2; /* independent arms may differ in number */
        for (size_t i = 0; i < 5 + more; i++) {
            if (i < 5)
                base[i] = 100 * exp(0.01 * noise(&random));
            cand[i] = 100 * exp(0.004 * (trial % 11 - 5) + 0.01 * noise(&random));
        }
        struct ratio_evidence r;
        assert_int_equal(ratio_evidence_init(&r, base, 5, cand, 5 + more, !more), 0);
        const double low = trial % 3 ? 0.99 : 1, high = 1 / low, p = ratio_evidence_p(&r, low, high);
        for (size_t i = 0; i < COUNT(alphas); i++) {
            const struct ratio_interval interval = ratio_evidence_interval(&r, 1 - alphas[i]);
            const int outside = interval.high < low || interval.low > high;
            if (fabs(p - alphas[i]) > 1e-9 && outside != (p < alphas[i]))
                fail_msg("p %.9g, at %g [%g, %g] lies %s", p, alphas[i], interval.low, interval.high,
                         outside ? "outside" : "inside");
            excluded += outside;
            held += !outside;
        }
        ratio_evidence_release(&r);
    }
    assert_true(excluded > 30 && held > 30); /* both sides of the statement were seen */
}

/* Pairs with log ratios log(0.9) + {-2 .. 2} * 0.01: t = -log(0.9) / (0.015811 / sqrt(5)) = 14.90
 * against a ratio of 1, and no resample reaches 1: p is 2 P(T > 14.90) with 4 degrees of freedom,
 * whose tail is exactly 1/2 - u (3 - u u) / 4 with u = t / sqrt(4 + t t). */
static void p_value_by_hand(void **state)
{
    (void)state;
    double base[5], cand[5];
    for (int i = 0; i < 5; i++) {
        base[i] = 100;
        cand[i] = 90 * exp(0.01 * (i - 2));
    }
    struct ratio_evidence r;
    assert_int_equal(ratio_evidence_init(&r, base, 5, cand, 5, 1), 0);
    const double t = -log(0.9) / (0.01 * sqrt(2.5) / sqrt(5)), u = t / sqrt(4 + t * t);
    assert_near(ratio_evidence_p(&r, 1, 1), 1 - u * (3 - u * u) / 2, 1e-9);
    assert_near(ratio_evidence_p(&r, 0.8, 1.25), 1, 0); /* within the margin there is nothing to reject */
    ratio_evidence_release(&r);
    assert_int_equal(ratio_evidence_init(&r, base, 1, cand, 1, 1), 0);
    assert_true(isnan(ratio_evidence_p(&r, 1, 1)));
    ratio_evidence_release(&r);
}

/* Four tests: 4 * 0.01 = 0.04; 3 * 0.013 = 0.039, not below the one before: 0.04; 2 * 0.04 = 0.08; 1 * 0.5. */
static void holm_by_hand(void **state)
{
    (void)state;
    static const double p[] = {0.04, NAN, 0.01, 0.5, 0.013}, expected[] = {0.08, NAN, 0.04, 0.5, 0.04};
    double adjusted[COUNT(p)];
    holm_adjust(p, COUNT(p), adjusted);
    for (size_t i = 0; i < COUNT(p); i++)
        if (isnan(expected[i]))
            assert_true(isnan(adjusted[i]));
        else
            assert_near(adjusted[i], expected[i], 1e-15);
    holm_adjust((const double[]){0.9, 0.8}, 2, adjusted); /* 2 * 0.8 is cut at 1, and stays there */
    assert_near(adjusted[0], 1, 0);
    assert_near(adjusted[1], 1, 0);
    holm_adjust(NULL, 0, NULL);
}

/* Share of tables of `rows` equal pairs, 5 processes each, margin 0, in which any
 * row is called different: by its own interval, and by Holm over the table. */
static void false_tables(size_t rows, int tables, double *alone, double *holm)
{
    enum { ROWS_MAX = 16 };
    uint64_t random = 3;
    int any_alone = 0, any_holm = 0;
    for (int table = 0; table < tables; table++) {
        double p[ROWS_MAX], adjusted[ROWS_MAX], least = 1, least_adjusted = 1;
        for (size_t row = 0; row < rows; row++) {
            double base[5], cand[5];
            for (size_t i = 0; i < 5; i++) {
                const double shared = 0.02 * noise(&random);
                base[i] = 100 * exp(shared + 0.01 * noise(&random));
                cand[i] = 100 * exp(shared + 0.01 * noise(&random));
            }
            struct ratio_evidence r;
            assert_int_equal(ratio_evidence_init(&r, base, 5, cand, 5, 1), 0);
            p[row] = ratio_evidence_p(&r, 1, 1);
            ratio_evidence_release(&r);
        }
        holm_adjust(p, rows, adjusted);
        for (size_t row = 0; row < rows; row++) {
            least = fmin(least, p[row]);
            least_adjusted = fmin(least_adjusted, adjusted[row]);
        }
        any_alone += least < 0.05;
        any_holm += least_adjusted < 0.05;
    }
    *alone = (double)any_alone / tables;
    *holm = (double)any_holm / tables;
}

/* With 120 tables the standard error of a true 5% is 2 points. Ten intervals of
 * 96% each would miss in 1 - 0.96^10 = 34% of all tables. */
static void holm_holds_for_the_whole_table(void **state)
{
    (void)state;
    double alone, holm;
    false_tables(10, 120, &alone, &holm);
    if (holm > 0.09 || alone < 0.15)
        fail_msg("%.1f%% of tables alone, %.1f%% with Holm", 100 * alone, 100 * holm);
}

/* The tables of docs/statistics.md: test_statistics TRIALS. */
static void print_coverage(int trials)
{
    static const size_t processes[] = {3, 4, 5, 6, 10};
    for (size_t i = 0; i < COUNT(processes); i++)
        printf("| %zu | %.1f%% | %.1f%% |\n", processes[i], 100 * coverage(processes[i], 1, trials),
               100 * coverage(processes[i], 0, trials));
    static const size_t rows[] = {1, 2, 5, 10};
    for (size_t i = 0; i < COUNT(rows); i++) {
        double alone, holm;
        false_tables(rows[i], trials / 4, &alone, &holm);
        printf("| %zu | %.1f%% | %.1f%% |\n", rows[i], 100 * alone, 100 * holm);
    }
}

/* With no hit the upper limit p solves (1 - p)^n = 0.025; with one hit of one the
 * lower one is 0.025. 5 of 10 and 95 of 100: solved from the sums of binomial terms. */
static void rates_have_exact_intervals(void **state)
{
    (void)state;
    static const struct {
        size_t hits, count;
        double low, high;
    } cases[] = {
        {0, 10, 0, 0.308497},   /* 1 - 0.025^(1/10) */
        {10, 10, 0.691503, 1},  /* its mirror */
        {0, 40, 0, 0.088097},   /* 1 - 0.025^(1/40) */
        {1, 1, 0.025, 1},
        {5, 10, 0.187086, 0.812914},
        {95, 100, 0.887165, 0.983568},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct rate_interval rate = binomial_interval(cases[i].hits, cases[i].count, 0.95);
        assert_near(rate.rate, (double)cases[i].hits / (double)cases[i].count, 1e-15);
        assert_near(rate.low, cases[i].low, 1e-6);
        assert_near(rate.high, cases[i].high, 1e-6);
    }
    const struct rate_interval nothing[] = {binomial_interval(0, 0, 0.95), binomial_interval(2, 1, 0.95),
                                            binomial_interval(1, 2, 1)};
    for (size_t i = 0; i < COUNT(nothing); i++)
        assert_true(isnan(nothing[i].rate) && nothing[i].low == 0 && nothing[i].high == 1);
}

/* Of n coins at most k - 1 fall one way with at most 2.5%: 1/64 for n = 6, k = 1;
 * 11/1024 for n = 10, k = 2 (k = 3: 56/1024); 1/32 for n = 5 is too much. */
static void medians_have_intervals_of_order_statistics(void **state)
{
    (void)state;
    static const struct {
        size_t count;
        double median, low, high;
    } cases[] = {{6, 3.5, 1, 6}, {10, 5.5, 2, 9}, {5, 3, -INFINITY, INFINITY}, {1, 1, -INFINITY, INFINITY}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        double values[10];
        for (size_t v = 0; v < cases[i].count; v++)
            values[v] = (double)(cases[i].count - v); /* descending */
        const struct median_interval m = median_interval(values, cases[i].count, 0.95);
        assert_near(m.median, cases[i].median, 0);
        assert_true(m.low == cases[i].low && m.high == cases[i].high);
    }
    assert_true(isnan(median_interval(NULL, 0, 0.95).median));
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        print_coverage(atoi(argv[1]));
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_have_exact_intervals), cmocka_unit_test(medians_have_intervals_of_order_statistics),
        cmocka_unit_test(quantiles_interpolate),   cmocka_unit_test(moments),
        cmocka_unit_test(the_midmean_is_the_middle_half),
        cmocka_unit_test(sorting_at_every_size),   cmocka_unit_test(quantiles_of_the_normal),
        cmocka_unit_test(quantiles_of_student),    cmocka_unit_test(interval_of_pairs_by_hand),
        cmocka_unit_test(degenerate_samples),      cmocka_unit_test(same_input_same_interval),
        cmocka_unit_test(few_pairs_get_the_t_interval), cmocka_unit_test(intervals_cover),
        cmocka_unit_test(p_values_belong_to_the_interval), cmocka_unit_test(p_value_by_hand),
        cmocka_unit_test(holm_by_hand), cmocka_unit_test(holm_holds_for_the_whole_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
