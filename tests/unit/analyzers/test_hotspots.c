/* Are samples added up to the right kernels, and is the hottest instruction named first? */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzers/entries.h"
#include "reports/run/run_report.h"

struct line {
    const char *kernel;
    double offset; /* below 0: none */
    const char *instruction, *file, *reason;
    double samples;
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
    row[HOTSPOTS_LINE] = cell_number(12);
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
    {"a", 16, "FADD", "k.cu", "selected", 10},
    {"a", 16, "FADD", "k.cu", "wait", 30},
    {"a", 32, "LDS", "", "short_scoreboard", 50},
    {"b", 16, "", "", "barrier", 7},
    {"a", -1, "", "", "wait", 6},
    {"a", -1, "", "", "selected", 4},
};

static void samples_add_up_by_kernel_and_instruction(void **state)
{
    (void)state;
    struct recorded run;
    ask(&run, lines, sizeof lines / sizeof lines[0]);
    assert_int_equal(run.analysis.hotspots.count, 2);
    const struct hotspots *a = &run.analysis.hotspots.items[0], *b = &run.analysis.hotspots.items[1];
    assert_string_equal(a->kernel, "a");
    assert_true(a->samples == 100 && b->samples == 7);
    assert_int_equal(a->instructions.count, 2); /* what has no offset is no instruction */
    assert_string_equal(a->instructions.items[0].instruction, "LDS");
    assert_true(a->instructions.items[1].samples == 40);
    assert_string_equal(a->instructions.items[1].reasons[0].reason, "wait");
    assert_int_equal(a->reasons.count, 3);
    assert_string_equal(a->reasons.items[0].reason, "short_scoreboard");
    assert_true(a->reasons.items[1].samples == 36); /* wait: 30 + 6 */
    forget(&run);
}

static void the_report_names_line_and_reasons(void **state)
{
    (void)state;
    struct recorded run;
    struct document d;
    struct str text;
    ask(&run, lines, sizeof lines / sizeof lines[0]);
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
static void damaged_rows_make_no_nonsense(void **state)
{
    (void)state;
    static const struct line damaged[] = {{"a", 16, "FADD", "k.cu", "selected", 10},
                                          {"a", 16, "FADD", "k.cu", "wait", -5},
                                          {"a", 1e300, "LDS", "k.cu", "wait", 10},
                                          {"a", 32, "LDS", "k.cu", "wait", -1}};
    struct recorded run;
    struct document d;
    struct str text;
    ask(&run, damaged, sizeof damaged / sizeof damaged[0]);
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

static void without_samples_there_is_no_section(void **state)
{
    (void)state;
    static const struct line none[] = {{"a", 16, "", "", "wait", 0}};
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
        cmocka_unit_test(the_report_names_line_and_reasons),
        cmocka_unit_test(damaged_rows_make_no_nonsense),
        cmocka_unit_test(without_samples_there_is_no_section),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
