/* Is the next commit the one that halves what is left? */
#include <string.h>

#include "core/stats/bisection.h"
#include "tests/test.h"

enum { POSITIONS_MAX = 64 };

/* "+.-" is not slower, open, slower; "x" is skipped. */
static size_t read_marks(const char *text, enum bisection_mark *marks)
{
    for (size_t i = 0; text[i]; i++)
        marks[i] = text[i] == '+'   ? BISECTION_NOT_SLOWER
                   : text[i] == '-' ? BISECTION_SLOWER
                   : text[i] == 'x' ? BISECTION_SKIPPED
                                    : BISECTION_OPEN;
    return strlen(text);
}

TEST(the_next_one)
{
    static const struct {
        const char *marks;
        size_t next, good, bad;
    } cases[] = {
        {"+-", 2, 0, 1},       {"+.-", 1, 0, 2},     {"+..-", 1, 0, 3}, /* 0 + 3 / 2 */
        {"+....-", 2, 0, 5},   {"+.+..-", 3, 2, 5},                     /* 2 + 3 / 2 */
        {"+.x..-", 1, 0, 5},                                            /* 1 and 3 are as near: the earlier one */
        {"+xx..-", 3, 0, 5},   {"+xxxx-", 6, 0, 5},                     /* nothing is open */
        {"+..-.-", 1, 0, 3},   {"+xx-..-", 7, 0, 3}, /* behind the first slower one nothing matters */
        {"+..-.+.-", 1, 0, 3},                       /* nor does one that is not slower there */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        enum bisection_mark marks[POSITIONS_MAX];
        const size_t count = read_marks(cases[i].marks, marks);
        const struct bisection_range range = bisection_range(marks, count);
        assert_int_equal(bisection_next(marks, count), cases[i].next);
        assert_int_equal(range.good, cases[i].good);
        assert_int_equal(range.bad, cases[i].bad);
    }
}

/* 64 commits, 63 of which may be the first slow one: at most 6 are measured, wherever it is. */
TEST(six_steps_of_64)
{
    for (size_t first = 1; first < POSITIONS_MAX; first++) {
        enum bisection_mark marks[POSITIONS_MAX] = {BISECTION_NOT_SLOWER};
        marks[POSITIONS_MAX - 1] = BISECTION_SLOWER;
        size_t steps = 0;
        for (size_t at; (at = bisection_next(marks, POSITIONS_MAX)) < POSITIONS_MAX; steps++)
            marks[at] = at < first ? BISECTION_NOT_SLOWER : BISECTION_SLOWER;
        assert_true(steps <= 6);
        assert_int_equal(bisection_range(marks, POSITIONS_MAX).bad, first);
        assert_int_equal(bisection_range(marks, POSITIONS_MAX).good, first - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_next_one), cmocka_unit_test(six_steps_of_64)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
