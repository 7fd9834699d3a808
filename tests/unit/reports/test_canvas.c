/* Are drawings inert, inside their frame, and legible? */
#define _GNU_SOURCE
#include "tests/unit/drawn_canvas.h"

#include <math.h>

#include "core/base/count_of.h"
#include "reports/pictures/axis.h"
#include "reports/pictures/theme.h"

static void shapes_have_places(void **state)
{
    (void)state;
    struct canvas c;
    canvas_init(&c, CANVAS_WIDTH, 100);
    canvas_rect(&c, 10, 20, 30, 40, INK_BLUE);
    canvas_line(&c, 50, 90, 20, 10, 1, INK_GRID);
    canvas_rect(&c, NAN, 0, 1, 1, INK_BLUE);
    canvas_rect(&c, 0, 0, INFINITY, 1, INK_BLUE);
    canvas_rect(&c, 0, 0, -1, 1, INK_BLUE);
    canvas_text(&c, NAN, 0, TEXT_START, INK_TEXT, "nowhere");
    canvas_text(&c, 100, 50, TEXT_END, INK_TEXT, "ab");
    canvas_text(&c, 100, 50, TEXT_END, INK_TEXT, "");
    assert_int_equal(c.boxes.count, 3);
    assert_true(c.boxes.items[1].x == 20 && c.boxes.items[1].width == 30 && c.boxes.items[1].height == 80);
    assert_true(c.boxes.items[2].is_text && c.boxes.items[2].x + c.boxes.items[2].width == 100);
    assert_good_canvas(&c);
    canvas_release(&c);
}

/* What the tests of pictures go by must see a fault. */
static void faults_are_seen(void **state)
{
    (void)state;
    struct canvas_box a = {0, 0, 10, 10, true}, near = {9, 9, 5, 5, true}, far = {10, 0, 5, 5, true};
    assert_true(boxes_touch(&a, &near));
    assert_false(boxes_touch(&a, &far));
}

static void strangers_are_inert(void **state)
{
    (void)state;
    static const char *const names[] = {
        "</text><script>alert(1)</script>", "a & b \"c\" 'd'",     "\x1b[31m\xff\xfe red",
        "\xef\xbf\xbe\xef\xbf\xbf",         "\xe2\x80\xae gnirts", "new\nline"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct canvas c;
        canvas_init(&c, CANVAS_WIDTH, 100);
        canvas_text_in(&c, 10, 30, 500, TEXT_START, INK_TEXT, names[i]);
        assert_null(strstr(str_text(&c.body), "script>"));
        assert_null(strstr(str_text(&c.body), "\xef\xbf\xbe"));
        assert_good_canvas(&c);
        canvas_release(&c);
    }
}

static void texts_are_cut_to_their_room(void **state)
{
    (void)state;
    static const double widths[] = {0, 5, 13, 20, 60, 100, 1000};
    for (size_t i = 0; i < COUNT_OF(widths); i++) {
        struct str s;
        str_init(&s);
        text_fit(&s, "fl\xc3\xbcssig_kernel<float, 4>", TEXT_SIZE, widths[i]);
        assert_true(text_width(str_text(&s), TEXT_SIZE) <= widths[i]);
        assert_true(widths[i] < 60 || s.length > 4);
        str_release(&s);
    }
    assert_true(text_width("MMMM", 10) > text_width("iiii", 10));
}

static void ticks_are_nice(void **state)
{
    (void)state;
    static const struct {
        double span;
        int most;
        double step;
    } steps[] = {{10, 5, 2}, {9.5, 5, 2}, {1000, 4, 500}, {7, 7, 1}, {3e9, 3, 1e9}, {1, 0, 1}, {0, 5, 0}, {-3, 5, 0}};
    static const struct {
        double ns, step, largest;
        const char *text;
    } ticks[] = {{0, 500, 2000, "0"},
                 {500, 500, 2000, "0.5 us"},
                 {-20, 10, 30, "-20 ns"},
                 {2e6, 1e6, 3e6, "2 ms"},
                 {2.5e9, 5e8, 3e9, "2.5 s"}};
    char text[UNITS_TEXT_BYTES];
    for (size_t i = 0; i < COUNT_OF(steps); i++)
        assert_true(fabs(axis_step(steps[i].span, steps[i].most) - steps[i].step) <= 1e-9 * steps[i].step);
    assert_true(axis_step(NAN, 5) == 0 && axis_step(INFINITY, 5) == 0);
    for (size_t i = 0; i < COUNT_OF(ticks); i++)
        assert_string_equal(axis_time(text, ticks[i].ns, ticks[i].step, ticks[i].largest), ticks[i].text);
}

static void bars_in_characters(void **state)
{
    (void)state;
    static const struct {
        double begin, end;
        const char *bar;
    } cases[] = {{0, 4, "\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88"},
                 {0, 1.5, "\xe2\x96\x88\xe2\x96\x8c  "},
                 {0, 0.001, "\xe2\x96\x8f   "},
                 {2.5, 3, "  \xe2\x96\x90 "},
                 {-3, 1, "\xe2\x96\x88   "},
                 {3.999, 9, "   \xe2\x96\x8f"},
                 {1, 1, "    "},
                 {NAN, 1, "    "},
                 {0, INFINITY, "    "},
                 {9, 12, "    "}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct str s;
        str_init(&s);
        characters_bar(&s, cases[i].begin, cases[i].end, 4);
        assert_string_equal(str_text(&s), cases[i].bar);
        str_release(&s);
    }
}

static void texts_in_characters(void **state)
{
    (void)state;
    struct str s;
    str_init(&s);
    characters_left(&s, "a\x1b", 6);
    characters_right(&s, "\xc3\xbc", 3);
    characters_left(&s, "kernel", 4);
    characters_left(&s, "kernel", 0);
    assert_string_equal(str_text(&s), "a\\x1b   \xc3\xbcker\xe2\x80\xa6");
    str_clear(&s);
    characters_height(&s, 1);
    characters_height(&s, 0.001);
    characters_height(&s, NAN);
    assert_string_equal(str_text(&s), "\xe2\x96\x88\xe2\x96\x81 ");
    str_release(&s);
}

/* A page in the dark has other colours, and no ground of its own. */
static void colours_follow_the_page(void **state)
{
    (void)state;
    struct str s;
    str_init(&s);
    theme_add(&s);
    assert_non_null(strstr(str_text(&s), "prefers-color-scheme:dark"));
    assert_null(strstr(str_text(&s), "background"));
    assert_well_formed(str_text(&s));
    str_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_have_places),  cmocka_unit_test(faults_are_seen),
        cmocka_unit_test(strangers_are_inert), cmocka_unit_test(texts_are_cut_to_their_room),
        cmocka_unit_test(ticks_are_nice),      cmocka_unit_test(bars_in_characters),
        cmocka_unit_test(texts_in_characters), cmocka_unit_test(colours_follow_the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
