/* Are samples added up to the right kernels, and is the hottest instruction named first? */
#include <math.h>
#include <string.h>

#include "analyzers/entries.h"
#include "reports/run/run_report.h"
#include "tests/test.h"

struct line {
    const char *kernel;
    double offset; /* below 0: none */
    const char *instruction, *file, *reason;
    double samples;
    double line; /* 0: 12 */
    const char *text;
};

struct recorded {
    struct bundle bundle;
    struct analysis analysis;
};

static void add(struct table *t, const struct line *line)
{
    struct cell *row = table_add_row(t);
    assert_non_null(row);
    row[HOTSPOTS_VARIANT] = cell_text(t, "f/v");
    row[HOTSPOTS_SHAPE] = cell_text(t, "m");
    row[HOTSPOTS_KERNEL] = cell_text(t, line->kernel);
    if (line->offset >= 0)
        row[HOTSPOTS_OFFSET] = cell_number(line->offset);
    row[HOTSPOTS_INSTRUCTION] = cell_text(t, line->instruction);
    row[HOTSPOTS_FILE] = cell_text(t, line->file);
    row[HOTSPOTS_LINE] = cell_number(line->line ? line->line : 12);
    if (line->text)
        row[HOTSPOTS_TEXT] = cell_text(t, line->text);
    row[HOTSPOTS_REASON] = cell_text(t, line->reason);
    row[HOTSPOTS_SAMPLES] = cell_number(line->samples);
}

static void ask(struct recorded *run, const struct line *lines, size_t count)
{
    bundle_init(&run->bundle);
    analysis_init(&run->analysis, &run->bundle);
    for (size_t i = 0; i < count; i++)
        add(&run->bundle.tables[BUNDLE_HOTSPOTS], &lines[i]);
    struct err e = {0};
    assert_int_equal(analysis_join(&run->analysis, &e), 0);
    assert_int_equal(hotspots_analyze(&run->analysis, &e), 0);
}

static void forget(struct recorded *run)
{
    analysis_release(&run->analysis);
    bundle_release(&run->bundle);
}

/* Kernel a: 16: 10 + 30 = 40; 32: 50; others 10; in all 100. Kernel b: 7. */
static const struct line lines[] = {
    {"a", 16, "FADD", "k.cu", "selected", 10, 0, NULL},
    {"a", 16, "FADD", "k.cu", "wait", 30, 0, NULL},
    {"a", 32, "LDS", "", "short_scoreboard", 50, 0, NULL},
    {"b", 16, "", "", "barrier", 7, 0, NULL},
    {"a", -1, "", "", "wait", 6, 0, NULL},
    {"a", -1, "", "", "selected", 4, 0, NULL},
};

TEST(samples_add_up_by_kernel_and_instruction)
{
    struct recorded run;
    ask(&run, lines, COUNT_OF(lines));
    assert_int_equal(run.analysis.hotspots.count, 2);
    const struct hotspots *a = &run.analysis.hotspots.items[0], *b = &run.analysis.hotspots.items[1];
    assert_string_equal(a->kernel, "a");
    assert_true(a->samples == 100 && b->samples == 7);
    assert_int_equal(a->instructions.count, 2); /* what has no offset is no instruction */
    assert_string_equal(a->instructions.items[0].instruction, "LDS");
    assert_true(a->instructions.items[1].samples == 40);
    assert_string_equal(a->instructions.items[1].reasons[0].name, "wait");
    assert_int_equal(a->reasons.count, 3);
    assert_string_equal(a->reasons.items[0].name, "short_scoreboard");
    assert_true(a->reasons.items[1].samples == 36); /* wait: 30 + 6 */
    forget(&run);
}

static void write_report(const struct recorded *run, const struct document_view *view, struct str *text)
{
    struct document d;
    document_init(&d);
    document_tier(&d, TIER_SECTIONS);
    str_init(text);
    run_hotspots_add(&run->analysis, &d);
    assert_int_equal(document_format_by_name("md")->render(&d, view, text), 0);
    document_release(&d);
}

static void expect_report(const struct line *rows, size_t count, const struct document_view *view, const char *says,
                          const char *keeps_silent)
{
    struct recorded run;
    struct str text;
    ask(&run, rows, count);
    write_report(&run, view, &text);
    if (!strstr(str_text(&text), says) || (keeps_silent && strstr(str_text(&text), keeps_silent)))
        fail_msg("not as expected, '%s' and not '%s':\n%s", says, keeps_silent, str_text(&text));
    str_release(&text);
    forget(&run);
}

