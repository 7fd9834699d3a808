/* Which kernels are wanted, also when there are more names than can be remembered? */
#include <stdio.h>
#include <string.h>

#include "collector/activity/kernel_filter.h"
#include "tests/test.h"

TEST(no_pattern_wants_all)
{
    struct kernel_filter f;
    assert_int_equal(kernel_filter_init(&f, NULL, NULL), 0);
    assert_true(kernel_filter_wants(&f, "anything"));
    assert_int_equal(f.names.size_bytes, 0);
    kernel_filter_release(&f);
}

TEST(names_are_judged_demangled)
{
    static const struct {
        const char *symbol;
        bool wanted;
    } rows[] = {{"_Z4tilePf", true}, {"_Z5otherPf", false}, {"tile(float)", true}, {"_Z4tilePf", true}, {NULL, false}};
    struct kernel_filter f;
    assert_int_equal(kernel_filter_init(&f, "^tile\\(", NULL), 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(kernel_filter_wants(&f, rows[i].symbol), rows[i].wanted);
    kernel_filter_release(&f);
}

/* 4 MiB hold 4096 names of 944 characters and what each costs beside them, 80: the last two thousand are judged anew.
 */
TEST(memory_has_an_end)
{
    enum { LENGTH = 944, NAMES = 6000, KEPT = KERNEL_FILTER_NAME_BYTES_MAX / (LENGTH + 80) };
    struct kernel_filter f;
    char name[LENGTH + 1];
    assert_int_equal(kernel_filter_init(&f, "^[0-9]*7x", NULL), 0);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < NAMES; i++) {
            memset(name, 'x', LENGTH);
            name[LENGTH] = '\0';
            name[snprintf(name, sizeof name, "%d", i)] = 'x';
            assert_int_equal(kernel_filter_wants(&f, name), i % 10 == 7);
        }
    assert_int_equal(strtab_count(&f.names), KEPT);
    assert_true(f.names.size_bytes <= KERNEL_FILTER_NAME_BYTES_MAX);
    assert_true(f.verdict_capacity <= 2 * KEPT);
    kernel_filter_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_pattern_wants_all),
        cmocka_unit_test(names_are_judged_demangled),
        cmocka_unit_test(memory_has_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
