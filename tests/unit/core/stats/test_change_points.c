/* Are changes of a level found where they are, and not where they are not? */
#include <math.h>

#include "core/base/splitmix.h"
#include "core/stats/change_points.h"
#include "tests/test.h"

/* Nothing is tested below 8 values. Of 8 with 3 of another level, 2 of the 56 ways to take 3 of 8 (the first three, and
 * the last three) divide as well: p is 0.036, but for the draw of the orders. */
TEST(few_values)
{
    static const double values[] = {1, 1, 1, 1, 1, 2, 2, 2};
    struct change_tests tests = {0};
    assert_int_equal(change_points_test(&tests, values, 7), 0);
    assert_int_equal(tests.list.count, 0);
    assert_int_equal(change_points_test(&tests, values, 8), 0);
    assert_int_equal(tests.list.count, 1);
    assert_int_equal(tests.list.items[0].at, 5);
    assert_true(fabs(tests.list.items[0].p_value - 2.0 / 56) < 0.01);
    change_tests_release(&tests);
}

TEST(nothing_differs)
{
    static const double values[12] = {0};
    struct change_tests tests = {0};
    assert_int_equal(change_points_test(&tests, values, COUNT_OF(values)), 0);
    assert_int_equal(tests.list.count, 1);
    assert_true(tests.list.items[0].p_value == 1);
    change_tests_release(&tests);
}

/* Never with fewer than three on a side: the single 9 at the end is no level. */
TEST(one_outlier)
{
    static const double values[] = {1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 9};
    struct change_tests tests = {0};
    assert_int_equal(change_points_test(&tests, values, COUNT_OF(values)), 0);
    for (size_t i = 0; i < tests.list.count; i++) {
        assert_true(tests.list.items[i].at >= CHANGE_SIDE_LEAST);
        assert_true(tests.list.items[i].at + CHANGE_SIDE_LEAST <= COUNT_OF(values));
        assert_true(tests.list.items[i].p_value > CHANGE_LEVEL);
    }
    change_tests_release(&tests);
}

/* Two steps: the whole is divided first, then a part, whose parent is the whole. */
TEST(two_steps)
{
    double values[30];
    uint64_t random = 1;
    for (size_t i = 0; i < COUNT_OF(values); i++)
        values[i] = (i >= 10) + 3 * (i >= 20) + 0.1 * (double)(splitmix_next(&random) >> 11) / 9007199254740992.0;
    struct change_tests tests = {0};
    assert_int_equal(change_points_test(&tests, values, COUNT_OF(values)), 0);
    assert_int_equal(tests.list.items[0].at, 20);
    assert_int_equal(tests.list.items[0].parent, -1);
    assert_int_equal(tests.list.items[1].at, 10);
    assert_int_equal(tests.list.items[1].parent, 0);
    assert_true(tests.list.items[1].p_value < 0.001);
    for (size_t i = 2; i < tests.list.count; i++)
        assert_true(tests.list.items[i].p_value > CHANGE_LEVEL / 10);
    change_tests_release(&tests);
}

/* p below 0.05 in 5% of series of noise: of 200, 10 +- 3. */
TEST(noise_alone)
{
    uint64_t random = 7;
    size_t found = 0;
    for (size_t series = 0; series < 200; series++) {
        double values[10];
        for (size_t i = 0; i < COUNT_OF(values); i++)
            values[i] = (double)(splitmix_next(&random) >> 11);
        struct change_tests tests = {0};
        assert_int_equal(change_points_test(&tests, values, COUNT_OF(values)), 0);
        found += tests.list.items[0].p_value < CHANGE_LEVEL;
        change_tests_release(&tests);
    }
    assert_in_range(found, 1, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_values), cmocka_unit_test(nothing_differs), cmocka_unit_test(one_outlier),
        cmocka_unit_test(two_steps),  cmocka_unit_test(noise_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
