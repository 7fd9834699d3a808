/* Which rows of hotspots.csv do samples become? */
#include <stdio.h>
#include <string.h>

#include "collector/runner/hot_rows.h"
#include "core/base/array.h"
#include "core/bundle/bundle_tables.h"
#include "tests/test.h"

enum { CODE_BYTES = 16 };

/* Instruction i is at line i / 40 + 1 of one file, and those of kernel "bare" at none. */
static int find(void *context, const struct pc_sample *sample, bool with_instruction, struct hot_place *place,
                struct err *e)
{
    static const char *const texts[] = {"", "one", "two", "three"};
    size_t *asked = context;
    (void)e;
    *asked += with_instruction;
    if (with_instruction)
        place->instruction = "FADD";
    if (!strcmp(sample->symbol, "bare"))
        return 0;
    place->file = "k.cu";
    place->line = (uint32_t)(sample->offset / CODE_BYTES / 40 + 1);
    place->text = texts[place->line < 4 ? place->line : 0];
    return 0;
}

static void add(struct pc_samples *s, const char *symbol, uint64_t at, const char *reason, uint64_t count)
{
    struct pc_sample *sample = ARRAY_PUSH(s);
    assert_non_null(sample);
    *sample = (struct pc_sample){symbol, 1, at * CODE_BYTES, reason, count};
}

static void expect_row(const struct table *t, size_t row, const char *expected)
{
    struct str text;
    str_init(&text);
    static const size_t shown[] = {HOTSPOTS_KERNEL, HOTSPOTS_INSTRUCTION, HOTSPOTS_FILE, HOTSPOTS_REASON,
                                   HOTSPOTS_TEXT};
    for (size_t i = 0; i < COUNT_OF(shown); i++)
        str_addf(&text, "%s|", table_text(t, row, shown[i]));
    str_addf(&text, "%.0f|%.0f|%.0f", table_number(t, row, HOTSPOTS_OFFSET), table_number(t, row, HOTSPOTS_LINE),
             table_number(t, row, HOTSPOTS_SAMPLES));
    assert_string_equal(str_text(&text), expected);
    str_release(&text);
}

/* 60 instructions: 32 have rows of their own, those with 100 + i samples. Of the other 28, i < 28, all are at line 1.
 */
TEST(cooler_instructions_are_summed_by_line)
{
    struct pc_samples samples;
    struct table t;
    struct err e = {0};
    size_t asked = 0;
    pc_samples_init(&samples);
    bundle_table_init(&t, BUNDLE_HOTSPOTS);
    for (uint64_t i = 0; i < 60; i++)
        add(&samples, "a", i, i == 59 ? "wait" : "selected", 100 + i);
    add(&samples, "a", 59, "barrier", 1);
    add(&samples, "a", 3, "wait", 2);
    assert_int_equal(hot_rows_add(&t, "f/v", "m", &samples, find, &asked, &e), 0);
    assert_int_equal(asked, HOT_INSTRUCTIONS_MAX);
    assert_int_equal(table_rows(&t), 33 + 2);
    assert_string_equal(table_text(&t, 0, HOTSPOTS_VARIANT), "f/v");
    assert_string_equal(table_text(&t, 0, HOTSPOTS_SHAPE), "m");
    expect_row(&t, 0, "a|FADD|k.cu|barrier|two|944|2|1");
    expect_row(&t, 1, "a|FADD|k.cu|wait|two|944|2|159");
    expect_row(&t, 2, "a|FADD|k.cu|selected|two|928|2|158");
    /* the sum of 100 .. 127 is 28 * 227 / 2 = 3178 */
    expect_row(&t, 33, "a||k.cu|selected|one|nan|1|3178");
    expect_row(&t, 34, "a||k.cu|wait|one|nan|1|2");
    table_release(&t);
    pc_samples_release(&samples);
}

/* 40 lines of 40 instructions each: 32 of them have rows, 8 x 40 instructions are summed with those of no line. */
TEST(cooler_lines_are_summed_by_kernel)
{
    struct pc_samples samples;
    struct table t;
    struct err e = {0};
    size_t asked = 0, lines = 0;
    double sum = 0, rest = 0;
    pc_samples_init(&samples);
    bundle_table_init(&t, BUNDLE_HOTSPOTS);
    for (uint64_t i = 0; i < 1600; i++)
        add(&samples, "a", i, "wait", 1 + i / 40);
    add(&samples, "bare", 0, "wait", 1);
    assert_int_equal(hot_rows_add(&t, "f/v", "m", &samples, find, &asked, &e), 0);
    for (size_t row = 0; row < table_rows(&t); row++) {
        const bool is_line = table_number(&t, row, HOTSPOTS_LINE) > 0;
        sum += table_number(&t, row, HOTSPOTS_SAMPLES);
        lines += is_line && !(table_number(&t, row, HOTSPOTS_OFFSET) >= 0);
        if (!is_line && !strcmp(table_text(&t, row, HOTSPOTS_KERNEL), "a"))
            rest += table_number(&t, row, HOTSPOTS_SAMPLES);
    }
    assert_int_equal(lines, HOT_LINES_MAX);
    assert_true(sum == 40.0 * 40 * 41 / 2 + 1);
    assert_true(rest == 40.0 * 8 * 9 / 2); /* the coolest lines: 1 .. 8 samples an instruction */
    expect_row(&t, table_rows(&t) - 1, "bare|||wait||nan|nan|1");
    table_release(&t);
    pc_samples_release(&samples);
}

static int lack_memory(void *context, const struct pc_sample *sample, bool with_instruction, struct hot_place *place,
                       struct err *e)
{
    (void)context, (void)sample, (void)with_instruction, (void)place;
    return err_memory(e);
}

TEST(few_or_no_samples_are_no_trouble)
{
    struct pc_samples samples;
    struct table t;
    struct err e = {0};
    size_t asked = 0;
    pc_samples_init(&samples);
    bundle_table_init(&t, BUNDLE_HOTSPOTS);
    assert_int_equal(hot_rows_add(&t, "f/v", "m", &samples, find, &asked, &e), 0);
    assert_int_equal(table_rows(&t), 0);
    add(&samples, "bare", 2, "wait", 3);
    assert_int_equal(hot_rows_add(&t, "f/v", "m", &samples, find, &asked, &e), 0);
    assert_int_equal(table_rows(&t), 1);
    expect_row(&t, 0, "bare|FADD||wait||32|nan|3");
    assert_int_equal(hot_rows_add(&t, "f/v", "m", &samples, lack_memory, NULL, &e), ERR_MEMORY);
    table_release(&t);
    pc_samples_release(&samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cooler_instructions_are_summed_by_line),
        cmocka_unit_test(cooler_lines_are_summed_by_kernel),
        cmocka_unit_test(few_or_no_samples_are_no_trouble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