/* Line 7: FADD 10 + 30, LDS 20, cooler ones 5: 65 of 100. Line 9 of the same file: 25; of another file with the same
 * name: 6. The rest is at no line: 4. */
static const struct line by_line[] = {
    {"a", 16, "FADD", "k.cu", "selected", 10, 7, "x += y;"},
    {"a", 16, "FADD", "k.cu", "wait", 30, 7, "x += y;"},
    {"a", 32, "LDS", "k.cu", "barrier", 20, 7, "x += y;"},
    {"a", 48, "STS", "k.cu", "wait", 25, 9, "s[i] = x;"},
    {"a", 64, "EXIT", "k.cu", "wait", 6, 9, "return `|<b>`;"},
    {"a", -1, "", "k.cu", "math", 5, 7, "x += y;"},
    {"a", -1, "", "", "wait", 4, 0, NULL},
};
enum { BY_LINE = COUNT_OF(by_line) };

TEST(instructions_add_up_by_line)
{
    struct recorded run;
    ask(&run, by_line, BY_LINE);
    const struct hotspots *a = &run.analysis.hotspots.items[0];
    assert_true(a->samples == 100);
    assert_int_equal(a->lines.count, 3);
    const struct hot_line *first = &a->lines.items[0];
    assert_true(first->line == 7 && first->samples == 65);
    assert_string_equal(first->text, "x += y;");
    static const struct hot_reason reasons[] = {{"wait", 30}, {"barrier", 20}, {"selected", 10}, {"math", 5}};
    assert_int_equal(first->reason_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(first->reasons[i].name, reasons[i].name);
        assert_true(first->reasons[i].samples == reasons[i].samples);
    }
    assert_true(a->lines.items[1].samples == 25 && a->lines.items[2].samples == 6);
    assert_int_equal(a->instructions.count, 4);
    forget(&run);
}

/* Rows of two kernels and two arms may stand in any order. */
TEST(kernels_keep_their_lines_apart)
{
    static const struct line mixed[] = {{"b", 16, "", "k.cu", "wait", 3, 7, NULL},
                                        {"a", 16, "", "k.cu", "wait", 2, 7, NULL},
                                        {"b", 32, "", "k.cu", "wait", 4, 7, NULL},
                                        {"a", 32, "", "k.cu", "wait", 9, 8, NULL}};
    struct recorded run;
    ask(&run, mixed, 4);
    const struct hotspots *b = &run.analysis.hotspots.items[0], *a = &run.analysis.hotspots.items[1];
    assert_int_equal(b->lines.count, 1);
    assert_true(b->lines.items[0].samples == 7);
    assert_int_equal(a->lines.count, 2);
    assert_true(a->lines.items[0].line == 8 && a->lines.items[0].samples == 9);
    forget(&run);
}

TEST(the_report_shows_lines_first)
{
    static const struct document_view sections = {.last = TIER_SECTIONS};
    expect_report(by_line, BY_LINE, &sections, "| 65.0% | `k.cu:7` | `x += y;` | wait 46%, barrier 31%, issuing 15% |",
                  "FADD");
    expect_report(by_line, BY_LINE, &sections, "for 96% of them", NULL);
    expect_report(by_line, BY_LINE, &view_everything, "| 40.0% | `k.cu:7` | 0x10 | `FADD` | wait 75%, issuing 25% |",
                  "-lineinfo");
    expect_report(by_line, BY_LINE, &view_everything, "| 6.0% | `k.cu:9` | ``return `\\|<b>`;`` |", NULL);
}

/* Bundles of earlier versions. */
TEST(lines_without_their_text_have_no_column)
{
    expect_report(lines, COUNT_OF(lines), &view_everything, "| share | source | its warps are seen |\n", "| line |");
}

TEST(without_lines_the_report_says_what_to_do)
{
    static const struct line bare[] = {{"a", 16, "FADD", "", "wait", 5, 0, NULL}};
    static const struct document_view sections = {.last = TIER_SECTIONS};
    expect_report(bare, 1, &sections, "compile it with `-lineinfo`", NULL);
    expect_report(bare, 1, &sections, "| 100.0% | n/a | 0x10 | `FADD` | wait 100% |", NULL);
}

