/* Do signed ranks miss the middle exactly as often as they say? */
#include <math.h>

#include "core/base/splitmix.h"
#include "core/stats/signed_ranks.h"
#include "tests/test.h"

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g is not within %g of %.12g", value, tolerance, expected);
}

static double uniform(uint64_t *state)
{
    return (double)(splitmix_next(state) >> 11) / 9007199254740992.0;
}

/* Of 64 ways to choose among the ranks 1 to 6, sums up to 0, 1, 2, ... have 1, 2, 3, 5, 7, 10, 14, 18, 22, 27 and 32.
 */
TEST(chances_by_hand)
{
    static const double values[6] = {3, 1, 4, 1.5, 9, 2.6}, ways[] = {1, 2, 3, 5, 7, 10, 14, 18, 22, 27, 32};
    struct signed_ranks s;
    assert_int_equal(signed_ranks_init(&s, values, 6), 0);
    assert_int_equal(s.count, 21);
    for (size_t i = 0; i < COUNT_OF(ways); i++)
        assert_near(s.missing[i], ways[i] / 32, 1e-15);
    signed_ranks_release(&s);
}

/* Middle 0: of values that scatter alike to both sides each set of signs is as likely as any other. Over all of them
 * the lower end is above 0 in just so many cases, for values of any size, wild ones among them. */
TEST(all_signs_are_as_likely)
{
    uint64_t random = 11;
    for (size_t n = 1; n <= 10; n++) {
        double sizes[10], values[10];
        unsigned above[55] = {0};
        for (size_t i = 0; i < n; i++)
            sizes[i] = exp(10 * uniform(&random));
        for (unsigned signs = 0; signs < 1u << n; signs++) {
            struct signed_ranks s;
            for (size_t i = 0; i < n; i++)
                values[i] = signs >> i & 1 ? sizes[i] : -sizes[i];
            assert_int_equal(signed_ranks_init(&s, values, n), 0);
            for (size_t k = 0; k < s.count; k++)
                above[k] += s.walsh[k] > 0;
            if (signs + 1 == 1u << n)
                for (size_t k = 0; k < s.count; k++)
                    assert_near(2.0 * above[k] / (1u << n), s.missing[k], 1e-14);
            signed_ranks_release(&s);
        }
    }
}

/* 0 1 2 4: means 0 0.5 1 1 1.5 2 2 2.5 3 4, the middle 1.75; sums up to 0 .. 4 in 1, 2, 3, 5, 7 of 16 ways. */
TEST(four_values_by_hand)
{
    static const double values[] = {4, 0, 2, 1};
    static const struct {
        double alpha, low, high;
    } expected[] = {
        {2.0 / 16, 0, 4},    {3.0 / 16, 0.25, 3.5}, {4.0 / 16, 0.5, 3}, {5.0 / 16, 0.75, 2.75},
        {8.0 / 16, 1, 2.25}, {14.0 / 16, 1.5, 2},   {1, 1.75, 1.75},    {0.01, 0, 4},
    };
    struct signed_ranks s;
    assert_int_equal(signed_ranks_init(&s, values, 4), 0);
    assert_near(signed_ranks_middle(&s), 1.75, 1e-15);
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        const struct middle_interval r = signed_ranks_interval(&s, expected[i].alpha);
        assert_near(r.low, expected[i].low, 1e-14);
        assert_near(r.high, expected[i].high, 1e-14);
    }
    assert_near(signed_ranks_reach_down(&s, 0.25), 3.0 / 16, 1e-14);
    assert_near(signed_ranks_reach_up(&s, 3.5), 3.0 / 16, 1e-14);
    assert_near(signed_ranks_reach_down(&s, -1), 2.0 / 16, 1e-14);
    assert_near(signed_ranks_reach_up(&s, 5), 2.0 / 16, 1e-14);
    assert_near(signed_ranks_reach_down(&s, 1.8), 1, 1e-14);
    assert_near(signed_ranks_reach_down(&s, 9), 1, 1e-14);
    signed_ranks_release(&s);
}

/* reach_down is the inverse of the lower end, reach_up of the upper one; and a hundred values have chances, too. */
TEST(reach_is_the_inverse)
{
    static const size_t counts[] = {1, 2, 3, 6, 7, 20, 61, SIGNED_RANKS_MAX};
    uint64_t random = 5;
    for (size_t c = 0; c < COUNT_OF(counts); c++) {
        double values[SIGNED_RANKS_MAX];
        struct signed_ranks s;
        for (size_t i = 0; i < counts[c]; i++)
            values[i] = uniform(&random);
        assert_int_equal(signed_ranks_init(&s, values, counts[c]), 0);
        assert_near(log2(s.missing[0]), 1 - (double)counts[c], 1e-9);
        for (int i = 0; i < 50 && counts[c] > 1; i++) {
            const double alpha = s.missing[0] + (1 - s.missing[0]) * uniform(&random);
            const struct middle_interval r = signed_ranks_interval(&s, alpha);
            assert_true(r.low <= signed_ranks_middle(&s) && signed_ranks_middle(&s) <= r.high);
            assert_near(signed_ranks_reach_down(&s, r.low), alpha, 1e-9);
            assert_near(signed_ranks_reach_up(&s, r.high), alpha, 1e-9);
        }
        signed_ranks_release(&s);
    }
}

/* Equal values: the middle is certain, and nothing reaches past it. */
TEST(equal_values)
{
    static const double values[] = {2, 2, 2, 2, 2, 2};
    struct signed_ranks s;
    assert_int_equal(signed_ranks_init(&s, values, 6), 0);
    const struct middle_interval r = signed_ranks_interval(&s, 0.05);
    assert_true(r.low == 2 && r.high == 2);
    assert_true(signed_ranks_reach_down(&s, 2) == 1 && signed_ranks_reach_up(&s, 2) == 1);
    assert_near(signed_ranks_reach_down(&s, 1.999), 2.0 / 64, 1e-15);
    signed_ranks_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chances_by_hand),     cmocka_unit_test(all_signs_are_as_likely),
        cmocka_unit_test(four_values_by_hand), cmocka_unit_test(reach_is_the_inverse),
        cmocka_unit_test(equal_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
