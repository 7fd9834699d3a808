/* Do values gather around two places? */

#include "core/stats/two_modes.h"
#include "tests/test.h"

enum { MOST = 1000 };

/* `low` values from 100 on and `high` ones from `above` on, spread evenly over `spread`. */
struct sample {
    size_t low, high;
    double above, spread;
    bool has_two;
};

static size_t fill(double *out, const struct sample *s)
{
    for (size_t i = 0; i < s->low; i++)
        out[i] = 100 + s->spread * (double)i / (double)s->low;
    for (size_t i = 0; i < s->high; i++)
        out[s->low + i] = s->above + s->spread * (double)i / (double)s->high;
    return s->low + s->high;
}

TEST(two_places_with_nothing_between)
{
    static const struct sample samples[] = {
        {100, 100, 200, 1, true},   {900, 100, 200, 1, true}, /* a tenth */
        {905, 95, 200, 1, false},                             /* less */
        {100, 100, 120, 1, false},                            /* 1.2 apart: a clock does that */
        {100, 100, 127, 1, true},                             /* 127.05 / 100.95 = 1.259 */
        {100, 100, 200, 90, false},                           /* 100 to 190, 200 to 290: 204.5 / 185.5 */
        {200, 0, 0, 200, false},                              /* 100 to 300 evenly: the split has no gap */
        {200, 0, 0, 0, false},                                /* all alike */
        {10, 9, 200, 1, false},                               /* too few */
        {0, 0, 0, 0, false},
    };
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        double values[MOST];
        struct two_modes modes;
        const size_t count = fill(values, &samples[i]);
        if (two_modes(&modes, values, count) != samples[i].has_two)
            fail_msg("sample %zu", i);
    }
}

/* Medians of 100.0 to 100.9 and of 200.0 to 200.9; a quarter is above. */
TEST(the_modes_are_told)
{
    double values[40];
    struct two_modes modes;
    fill(values, &(struct sample){30, 10, 200, 1, true});
    assert_true(two_modes(&modes, values, 40));
    assert_float_equal(modes.low, 100.483, 1e-3); /* between 100 + 14/30 and 100 + 15/30 */
    assert_float_equal(modes.high, 200.45, 1e-9);
    assert_float_equal(modes.high_share, 0.25, 1e-9);
}

/* Zero and less have no logarithm. */
TEST(times_that_cannot_be_have_no_modes)
{
    double values[40];
    struct two_modes modes;
    fill(values, &(struct sample){20, 20, 200, 1, true});
    values[7] = 0;
    assert_false(two_modes(&modes, values, 40));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_places_with_nothing_between),
        cmocka_unit_test(the_modes_are_told),
        cmocka_unit_test(times_that_cannot_be_have_no_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
