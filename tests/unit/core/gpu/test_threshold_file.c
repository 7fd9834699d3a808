/* Which thresholds hold on which chip, and what does a file of them do? */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/files.h"
#include "core/gpu/chips.h"
#include "core/gpu/threshold_file.h"
#include "tests/test.h"

static struct threshold_overrides overrides;
static char path[64];

static int make_file(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/cpprof-thresholds-XXXXXX");
    const int fd = mkstemp(path);
    return fd < 0 || close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static int read_text(const char *text, struct err *e)
{
    assert_int_equal(files_write_atomic(path, text, strlen(text), e), 0);
    return threshold_file_read(&overrides, path, e);
}

/* `file` is NULL where there is none, `chip` where it is not known. */
static double value_on(enum threshold_id id, const struct threshold_overrides *file, const char *chip)
{
    struct thresholds t;
    thresholds_resolve(&t, file, chip ? chip_by_name(chip) : NULL);
    return threshold(&t, id);
}

static void assert_value(enum threshold_id id, const struct threshold_overrides *file, const char *chip,
                         double expected)
{
    const double value = value_on(id, file, chip);
    if (value < expected - 1e-12 || value > expected + 1e-12)
        fail_msg("%s on %s is %g, not %g", threshold_get(id)->name, chip ? chip : "an unknown chip", value, expected);
}

/* A quarter of the warps that an SM can hold: 64, 48, 32. */
TEST(chips_have_values_of_their_own)
{
    assert_value(THRESHOLD_HIDDEN_WARPS, NULL, "GH100", 16);
    assert_value(THRESHOLD_HIDDEN_WARPS, NULL, "GA100", 16);
    assert_value(THRESHOLD_HIDDEN_WARPS, NULL, "AD104", 12);
    assert_value(THRESHOLD_HIDDEN_WARPS, NULL, "GA102", 12);
    assert_value(THRESHOLD_HIDDEN_WARPS, NULL, "TU102", 8);
    assert_value(THRESHOLD_HIDDEN_WARPS, NULL, NULL, 16);
}

/* The later row that fits holds; a file's row for all chips comes after the embedded one for one. */
TEST(a_file_says_otherwise)
{
    struct err e = {0};
    const char *text = "# cpprof.thresholds/1\n"
                       "threshold,value,chips\n"
                       "hidden_warps,20,*\n"
                       "hidden_warps,10,AD10? GA102\n"
                       "latency_share,0.5,\n";
    if (read_text(text, &e))
        fail_msg("%s", e.text);
    assert_value(THRESHOLD_HIDDEN_WARPS, &overrides, "TU102", 20);
    assert_value(THRESHOLD_HIDDEN_WARPS, &overrides, "AD107", 10);
    assert_value(THRESHOLD_HIDDEN_WARPS, &overrides, "GA102", 10);
    assert_value(THRESHOLD_HIDDEN_WARPS, &overrides, NULL, 20);
    assert_value(THRESHOLD_LATENCY_SHARE, &overrides, "GH100", 0.5);
    assert_value(THRESHOLD_HIGH_SHARE, &overrides, "GH100", 0.8);
    struct thresholds t;
    thresholds_resolve(&t, &overrides, NULL);
    assert_string_equal(t.path, path);
    thresholds_resolve(&t, NULL, NULL);
    assert_null(t.path);
}

/* People know cards: each stands for its chip, and so for all cards that have it. */
TEST(a_file_names_cards)
{
    struct err e = {0};
    if (read_text("# cpprof.thresholds/1\n"
                  "threshold,value,chips\n"
                  "lead,0.2,H200 rtx4090\n"
                  "lead,0.3,RTX 4060 Ti Tesla T4 16GB  ga10[2-7]\n",
                  &e))
        fail_msg("%s", e.text);
    assert_string_equal(overrides.items[0].chips, "GH100 AD102");
    assert_string_equal(overrides.items[1].chips, "AD106 TU104 GA10[2-7]");
    assert_value(THRESHOLD_LEAD, &overrides, "GH100", 0.2);
    assert_value(THRESHOLD_LEAD, &overrides, "AD102", 0.2);
    assert_value(THRESHOLD_LEAD, &overrides, "AD106", 0.3);
    assert_value(THRESHOLD_LEAD, &overrides, "AD107", 0.1); /* the RTX 4060 */
    assert_value(THRESHOLD_LEAD, &overrides, "GA104", 0.3);
}

/* Compute capability 9.0 is that of the GH100 alone, 8.9 that of all AD10?; 13.7 is listed for no chip. */
TEST(a_capability_chooses_rows)
{
    static const struct {
        const char *chips, *capability;
        enum threshold_fit fit;
    } cases[] = {
        {"*", "", THRESHOLD_FITS},
        {"*", "13.7", THRESHOLD_FITS},
        {"GH100", "9.0", THRESHOLD_FITS},
        {"GH100", "8.9", THRESHOLD_OF_OTHERS},
        {"GH100", "13.7", THRESHOLD_OF_OTHERS},
        {"GH*", "13.7", THRESHOLD_UNCERTAIN},
        {"GH100", "", THRESHOLD_UNCERTAIN},
        {"AD102", "8.9", THRESHOLD_UNCERTAIN},
        {"AD10?", "8.9", THRESHOLD_FITS},
        {"AD102 AD103 AD104 AD106 AD107", "8.9", THRESHOLD_FITS},
        {"GA10?", "8.6", THRESHOLD_FITS},
        {"GB20?", "12.1", THRESHOLD_FITS},
        {"GB202", "12.0", THRESHOLD_UNCERTAIN},
        {"GB202", "12.1", THRESHOLD_OF_OTHERS},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct threshold_override row = {THRESHOLD_LEAD, "", 0.3};
        snprintf(row.chips, sizeof row.chips, "%s", cases[i].chips);
        const enum threshold_fit fit = threshold_row_fit(&row, cases[i].capability);
        if (fit != cases[i].fit)
            fail_msg("'%s' on %s is %d", cases[i].chips, cases[i].capability, (int)fit);
        struct threshold_overrides file = {.path = "t.csv", .count = 1, .items = {row}};
        struct thresholds t;
        thresholds_resolve_capability(&t, &file, cases[i].capability);
        assert_true(threshold(&t, THRESHOLD_LEAD) == (fit == THRESHOLD_FITS ? 0.3 : 0.1));
        assert_true((t.path != NULL) == (fit == THRESHOLD_FITS));
    }
    struct thresholds t;
    thresholds_resolve_capability(&t, NULL, "7.5");
    assert_true(threshold(&t, THRESHOLD_HIDDEN_WARPS) == 8);
}

/* "Overridden" is said only where a row is used. */
TEST(rows_of_other_chips_override_nothing)
{
    static const struct threshold_overrides file = {
        .path = "t.csv", .count = 1, .items = {{THRESHOLD_LEAD, "GH100", 0.3}}};
    struct thresholds t;
    thresholds_resolve(&t, &file, chip_by_name("AD102"));
    assert_null(t.path);
    thresholds_resolve(&t, &file, NULL);
    assert_null(t.path);
    thresholds_resolve(&t, &file, chip_by_name("GH100"));
    assert_string_equal(t.path, "t.csv");
}

TEST(what_is_printed_reads_as_it_was)
{
    struct str text;
    struct err e = {0};
    str_init(&text);
    threshold_file_print(&text);
    if (read_text(str_text(&text), &e))
        fail_msg("%s", e.text);
    size_t count;
    const struct chip *chips = chips_known(&count);
    for (size_t i = 0; i < count; i++)
        for (int id = 0; id < THRESHOLD_COUNT; id++)
            assert_value((enum threshold_id)id, &overrides, chips[i].name,
                         value_on((enum threshold_id)id, NULL, chips[i].name));
    str_release(&text);
}

#define HEAD "# cpprof.thresholds/1\nthreshold,value,chips,unit\n"

TEST(what_is_wrong_is_said_with_its_place)
{
    static const struct {
        const char *text, *said; /* behind the path */
    } cases[] = {
        {"", "is empty"},
        {"threshold,value\nlead,0.1\n", ":1: the first line is 'threshold,value'"},
        {"# cpprof.thresholds/2\nthreshold,value\nlead,0.1\n", ":1: version 2 of cpprof.thresholds"},
        {"# cpprof.thresholds/4294967297\nthreshold,value\nlead,0.1\n",
         ":1: the first line is"}, /* 2^32 + 1: 1 in an int */
        {"# cpprof.thresholds/1x\nthreshold,value\n", ":1: the first line is"},
        {"# cpprof.metrics/1\nid,name\n", ":1: the first line is '# cpprof.metrics/1'"},
        {"# cpprof.thresholds/1\n", ": nothing follows"},
        {"# cpprof.thresholds/1\nthreshold,amount\nlead,1\n", ":2: the header lacks the column 'value'"},
        {HEAD "leed,0.1,,\n", ":3: no threshold is called 'leed': is it 'lead'?"},
        {HEAD "completely_different,0.1,,\n", ":3: no threshold is called 'completely_different'"},
        {HEAD "lead,0.1,,\n\nlead,ten,,\n", ":5: 'lead' of the chips '*' stands there twice"},
        {HEAD "lead,ten,,\n", ":3: 'ten' is no value of 'lead'"},
        {HEAD "lead,,,\n", ":3: '' is no value of 'lead'"},
        {HEAD "lead,nan,,\n", ":3: 'nan' is no value"},
        {HEAD "lead,-0.1,,\n", ":3: '-0.1' is no value"},
        {HEAD "lead,1e999,,\n", ":3: '1e999' is no value"},
        {HEAD "lead,10,,\n", ":3: 'lead' is 10, and a ratio goes up to 1"},
        {HEAD "dram_ceiling,0,,\n", ":3: 'dram_ceiling' is 0, and shares are divided by it: at least 0.01"},
        {HEAD "dram_ceiling,1e-300,,\n", ":3: 'dram_ceiling' is 1e-300"},
        {HEAD "lead,0.1,,ns\n", ":3: 'lead' is in 'ratio', not in 'ns'"},
        {HEAD "lead,\"0.1,,\n", ":3: "},
        {HEAD "lead,0.1,GH10,\n",
         ":3: 'GH10' is no card and matches no chip; 'cpprof list --chip 8.6' says which chip has a compute capability"},
        {HEAD "lead,0.1,GH100 gx9?,\n", ":3: 'gx9?' is no card and matches no chip"},
        {HEAD "lead,0.1,RTX 4070 Ti,\n", ":3: 'Ti' is no card"}, /* the RTX 4070 is known */
        {HEAD "lead,0.1,H100,\nlead,0.2,gh100,\n", ":4: 'lead' of the chips 'GH100' stands there twice"},
        {HEAD "lead,0.1,B200 B200 B200 B200 B200 B200 B200 B200 B200 B200 B200,\n", ":3: more than 63 characters"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err e = {0};
        assert_int_equal(read_text(cases[i].text, &e), ERR_USAGE);
        if (!strstr(e.text, cases[i].said) || !strstr(e.text, path))
            fail_msg("case %zu: '%s' does not say '%s'", i, e.text, cases[i].said);
    }
    struct err e = {0};
    assert_int_equal(threshold_file_read(&overrides, "/nonexistent/file", &e), ERR_USAGE);
    assert_non_null(strstr(e.text, "cannot open '/nonexistent/file'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chips_have_values_of_their_own),
        cmocka_unit_test_setup_teardown(a_file_says_otherwise, make_file, remove_file),
        cmocka_unit_test_setup_teardown(a_file_names_cards, make_file, remove_file),
        cmocka_unit_test(a_capability_chooses_rows),
        cmocka_unit_test(rows_of_other_chips_override_nothing),
        cmocka_unit_test_setup_teardown(what_is_printed_reads_as_it_was, make_file, remove_file),
        cmocka_unit_test_setup_teardown(what_is_wrong_is_said_with_its_place, make_file, remove_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
