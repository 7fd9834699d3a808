/* Is each chip known once, and what chips of a kind share said alike? */
#define _POSIX_C_SOURCE 200809L
#include <fnmatch.h>
#include <string.h>

#include "core/gpu/chip_words.h"
#include "tests/test.h"

TEST(each_row_is_one_chip)
{
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
TEST(patterns_are_those_of_a_capability)
{
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
TEST(tma_came_and_stays)
{
    static const struct {
        const char *capability;
        bool has;
    } cases[] = {{"7.5", false}, {"8.0", false}, {"8.9", false}, {"9.0", true}, {"10.0", true}, {"10.3", true},
                 {"12.0", true}, {"12.1", true}, {"", false},    {"-1", false}, {"none", false}};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (chip_has_tma(cases[i].capability) != cases[i].has)
            fail_msg("TMA of '%s'", cases[i].capability);
}

TEST(a_missing_id_is_a_whole_word)
{
    const struct chip *turing = chip_by_name("TU102");
    assert_true(chip_lacks(turing, "ldgsts"));
    assert_true(chip_lacks(turing, "stall_gmma"));
    assert_false(chip_lacks(turing, "stall_gmm"));
    assert_false(chip_lacks(turing, "fp16_ops"));
    assert_false(chip_lacks(chip_by_name("GH100"), "stall_gmma"));
    assert_true(chip_lacks(chip_by_name("GH100"), "tcgen05"));
    assert_false(chip_lacks(chip_by_name("GB100"), "tcgen05"));
}

/* Each card of the table leads to its chip, and to no other one. */
TEST(cards_lead_to_their_chip)
{
    size_t count;
    const struct chip *chips = chips_known(&count);
    for (size_t i = 0; i < count; i++) {
        char cards[128];
        assert_true(strlen(chips[i].cards) < sizeof cards);
        strcpy(cards, chips[i].cards);
        for (char *rest = cards, *card; (card = strtok_r(rest, ",", &rest));)
            if (chip_by_word(card + (*card == ' ')) != &chips[i])
                fail_msg("'%s' is not %s", card, chips[i].name);
        assert_ptr_equal(chip_by_word(chips[i].name), &chips[i]);
    }
}

TEST(words_mean_chips)
{
    static const struct {
        const char *word, *chip; /* NULL: none */
    } cases[] = {
        {"b200", "GB100"},
        {"H100", "GH100"},
        {"h200", "GH100"},
        {"A100", "GA100"},
        {"RTX 4090", "AD102"},
        {"rtx4090", "AD102"},
        {"rtx-4060_ti", "AD106"},
        {"RTX 4060", "AD107"},
        {"RTX 5090", "GB202"},
        {"GB10", "GB20B"},
        {"gb10b", "GB10B"},
        {"L4", "AD104"},
        {"4090", "AD102"}, /* without its series */
        {"A6000", "GA102"},
        /* As nvidia-smi and PyTorch print them. */
        {"NVIDIA A100-SXM4-80GB", "GA100"},
        {"nvidia a100-sxm4-80gb", "GA100"},
        {"A100-PCIE-40GB", "GA100"},
        {"NVIDIA A100 80GB PCIe", "GA100"},
        {"NVIDIA A100-SXM4-40GB MIG 1g.5gb", "GA100"},
        {"NVIDIA A10G", "GA102"},
        {"NVIDIA RTX A6000", "GA102"},
        {"NVIDIA H100 80GB HBM3", "GH100"},
        {"NVIDIA H100 PCIe", "GH100"},
        {"NVIDIA H100 NVL", "GH100"},
        {"NVIDIA GH200 480GB", "GH100"},
        {"NVIDIA GH200 144G HBM3e", "GH100"},
        {"Tesla V100-SXM2-16GB", "GV100"},
        {"Tesla T4", "TU104"},
        {"NVIDIA GeForce RTX 4060 Ti", "AD106"},
        {"NVIDIA GeForce RTX 3080 Ti Laptop GPU", "GA103"},
        {"NVIDIA RTX 6000 Ada Generation", "AD102"},
        {"GeForce RTX 5070 Ti", "GB203"},
        {"RTX 4070 Super", NULL},
        {"NVIDIA GeForce RTX 4090 Laptop GPU", NULL}, /* another chip than that of the RTX 4090 */
        {"Quadro RTX 6000", NULL},                    /* Turing, not Ada */
        {"RTX", NULL},
        {"NVIDIA", NULL},
        {"NVIDIA ", NULL},
        {"80GB", NULL},
        {"H100 ", NULL},
        {"H100-", NULL},
        {"H100 80GB ", NULL},
        {"H100 SXM5 of a very long form factor", NULL},
        {"H100 80GBBBBBBBBBBBBBBBB", NULL},
        {"", NULL},
        {" H100", NULL},
        {"H1000", NULL},
        {"H100,", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct chip *chip = chip_by_word(cases[i].word);
        if (chip ? !cases[i].chip || strcmp(chip->name, cases[i].chip) != 0 : cases[i].chip != NULL)
            fail_msg("'%s' is %s", cases[i].word, chip ? chip->name : "no chip");
    }
}

/* The last digit of an architecture is the minor number. */
TEST(capabilities_are_read)
{
    static const struct {
        const char *word, *capability; /* NULL: none */
    } cases[] = {
        {"8.9", "8.9"},
        {"10.0", "10.0"},
        {"sm_100", "10.0"},
        {"sm_100a", "10.0"},
        {"SM_89", "8.9"},
        {"sm120f", "12.0"},
        {"compute_103", "10.3"},
        {"6.1", "6.1"},
        {"100", NULL},
        {"8", NULL},
        {"8.", NULL},
        {".9", NULL},
        {"8.90", NULL},
        {"100.0", NULL},
        {"8.9 ", NULL},
        {"sm_9", NULL},
        {"sm_1000", NULL},
        {"sm_90ab", NULL},
        {"sm_90b", NULL},
        {"sm_", NULL},
        {"H100", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char capability[CHIP_CAPABILITY_BYTES] = "";
        const bool is_one = chip_capability_read(cases[i].word, capability);
        if (is_one != (cases[i].capability != NULL) || (is_one && strcmp(capability, cases[i].capability) != 0))
            fail_msg("'%s' is '%s'", cases[i].word, capability);
    }
    struct str all;
    str_init(&all);
    chip_words_add_capabilities(&all);
    assert_string_equal(str_text(&all), "9.0, 10.0, 10.3, 11.0, 12.0, 12.1, 8.0, 8.6, 8.7, 8.9, 7.5, 7.0, 7.2");
    str_release(&all);
}

/* Only by time are steps short enough for kernels. */
TEST(chips_differ_in_what_they_allow)
{
    static const struct {
        const char *chip, *sampled_by;
        bool runs_variants;
    } cases[] = {{"GH100", "time", true},   {"GB202", "time", true},    {"GA102", "time", true},
                 {"GA100", "cycles", true}, {"TU104", "cycles", false}, {"GV100", "nothing", false}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct chip *chip = chip_by_name(cases[i].chip);
        assert_string_equal(chip_sampled_by(chip), cases[i].sampled_by);
        assert_int_equal(chip_runs_variants(chip), cases[i].runs_variants);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_is_one_chip),     cmocka_unit_test(patterns_are_those_of_a_capability),
        cmocka_unit_test(tma_came_and_stays),       cmocka_unit_test(a_missing_id_is_a_whole_word),
        cmocka_unit_test(cards_lead_to_their_chip), cmocka_unit_test(words_mean_chips),
        cmocka_unit_test(capabilities_are_read),    cmocka_unit_test(chips_differ_in_what_they_allow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
