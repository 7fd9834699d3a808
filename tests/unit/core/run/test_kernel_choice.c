/* Which launches does --kernels choose? */
#include <string.h>

#include "core/run/kernel_choice.h"
#include "tests/test.h"

static const struct cpprof_event launch = {
    .grid = {64, 32, 1}, .block = {256, 1, 1}, .shared_static_bytes = 1024, .shared_dynamic_bytes = 3072};

TEST(sizes_are_asked_for_behind_the_last_at)
{
    static const struct {
        const char *text;
        size_t pattern; /* bytes of it */
        bool takes;
    } cases[] = {
        {"sgemm", 5, true},
        {"sgemm@grid=64x32", 5, true},
        {"sgemm@grid=64x32x1,block=256,shared=4096", 5, true},
        {"sgemm@block=256x1x1", 5, true},
        {"sgemm@grid=64", 5, false}, /* 64x1x1 */
        {"sgemm@grid=64x32,block=128", 5, false},
        {"sgemm@shared=1024", 5, false}, /* static and dynamic */
        {"a@b", 3, true},                /* no filter: part of the expression */
        {"a@b@grid=64x32", 3, true},
        {"grid=4", 6, true},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct kernel_choice choice;
        assert_int_equal(kernel_choice_pattern_length(cases[i].text), cases[i].pattern);
        assert_int_equal(kernel_choice_compile(&choice, cases[i].text, NULL), 0);
        if (kernel_choice_takes_size(&choice, &launch) != cases[i].takes)
            fail_msg("%s", cases[i].text);
        kernel_choice_free(&choice);
    }
}

TEST(names_are_demangled)
{
    struct kernel_choice choice;
    assert_int_equal(kernel_choice_compile(&choice, "^tile\\(float@grid=1", NULL), 0);
    assert_true(kernel_choice_takes_name(&choice, "_Z4tilefi"));
    assert_false(kernel_choice_takes_name(&choice, "_Z4tilei"));
    kernel_choice_free(&choice);
}

TEST(what_is_no_filter_is_refused)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"x@grid=", "'grid=' is no filter"},
        {"x@grid=4x4x4x4", "'grid=4x4x4x4' is no filter"},
        {"x@grid=4,grid=5", "no filter"},
        {"x@grid=4,", "no filter"},
        {"x@block=a", "'block=a' is no filter"},
        {"x@shared=4x4", "no filter"},
        {"@grid=4", "an empty one would match every kernel"},
        {"", "an empty one would match every kernel"},
        {"(@grid=4", "is no extended regular expression"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct kernel_choice choice;
        struct err e = {0};
        assert_int_equal(kernel_choice_compile(&choice, cases[i].text, &e), ERR_USAGE);
        if (!strstr(e.text, cases[i].says))
            fail_msg("%s: %s", cases[i].text, e.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_asked_for_behind_the_last_at),
        cmocka_unit_test(names_are_demangled),
        cmocka_unit_test(what_is_no_filter_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
