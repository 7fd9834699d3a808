/* Is one event an event, and do names that are cut still differ? */
#include <string.h>

#include "reports/trace_words.h"
#include "tests/test.h"

TEST(one_is_not_many)
{
    char text[UNITS_TEXT_BYTES];
    assert_string_equal(words_count(text, 0, "launch", "launches"), "0 launches");
    assert_string_equal(words_count(text, 1, "launch", "launches"), "1 launch");
    assert_string_equal(words_count(text, 1234, "launch", "launches"), "1,234 launches");
}

/* Of two builds of one library: only tiles and loads in the middle differ. */
#define TILES(tile, loads)                                                                                             \
    "Cijk_Alik_Bljk_B_BS_BH_Bias_HA_S_SAV_UserArgs_MT" tile "_MI16x16x1_SN_LDSB0_AFC1" loads "_WS64_WG16_4_4"

TEST(names_that_differ_look_different)
{
    static const struct {
        const char *name, *shown;
    } rows[] = {
        {"short", "short"},
        {TILES("16x16x128", "_LPA16"), "Cijk_Alik_Bljk_B_BS_BH_Bia\xe2\x80\xa6WS64_WG16_4_4"},
        {TILES("16x16x256", "_LPA16"), "Cijk_Alik_Bl\xe2\x80\xa6"
                                       "16x16x256_MI\xe2\x80\xa6S64_WG16_4_4"},
        {TILES("16x16x128", "_LPA32"), "Cijk_Alik_Bl\xe2\x80\xa6"
                                       "C1_LPA32_WS64_WG16_4_4"},
        {TILES("16x16x128", "_LPA16"), "Cijk_Alik_Bljk_B_BS_BH_Bia\xe2\x80\xa6WS64_WG16_4_4"}, /* again */
        {"one::of_many::spaces::a_kernel_with_a_long_name", "a_kernel_with_a_long_name"},
        {"another::of_many::spaces::a_kernel_with_a_long_name", "another::of_many::spaces\xe2\x80\xa6_a_long_name"},
    };
    struct document d;
    document_init(&d);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *shown = words_fitted(&d, rows[i].name, 40);
        if (strcmp(shown, rows[i].shown))
            print_message("%s\n", shown);
        assert_string_equal(shown, rows[i].shown);
    }
    document_release(&d);
}

TEST(the_last_column_goes_without_namespaces)
{
    struct document d;
    document_init(&d);
    assert_string_equal(words_fitted_last(&d, "ns::kernel", 40), "ns::kernel");
    assert_string_equal(words_fitted_last(&d, "at::native::indexFuncLargeIndex", 40), "indexFuncLargeIndex");
    assert_string_equal(words_fitted_last(&d, "of::another::indexFuncLargeIndex", 40),
                        "of::another::indexFuncLargeIndex");
    assert_string_equal(words_fitted(&d, "at::native::indexFuncLargeIndex", 40), "at::native::indexFuncLargeIndex");
    assert_string_equal(words_fitted_last(&d, "another_kernel", 40), "another_kernel");
    assert_string_equal(words_fitted_last(&d, "of::a_library::another_kernel", 40), "of::a_library::another_kernel");
    document_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_is_not_many),
                                       cmocka_unit_test(names_that_differ_look_different),
                                       cmocka_unit_test(the_last_column_goes_without_namespaces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
