/* Which stretches without work have a part in a pause of recording? */

#include "core/trace/resumptions.h"
#include "tests/test.h"

/* Rank 0 paused from 100 to 200 and from 500 to 600; rank 1 begins at 1000. */
TEST(pauses)
{
    struct resumptions r = {0};
    assert_int_equal(resumptions_add(&r, 1, 1000, 1000), 0);
    assert_int_equal(resumptions_add(&r, 0, 500, 600), 0);
    assert_int_equal(resumptions_add(&r, 0, 100, 200), 0);
    resumptions_sort(&r);
    assert_false(resumptions_within(&r, 0, 10, 99));
    assert_false(resumptions_within(&r, 0, 201, 499));
    assert_false(resumptions_within(&r, 0, 601, 2000));
    assert_false(resumptions_within(&r, 1, 10, 999));
    assert_false(resumptions_within(&r, 2, 10, 2000));
    assert_true(resumptions_within(&r, 0, 90, 210));
    assert_true(resumptions_within(&r, 0, 150, 210)); /* the GPU worked on what was recorded before */
    assert_true(resumptions_within(&r, 0, 90, 190));  /* it began again before the host said so */
    assert_true(resumptions_within(&r, 0, 150, 160));
    assert_true(resumptions_within(&r, 0, 10, 2000));
    assert_true(resumptions_within(&r, 1, 1000, 1000));
    resumptions_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pauses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