/* No number of a stranger's table is a line that cannot be written. */
TEST(damaged_lines_make_no_nonsense)
{
    static const double numbers[] = {-1, 1e300, 0.5, 1, INFINITY};
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        const struct line damaged[] = {{"a", 16, "FADD", "k.cu", "wait", 10, numbers[i], "\x1b[31m\n\xff"},
                                       {"a", 32, "FADD", "k.cu", "wait", -10, 7, ""}};
        struct recorded run;
        struct str text;
        ask(&run, damaged, 2);
        const struct hotspots *a = &run.analysis.hotspots.items[0];
        assert_int_equal(a->lines.count, numbers[i] == 1);
        write_report(&run, &view_everything, &text);
        assert_null(strchr(str_text(&text), 0x1b));
        assert_null(strstr(str_text(&text), ":inf"));
        str_release(&text);
        forget(&run);
    }
}

TEST(the_report_names_line_and_reasons)
{
    struct recorded run;
    struct document d;
    struct str text;
    ask(&run, lines, COUNT_OF(lines));
    document_init(&d);
    str_init(&text);
    run_hotspots_add(&run.analysis, &d);
    assert_int_equal(document_format_by_name("md")->render(&d, &view_everything, &text), 0);
    assert_non_null(strstr(str_text(&text), "short_scoreboard 50%, wait 36%, issuing 14%"));
    assert_non_null(strstr(str_text(&text), "| 40.0% | `k.cu:12` | 0x10 | `FADD` | wait 75%, issuing 25% |"));
    assert_non_null(strstr(str_text(&text), "| 50.0% | n/a | 0x20 | `LDS` | short_scoreboard 100% |"));
    document_release(&d);
    str_release(&text);
    forget(&run);
}

/* A number of looks is no less than 0, an offset is one of code, and a line may not be known. */
TEST(damaged_rows_make_no_nonsense)
{
    static const struct line damaged[] = {{"a", 16, "FADD", "k.cu", "selected", 10, 0, NULL},
                                          {"a", 16, "FADD", "k.cu", "wait", -5, 0, NULL},
                                          {"a", 1e300, "LDS", "k.cu", "wait", 10, 0, NULL},
                                          {"a", 32, "LDS", "k.cu", "wait", -1, 0, NULL}};
    struct recorded run;
    struct document d;
    struct str text;
    ask(&run, damaged, COUNT_OF(damaged));
    struct table *t = &run.bundle.tables[BUNDLE_HOTSPOTS];
    assert_int_equal(table_rows(t), 4);
    const struct hotspots *a = &run.analysis.hotspots.items[0];
    assert_true(a->samples == 20);
    for (size_t i = 0; i < a->instructions.count; i++) {
        assert_true(a->instructions.items[i].samples > 0);
        for (size_t k = 0; k < a->instructions.items[i].reason_count; k++)
            assert_true(a->instructions.items[i].reasons[k].samples > 0);
    }
    a->instructions.items[0].line = NAN;
    document_init(&d);
    str_init(&text);
    run_hotspots_add(&run.analysis, &d);
    assert_int_equal(document_format_by_name("md")->render(&d, &view_everything, &text), 0);
    assert_non_null(strstr(str_text(&text), "| 50.0% | `k.cu` | 0x10 | `FADD` | issuing 100% |"));
    assert_non_null(strstr(str_text(&text), "| 50.0% | `k.cu:12` | n/a | `LDS` | wait 100% |"));
    document_release(&d);
    str_release(&text);
    forget(&run);
}

TEST(without_samples_there_is_no_section)
{
    static const struct line none[] = {{"a", 16, "", "", "wait", 0, 0, NULL}};
    struct recorded run;
    struct document d;
    for (size_t count = 0; count < 2; count++) {
        ask(&run, none, count);
        document_init(&d);
        run_hotspots_add(&run.analysis, &d);
        assert_int_equal(d.failed, 0);
        document_release(&d);
        forget(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_add_up_by_kernel_and_instruction),
        cmocka_unit_test(instructions_add_up_by_line),
        cmocka_unit_test(kernels_keep_their_lines_apart),
        cmocka_unit_test(the_report_shows_lines_first),
        cmocka_unit_test(lines_without_their_text_have_no_column),
        cmocka_unit_test(without_lines_the_report_says_what_to_do),
        cmocka_unit_test(damaged_lines_make_no_nonsense),
        cmocka_unit_test(the_report_names_line_and_reasons),
        cmocka_unit_test(damaged_rows_make_no_nonsense),
        cmocka_unit_test(without_samples_there_is_no_section),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
