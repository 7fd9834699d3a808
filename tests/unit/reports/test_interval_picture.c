/* Are intervals drawn where they can be told apart, whatever they are? */
#include "tests/unit/drawn_canvas.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/count_of.h"
#include "reports/pictures/interval_picture.h"

static void assert_sound(const struct interval_picture *p)
{
    struct canvas c;
    struct str text;
    canvas_init(&c, CANVAS_WIDTH, 0);
    str_init(&text);
    interval_picture_draw(p, &c);
    assert_good_canvas(&c);
    interval_picture_write(p, &text);
    assert_good_characters(str_text(&text));
    interval_picture_say(p, &text);
    assert_true(text.length > 0 && !text.failed);
    str_release(&text);
    canvas_release(&c);
}

static struct interval_row row_of(const char *label, double low, double value, double high)
{
    return (struct interval_row){.label = label,
                                 .verdict = COMPARE_FASTER,
                                 .value = value,
                                 .low = low,
                                 .high = high,
                                 .dots = {low},
                                 .dot_count = 1};
}

/* In the characters of one row: where the middle stands among the columns of its bar. */
static int column_of_middle(const char *text)
{
    int column = 0;
    for (; *text && strncmp(text, "\xe2\x96\xa0", 3) != 0; text++)
        column += ((unsigned char)*text & 0xc0) != 0x80;
    return column;
}

static char *characters_of(const struct interval_picture *p)
{
    struct str text;
    str_init(&text);
    interval_picture_write(p, &text);
    return str_take(&text);
}

/* Of intervals that are far from 1 the axis is about them, and they are no specks; one that is near has it on it. */
static void the_axis_holds_what_matters(void **state)
{
    (void)state;
    struct interval_row far[] = {row_of("a", 1.50, 1.51, 1.52), row_of("b", 1.53, 1.54, 1.55)};
    struct interval_row near[] = {row_of("a", 0.99, 1.01, 1.02), row_of("b", 1.02, 1.03, 1.05)};
    const struct interval_picture zoomed = {far, 2, 0, 0.01}, whole = {near, 2, 0, 0.01};
    char *text = characters_of(&zoomed);
    assert_null(strstr(text, "\xe2\x94\x86")); /* where 1 lies */
    assert_true(column_of_middle(strchr(text, '\n')) - column_of_middle(text) > 10);
    free(text);
    text = characters_of(&whole);
    assert_non_null(strstr(text, "\xe2\x94\x86"));
    free(text);
    assert_sound(&zoomed);
    assert_sound(&whole);
}

/* The middle of a damaged row may lie outside of its own interval, and is seen. */
static void every_middle_is_seen(void **state)
{
    (void)state;
    static const double values[][3] = {{1, 7, 2}, {1, 1e-300, 1}, {1, 1e300, 2}};
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        struct interval_row row = row_of("a", values[i][0], values[i][1], values[i][2]);
        char *text = characters_of(&(struct interval_picture){&row, 1, 0, 0.01});
        assert_non_null(strstr(text, "\xe2\x96\xa0"));
        free(text);
    }
}

static void any_rows_are_drawn(void **state)
{
    (void)state;
    static const double values[][3] = {
        {1, 1, 1},         {1e-9, 1e-9, 1e-9}, {0.01, 1, 100},           {1e9, 1e9, 1.1e9}, {0.9999, 1, 1.0001},
        {12.6, 12.7, 166}, {1e-290, 1, 1e290}, {5e-324, 1e-300, 1e-290}, {1, 1e300, 1e308}, {1, 7, 2}};
    static const char *const labels[] = {"", "x", "<&\"'>\xff\x1b[31m",
                                         ("a name that is far longer than its room is wide, "
                                          "wherever that may be")};
    static struct interval_row rows[INTERVAL_ROWS_MAX];
    for (size_t count = 1; count <= INTERVAL_ROWS_MAX; count += 59)
        for (size_t i = 0; i < COUNT_OF(values); i++) {
            for (size_t k = 0; k < count; k++) {
                rows[k] = row_of(labels[k % 4], values[i][0], values[i][1], values[i][2]);
                rows[k].verdict = (enum comparison_verdict)(k % 4);
            }
            assert_sound(&(struct interval_picture){rows, count, 0, 0.01});
        }
}

/* Of 70 processes, of which the first has no time, 64 are drawn, and the caption says so; of 64 it says nothing. */
static void processes_that_are_not_drawn_are_said(void **state)
{
    (void)state;
    static const struct {
        size_t processes;
        const char *says;
    } cases[] = {{65, NULL}, {70, "Of 69 processes 64 are drawn, at most 64 of a row."}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct timing_process processes[70];
        struct comparison one = {.candidate = "f/v",
                                 .config = "m",
                                 .cache = "hot",
                                 .verdict = COMPARE_FASTER,
                                 .ci_low = 0.4,
                                 .ci_high = 0.6,
                                 .speedup = 2,
                                 .baseline_ns = 200,
                                 .cand = {.processes = processes, .process_count = cases[i].processes}};
        const struct analysis a = {.margin = 0.01, .comparisons = {.items = &one, .count = 1}};
        struct document d;
        for (size_t k = 0; k < cases[i].processes; k++)
            processes[k] = (struct timing_process){.process = (double)k, .typical_ns = k ? 90 + (double)k : NAN};
        document_init(&d);
        interval_picture_add(&a, &d);
        char *text = document_text(&d, "html");
        assert_int_equal(!strstr(text, "are drawn"), !cases[i].says);
        assert_true(!cases[i].says || strstr(text, cases[i].says));
        free(text);
        document_release(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_axis_holds_what_matters),
        cmocka_unit_test(every_middle_is_seen),
        cmocka_unit_test(any_rows_are_drawn),
        cmocka_unit_test(processes_that_are_not_drawn_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
