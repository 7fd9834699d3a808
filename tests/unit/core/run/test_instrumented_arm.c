/* Which arms are slower on purpose, and which left out a part of the work in an earlier version? */

#include "core/bundle/bundle_complete.h"
#include "core/bundle/bundle_tables.h"
#include "core/run/instrumented_arm.h"
#include "tests/test.h"

TEST(names_say_it)
{
    static const struct {
        const char *variant;
        bool is_one;
        size_t of_length;
        int64_t role, mark, asked;
    } cases[] = {
        {"f/v+delay-1.2-400", true, 3, 1, 2, 400},
        {"f/v+delay-0.7-none", true, 3, 0, 7, -1},
        {"f/v+delay-1.2-0", true, 3, 1, 2, 0},
        {"f/v+delay-3+delay-1.2-5", true, 11, 1, 2, 5}, /* the last one counts */
        {"f/v", false, 0, 0, 0, 0},
        {"f/v+record", false, 0, 0, 0, 0},
        {"f/v+delay-", false, 0, 0, 0, 0},
        {"f/v+delay-1.2", false, 0, 0, 0, 0},
        {"f/v+delay-1.2-", false, 0, 0, 0, 0},
        {"f/v+delay-1.2-400x", false, 0, 0, 0, 0},
        {"f/v+delay-1.2-nonex", false, 0, 0, 0, 0},
        {"f/v+delay-1.-400", false, 0, 0, 0, 0},
        {"f/v+delay-1.2--4", false, 0, 0, 0, 0},
        {"f/v+delay-1.2-9999999999999999999999", false, 0, 0, 0, 0},
        {"+delay-1.2-400", false, 0, 0, 0, 0}, /* of no variant */
        {"", false, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct delay_arm arm;
        const struct arm asked = {.variant = cases[i].variant, .config = "m"};
        assert_int_equal(delay_arm_read(&arm, cases[i].variant), cases[i].is_one);
        assert_int_equal(arm_is_delayed(&asked), cases[i].is_one);
        if (!cases[i].is_one)
            continue;
        assert_int_equal(arm.of_length, cases[i].of_length);
        assert_int_equal(arm.role, cases[i].role);
        assert_int_equal(arm.mark, cases[i].mark);
        assert_int_equal(arm.asked_cycles, cases[i].asked);
    }
    assert_false(arm_is_delayed(NULL));
}

TEST(names_say_which_are_partial)
{
    static const struct {
        const char *variant;
        bool is_partial, is_instrumented;
    } cases[] = {{"f/v+without-copy", true, true},
                 {"f/v+without-math", true, true},
                 {"f/v+without-both", true, true},
                 {"f/v+without-", false, false},
                 {"f/v+without-copyx", false, false},
                 {"f/v+record", false, true},
                 {"f/v", false, false},
                 {"+without-copy", false, false}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct arm arm = {.variant = cases[i].variant, .config = "m"};
        assert_int_equal(inside_is_partial(cases[i].variant), cases[i].is_partial);
        assert_int_equal(arm_is_partial(&arm), cases[i].is_partial);
        assert_int_equal(arm_is_altered(&arm), cases[i].is_partial);
        assert_int_equal(arm_is_instrumented(&arm), cases[i].is_instrumented);
    }
    assert_false(arm_is_partial(NULL) || arm_is_altered(NULL));
}

/* Their time counts: what the marks cost. */
TEST(names_say_what_tells_of_progress)
{
    static const struct {
        const char *variant;
        size_t of_length;
    } cases[] = {{"f/v+progress", 3}, {"f/v+progress2", 0}, {"+progress", 0}, {"f/v+record", 0}, {"f/v", 0}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(progress_arm_of_length(cases[i].variant), cases[i].of_length);
        assert_false(variant_is_altered(cases[i].variant));
        assert_int_equal(variant_is_instrumented(cases[i].variant), i == 0 || i == 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_say_it),
                                       cmocka_unit_test(names_say_what_tells_of_progress),
                                       cmocka_unit_test(names_say_which_are_partial)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
