/* Are moments, quantiles, rates and adjusted p-values right? */
#include <math.h>

#include "core/stats/statistics.h"
#include "tests/test.h"

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g is not within %g of %.12g", value, tolerance, expected);
}

/* Type 7: position = q (n - 1) between the order statistics. */
TEST(quantiles_interpolate)
{
    static const double four[] = {10, 20, 30, 40};
    static const struct {
        double q, expected;
    } cases[] = {
        {0, 10},       {1, 40},  {0.5, 25}, /* position 1.5 */
        {0.9, 37},                          /* position 2.7: 30 + 0.7 * 10 */
        {1.0 / 3, 20}, {-1, 10}, {2, 40},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_near(quantile_sorted(four, COUNT_OF(four), cases[i].q), cases[i].expected, 1e-12);
    assert_true(isnan(quantile_sorted(four, 0, 0.5)));
    assert_near(quantile_sorted(four, 1, 0.99), 10, 0);
}

TEST(moments)
{
    double values[] = {9, 2, 4, 4, 5, 5, 7, 4}; /* sum 40; squared deviations 16+9+1+1+0+0+4+1 = 32 */
    assert_near(mean(values, COUNT_OF(values)), 5, 1e-15);
    assert_near(standard_deviation(values, COUNT_OF(values)), sqrt(32.0 / 7), 1e-15);
    assert_near(median(values, COUNT_OF(values)), 4.5, 1e-15);
    assert_near(values[0], 2, 0); /* sorted in place */
    assert_true(isnan(standard_deviation(values, 1)));
    assert_true(isnan(mean(values, 0)));
}

TEST(sorting_at_every_size)
{
    double values[64];
    for (size_t count = 0; count <= COUNT_OF(values); count++) {
        for (size_t i = 0; i < count; i++)
            values[i] = (double)((i * 37) % 64); /* 37 is odd: all distinct */
        sort_doubles(values, count);
        for (size_t i = 1; i < count; i++)
            assert_true(values[i - 1] < values[i]);
    }
}

/* A quarter is left out at each end, rounded down. */
TEST(the_midmean_is_the_middle_half)
{
    double eight[] = {900, 3, 1, 4, 2, 6, 5, -900}; /* 1 2 3 4 5 6 less one more at each end: (2 + 3 + 4 + 5) / 4 */
    double three[] = {1, 2, 6};                     /* none to leave out: 9 / 3 */
    assert_true(midmean(eight, 8) == 3.5);
    assert_true(midmean(three, 3) == 3);
    assert_true(midmean(three, 1) == 1);
    assert_true(isnan(midmean(three, 0)));
}

/* Abramowitz and Stegun, table 26.1; 0.975 and 0.995 to twelve digits. */
TEST(shares_of_the_normal)
{
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
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_near(normal_cdf(cases[i].z), cases[i].p, 1e-12);
}

/* df = 1: tan(pi (p - 1/2)); df = 2: (2p - 1) sqrt(2 / (1 - (2p - 1)^2)): exact.
 * The others: any table of Student's t (three decimals). */
TEST(quantiles_of_student)
{
    const double u = 2 * 0.975 - 1;
    const struct {
        double p, df, t, tolerance;
    } cases[] = {
        {0.975, 1, tan(acos(-1.0) * 0.475), 1e-9},
        {0.95, 1, tan(acos(-1.0) * 0.45), 1e-9},
        {0.975, 2, u * sqrt(2 / (1 - u * u)), 1e-11},
        {0.975, 3, 3.182, 0.0005},
        {0.95, 3, 2.353, 0.0005},
        {0.975, 4, 2.776, 0.0005},
        {0.95, 4, 2.132, 0.0005},
        {0.975, 9, 2.262, 0.0005},
        {0.975, 30, 2.042, 0.0005},
        {0.025, 4, -2.776, 0.0005},
        {0.5, 4, 0, 1e-15},
        {0.9995, 5, 6.869, 0.0005},
        {0.975, 1e7, 1.959963984540, 1e-6}, /* close to the normal */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_near(student_t_quantile(cases[i].p, cases[i].df), cases[i].t, cases[i].tolerance);
    assert_true(isnan(student_t_quantile(0.9, 0)) && isnan(student_t_quantile(2, 4)));
}

/* df = 4: 1/2 - u (3 - u u) / 4 with u = t / sqrt(4 + t t), exactly; df = 2: 1/2 - t / (2 sqrt(2 + t t)). */
TEST(tails_of_student)
{
    static const double at[] = {0, 0.5, 1, 2.776, 14.9};
    for (size_t i = 0; i < COUNT_OF(at); i++) {
        const double t = at[i], u = t / sqrt(4 + t * t);
        assert_near(student_t_tail(t, 4), 0.5 - u * (3 - u * u) / 4, 1e-12);
        assert_near(student_t_tail(t, 2), 0.5 - t / (2 * sqrt(2 + t * t)), 1e-12);
    }
}

/* Four tests: 4 * 0.01 = 0.04; 3 * 0.013 = 0.039, not below the one before: 0.04; 2 * 0.04 = 0.08; 1 * 0.5. */
TEST(holm_by_hand)
{
    static const double p[] = {0.04, NAN, 0.01, 0.5, 0.013}, expected[] = {0.08, NAN, 0.04, 0.5, 0.04};
    double adjusted[COUNT_OF(p)];
    holm_adjust(p, COUNT_OF(p), adjusted);
    for (size_t i = 0; i < COUNT_OF(p); i++)
        if (isnan(expected[i]))
            assert_true(isnan(adjusted[i]));
        else
            assert_near(adjusted[i], expected[i], 1e-15);
    holm_adjust((const double[]){0.9, 0.8}, 2, adjusted); /* 2 * 0.8 is cut at 1, and stays there */
    assert_near(adjusted[0], 1, 0);
    assert_near(adjusted[1], 1, 0);
    holm_adjust(NULL, 0, NULL);
}

/* With no hit the upper limit p solves (1 - p)^n = 0.025; with one hit of one the
 * lower one is 0.025. 5 of 10 and 95 of 100: solved from the sums of binomial terms. */
TEST(rates_have_exact_intervals)
{
    static const struct {
        size_t hits, count;
        double low, high;
    } cases[] = {
        {0, 10, 0, 0.308497},  /* 1 - 0.025^(1/10) */
        {10, 10, 0.691503, 1}, /* its mirror */
        {0, 40, 0, 0.088097},  /* 1 - 0.025^(1/40) */
        {1, 1, 0.025, 1},      {5, 10, 0.187086, 0.812914}, {95, 100, 0.887165, 0.983568},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct rate_interval rate = binomial_interval(cases[i].hits, cases[i].count, 0.95);
        assert_near(rate.rate, (double)cases[i].hits / (double)cases[i].count, 1e-15);
        assert_near(rate.low, cases[i].low, 1e-6);
        assert_near(rate.high, cases[i].high, 1e-6);
    }
    const struct rate_interval nothing[] = {binomial_interval(0, 0, 0.95), binomial_interval(2, 1, 0.95),
                                            binomial_interval(1, 2, 1)};
    for (size_t i = 0; i < COUNT_OF(nothing); i++)
        assert_true(isnan(nothing[i].rate) && nothing[i].low == 0 && nothing[i].high == 1);
}

/* Of n coins at most k - 1 fall one way with at most 2.5%: 1/64 for n = 6, k = 1;
 * 11/1024 for n = 10, k = 2 (k = 3: 56/1024); 1/32 for n = 5 is too much. */
TEST(medians_have_intervals_of_order_statistics)
{
    static const struct {
        size_t count;
        double median, low, high;
    } cases[] = {{6, 3.5, 1, 6}, {10, 5.5, 2, 9}, {5, 3, -INFINITY, INFINITY}, {1, 1, -INFINITY, INFINITY}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double values[10];
        for (size_t v = 0; v < cases[i].count; v++)
            values[v] = (double)(cases[i].count - v); /* descending */
        const struct median_interval m = median_interval(values, cases[i].count, 0.95);
        assert_near(m.median, cases[i].median, 0);
        assert_true(m.low == cases[i].low && m.high == cases[i].high);
    }
    assert_true(isnan(median_interval(NULL, 0, 0.95).median));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_have_exact_intervals),
        cmocka_unit_test(medians_have_intervals_of_order_statistics),
        cmocka_unit_test(quantiles_interpolate),
        cmocka_unit_test(moments),
        cmocka_unit_test(the_midmean_is_the_middle_half),
        cmocka_unit_test(sorting_at_every_size),
        cmocka_unit_test(shares_of_the_normal),
        cmocka_unit_test(quantiles_of_student),
        cmocka_unit_test(tails_of_student),
        cmocka_unit_test(holm_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
