/* Is a ratio of two sums as precise as its units agree? */
#include <math.h>

#include "core/stats/ratio_of_sums.h"
#include "tests/test.h"

#define NEAR(a, b, by) assert_true(fabs((a) - (b)) < (by))

/* 30 of 60. Residuals from half: 0, 1, -1. The standard error is sqrt(3 / 2 * 2) / 60, the t of 2 degrees of freedom is
 * 4.3027: 4.3027 * 1.7321 / 60 = 0.12421. */
TEST(units_that_differ_widen_it)
{
    const double above[] = {10, 11, 9}, below[] = {20, 20, 20};
    const struct ratio_of_sums r = ratio_of_sums(above, below, 3);
    NEAR(r.value, 0.5, 1e-12);
    NEAR(r.half_width, 0.12421, 1e-5);
}

TEST(units_that_agree_leave_no_doubt)
{
    const double above[] = {10, 20}, below[] = {20, 40};
    const struct ratio_of_sums r = ratio_of_sums(above, below, 2);
    NEAR(r.value, 0.5, 1e-12);
    NEAR(r.half_width, 0, 1e-12);
}

TEST(one_unit_says_nothing_of_others)
{
    const double above[] = {10}, below[] = {20}, nothing[] = {0};
    NEAR(ratio_of_sums(above, below, 1).value, 0.5, 1e-12);
    assert_true(isinf(ratio_of_sums(above, below, 1).half_width));
    assert_true(isnan(ratio_of_sums(above, nothing, 1).value));
    assert_true(isnan(ratio_of_sums(above, below, 0).value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_that_differ_widen_it),
        cmocka_unit_test(units_that_agree_leave_no_doubt),
        cmocka_unit_test(one_unit_says_nothing_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
