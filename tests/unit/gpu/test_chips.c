/* Is each chip known once, and what chips of a kind share said alike? */
#define _POSIX_C_SOURCE 200809L
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/chips.h"

static void each_row_is_one_chip(void **state)
{
    (void)state;
    size_t count;
    const struct chip *chips = chips_known(&count);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(chip_by_name(chips[i].name), &chips[i]);
        assert_string_equal(chip_by_capability(chips[i].capability)->capability, chips[i].capability);
        assert_true(chips[i].warps_per_sm > 0);
        for (int set = 0; set < METRIC_SET_NONE; set++)
            assert_int_equal(chips[i].passes[set] > 0, chip_has_counters(&chips[i]));
    }
    assert_ptr_equal(chip_by_name("gh100"), chip_by_capability("9.0"));
    assert_false(chip_has_counters(chip_by_name("GV11B"))); /* which CUPTI lists, and refuses */
    assert_null(chip_by_name(""));
    assert_null(chip_by_name("GH10"));
    assert_null(chip_by_capability(""));
    assert_null(chip_by_capability("9.0 "));
}

/* The pattern of a compute capability is that of its chips and of no others. */
static void patterns_are_those_of_a_capability(void **state)
{
    (void)state;
    size_t count;
    const struct chip *chips = chips_known(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            const bool same = !strcmp(chips[i].capability, chips[k].capability);
            if (same != !fnmatch(chips[i].alike, chips[k].name, 0))
                fail_msg("'%s' of %s %s %s", chips[i].alike, chips[i].name, same ? "leaves out" : "takes",
                         chips[k].name);
        }
}

/* From 9.0 on, also of chips that no row tells of. */
static void tma_came_and_stays(void **state)
{
    (void)state;
    static const struct {
        const char *capability;
        bool has;
    } cases[] = {{"7.5", false}, {"8.0", false}, {"8.9", false}, {"9.0", true}, {"10.0", true}, {"10.3", true},
                 {"12.0", true}, {"12.1", true}, {"", false},    {"-1", false}, {"none", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (chip_has_tma(cases[i].capability) != cases[i].has)
            fail_msg("TMA of '%s'", cases[i].capability);
}

static void a_missing_id_is_a_whole_word(void **state)
{
    (void)state;
    const struct chip *turing = chip_by_name("TU102");
    assert_true(chip_lacks(turing, "ldgsts"));
    assert_true(chip_lacks(turing, "stall_gmma"));
    assert_false(chip_lacks(turing, "stall_gmm"));
    assert_false(chip_lacks(turing, "fp16_ops"));
    assert_false(chip_lacks(chip_by_name("GH100"), "stall_gmma"));
    assert_true(chip_lacks(chip_by_name("GH100"), "tcgen05"));
    assert_false(chip_lacks(chip_by_name("GB100"), "tcgen05"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_is_one_chip),
        cmocka_unit_test(patterns_are_those_of_a_capability),
        cmocka_unit_test(tma_came_and_stays),
        cmocka_unit_test(a_missing_id_is_a_whole_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
