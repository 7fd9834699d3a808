/* Are sweeps drawn where all of it can be read, whatever they are? */
#include "tests/unit/drawn_canvas.h"

#include <math.h>
#include <stdlib.h>

#include "analyzers/analysed.h"
#include "core/base/count_of.h"
#include "reports/pictures/sweep_picture.h"

enum { LINES_OF_CHARACTERS = 12 };

static size_t lines_of(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

/* The values of an axis stand left of the plot, and no mark or interval reaches them. */
static void assert_axis_is_free(const struct canvas *c)
{
    for (size_t i = 0; i < c->boxes.count; i++)
        for (size_t k = 0; k < c->boxes.count; k++) {
            const struct canvas_box *text = &c->boxes.items[i], *other = &c->boxes.items[k];
            if (text->is_text && text->x + text->width < 72 && !other->is_text)
                assert_false(boxes_touch(text, other));
        }
}

static void assert_sound(const struct sweep_picture *p)
{
    struct canvas c;
    struct str text;
    canvas_init(&c, CANVAS_WIDTH, 0);
    str_init(&text);
    sweep_picture_draw(p, &c);
    assert_good_canvas(&c);
    assert_axis_is_free(&c);
    sweep_picture_write(p, &text);
    assert_good_characters(str_text(&text));
    assert_in_range(lines_of(str_text(&text)), 2, LINES_OF_CHARACTERS);
    sweep_picture_say(p, &text);
    assert_true(text.length > 0 && !text.failed);
    str_release(&text);
    canvas_release(&c);
}

static struct sweep_dot dot(double size, double speedup, double base_ns)
{
    return (struct sweep_dot){size, speedup, speedup * 0.9, speedup * 1.1, base_ns, base_ns / speedup};
}

static struct sweep_picture picture_of(struct sweep_line line)
{
    return (struct sweep_picture){
        .lines = {line}, .count = 1, .baseline = "nccl", .axis = "size", .in_bytes = true, .margin = 0.01};
}

/* The finding is in the words, and the sizes are as people write them. */
static void it_says_what_it_shows(void **state)
{
    (void)state;
    struct sweep_dot dots[] = {dot(8192, 2.4, 6e3), dot(2097152, 2.69, 3e4), dot(67108864, 1.2, 3e5),
                               dot(536870912, 1.07, 1.7e6)};
    struct sweep_picture p = picture_of((struct sweep_line){"dispatch", dots, 4});
    struct str text;
    str_init(&text);
    sweep_picture_say(&p, &text);
    assert_string_equal(str_text(&text), "Speedup against nccl by size: dispatch 1.07x to 2.69x, lowest at 512 MiB, "
                                         "highest at 2 MiB");
    str_clear(&text);
    sweep_picture_write(&p, &text);
    assert_non_null(strstr(str_text(&text), "   2.69x \xe2\x94\x82"));
    assert_non_null(strstr(str_text(&text), "      1x \xe2\x94\x82\xe2\x94\x84"));
    assert_non_null(strstr(str_text(&text), "    size  8 KiB "));
    assert_non_null(strstr(str_text(&text), " 512 MiB\n"));
    assert_sound(&p);
    str_release(&text);
}

/* What is faster stands above what is slower, and one between them. */
static void faster_is_higher(void **state)
{
    (void)state;
    struct sweep_dot dots[] = {dot(1, 0.5, 100), dot(2, 1.5, 100), dot(4, 0.5, 100), dot(8, 0.5, 100)};
    struct sweep_picture p = picture_of((struct sweep_line){"a", dots, 4});
    struct str text;
    str_init(&text);
    sweep_picture_write(&p, &text);
    const char *high = strstr(str_text(&text), "\xe2\x97\x8f"), *one = strstr(str_text(&text), "1x "),
               *low = strstr(str_text(&text), "0.500x");
    assert_true(high && one && low && high < one && one < low);
    str_release(&text);
}

/* Of several variants each has a row, and the value at the first and the last size. */
static void variants_have_rows(void **state)
{
    (void)state;
    struct sweep_dot a[] = {dot(1, 2, 100), dot(2, 2, 100), dot(4, 2, 100), dot(8, 4, 100)},
                     b[] = {dot(1, 0.5, 100), dot(2, 1, 100), dot(4, 1, 100), dot(16, 3, 100)};
    struct sweep_picture p = picture_of((struct sweep_line){"fast", a, 4});
    p.lines[p.count++] = (struct sweep_line){"slow", b, 4};
    struct str text;
    str_init(&text);
    sweep_picture_write(&p, &text);
    const char *fast = strstr(str_text(&text), "fast"), *slow = strstr(str_text(&text), "slow");
    assert_non_null(fast);
    assert_non_null(slow);
    assert_int_equal(lines_of(str_text(&text)), 3);
    assert_true(strstr(fast, "2.00x") < slow && strstr(fast, "4.00x") < slow);
    assert_non_null(strstr(slow, "0.500x"));
    assert_non_null(strstr(slow, "3.00x"));
    assert_sound(&p);
    str_release(&text);
}

/* ---- which lines ---- */

enum { SIZES = 4, VARIANTS = 6 };

/* One pair at four sizes: the same speedup at each. */
struct hand_sweep {
    struct comparison rows[SIZES];
    struct sweep_point points[SIZES];
};

static struct sweep sweep_of(struct hand_sweep *h, const char *candidate, const char *const *sizes, double speedup)
{
    for (size_t i = 0; i < SIZES; i++) {
        h->rows[i] = (struct comparison){
            .verdict = COMPARE_FASTER, .speedup = speedup, .ci_low = 0.9 / speedup, .ci_high = INFINITY};
        h->points[i] = (struct sweep_point){.size = sizes[i], .row = &h->rows[i], .base_ns = 100, .cand_ns = 50};
    }
    return (struct sweep){.baseline = "f/base",
                          .candidate = candidate,
                          .cache = "hot",
                          .parameters = "",
                          .points = h->points,
                          .count = SIZES};
}

static struct analysis analysis_of(struct sweep *sweeps, size_t count)
{
    struct analysis a = {.margin = 0.01};
    a.sweeps.items = sweeps;
    a.sweeps.count = count;
    return a;
}

static void sizes_are_numbers_of_one_axis(void **state)
{
    (void)state;
    static const struct {
        const char *sizes[SIZES];
        const char *axis; /* NULL: no picture */
        bool in_bytes;
        double first;
    } cases[] = {{{"bytes=1024", "kib512", "mib1", "gib2"}, "size", true, 1024},
                 {{"rows=9", "rows=5", "rows=7", "rows=6"}, "rows", false, 5},
                 {{"row_bytes=9", "row_bytes=5", "row_bytes=7", "row_bytes=6"}, "row_bytes", true, 5},
                 {{"m=1,n=8", "m=2,n=8", "m=4,n=8", "m=8,n=8"}, "m", false, 1},
                 {{"m=1,n=8", "m=2,n=9", "m=4,n=8", "m=8,n=8"}, NULL, false, 0},
                 {{"rows=1", "rows=2", "columns=3", "rows=4"}, NULL, false, 0},
                 {{"small", "rows=1", "rows=2", "rows=3"}, NULL, false, 0},
                 {{"rows=0", "rows=1", "rows=2", "rows=3"}, NULL, false, 0},
                 {{"rows=1", "rows=1", "rows=2", "rows=3"}, NULL, false, 0},
                 {{"rows=", "=1", "rows=1e5", "rows=99999999999999999999"}, NULL, false, 0},
                 {{"", ",", "=", "rows"}, NULL, false, 0}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct hand_sweep h;
        struct sweep sweep = sweep_of(&h, "f/a", cases[i].sizes, 2);
        const struct analysis a = analysis_of(&sweep, 1);
        struct sweep_picture p;
        struct document d;
        document_init(&d);
        assert_int_equal(sweep_picture_is_there(&a), cases[i].axis != NULL);
        assert_int_equal(sweep_picture_of(&p, &a, &d), cases[i].axis != NULL);
        if (cases[i].axis) {
            assert_string_equal(p.axis, cases[i].axis);
            assert_int_equal(p.in_bytes, cases[i].in_bytes);
            assert_true(p.lines[0].count == SIZES && p.lines[0].dots[0].size == cases[i].first);
            assert_true(p.lines[0].dots[0].low == 2); /* an open end is the middle: 1 / INFINITY is none */
            assert_string_equal(p.lines[0].label, "a");
            assert_string_equal(p.baseline, "base");
        }
        document_release(&d);
    }
}

/* Of six the three that are fastest and the slowest, in their order; one of another baseline is left out, too. */
static void four_lines_are_chosen(void **state)
{
    (void)state;
    static const char *const sizes[SIZES] = {"rows=1", "rows=2", "rows=3", "rows=4"};
    static const char *const names[VARIANTS] = {"f/a", "f/b", "f/c", "f/d", "f/e", "f/f"};
    static const double speedups[VARIANTS] = {1.5, 0.5, 3, 0.9, 2, 1.1};
    struct hand_sweep h[VARIANTS + 1];
    struct sweep sweeps[VARIANTS + 1];
    for (size_t i = 0; i < VARIANTS; i++)
        sweeps[i] = sweep_of(&h[i], names[i], sizes, speedups[i]);
    sweeps[VARIANTS] = sweep_of(&h[VARIANTS], "f/g", sizes, 9);
    sweeps[VARIANTS].baseline = "f/other";
    const struct analysis a = analysis_of(sweeps, VARIANTS + 1);
    struct sweep_picture p;
    struct document d;
    document_init(&d);
    assert_true(sweep_picture_of(&p, &a, &d));
    assert_int_equal(p.count, 4);
    assert_int_equal(p.left_out, 3);
    assert_string_equal(p.lines[0].label, "a");
    assert_string_equal(p.lines[1].label, "b");
    assert_string_equal(p.lines[2].label, "c");
    assert_string_equal(p.lines[3].label, "e");
    document_release(&d);
}

/* A size without a verdict is a gap in the line, and one that is not enough is none. */
static void what_was_not_compared_is_a_gap(void **state)
{
    (void)state;
    struct sweep_dot dots[] = {dot(1, 2, 100), dot(2, NAN, NAN), dot(4, 3, 100), dot(8, 3, 100), dot(16, 3, 100)};
    struct sweep_picture p = picture_of((struct sweep_line){"a", dots, 5});
    struct canvas c;
    canvas_init(&c, CANVAS_WIDTH, 0);
    sweep_picture_draw(&p, &c);
    assert_null(strstr(str_text(&c.body), "nan"));
    assert_good_canvas(&c);
    canvas_release(&c);
    static const char *const sizes[SIZES] = {"rows=1", "rows=2", "rows=3", "rows=4"};
    struct hand_sweep h;
    struct sweep sweep = sweep_of(&h, "f/a", sizes, 2);
    const struct analysis a = analysis_of(&sweep, 1);
    assert_true(sweep_picture_is_there(&a));
    h.rows[1].verdict = COMPARE_UNUSABLE;
    assert_false(sweep_picture_is_there(&a));
}

/* As recorded: 17 sizes, 1.07x at the largest. */
static void a_recorded_sweep_has_its_picture(void **state)
{
    (void)state;
    struct analysed a;
    struct sweep_picture p;
    struct document d;
    struct err e = {0};
    struct str says;
    str_init(&says);
    document_init(&d);
    assert_int_equal(analysed_open(&a, SOURCE_DIRECTORY "/examples/allreduce/nccl.cpprof", NULL, &e), 0);
    assert_true(sweep_picture_of(&p, &a.analysis, &d));
    assert_true(p.count == 1 && p.lines[0].count == 17);
    sweep_picture_say(&p, &says);
    assert_string_equal(str_text(&says), "Speedup against nccl by size: dispatch 1.14x to 2.70x, lowest at 512 MiB, "
                                         "highest at 2 MiB");
    assert_sound(&p);
    str_release(&says);
    document_release(&d);
    analysed_release(&a);
}

/* ---- anything ---- */

static double value_at(size_t kind, size_t at)
{
    static const double odd[] = {NAN, 1e-300, 1e300, 1, 0.9999, 1.0001, 166, 12.6};
    switch (kind) {
    case 0: return 1;
    case 1: return 1 + 0.0001 * (double)at;
    case 2: return pow(3, (double)(at % 9));
    case 3: return NAN;
    default: return odd[at % 8];
    }
}

static void fill(struct sweep_dot *dots, size_t count, size_t kind, bool is_dense)
{
    for (size_t i = 0; i < count; i++) {
        const double speedup = value_at(kind, i);
        dots[i] = dot(is_dense ? 1000000 + (double)i : ldexp(1, (int)(i % 50)), speedup, 1e4 * value_at(4 - kind, i));
        dots[i].high = kind == 2 ? 1e300 : dots[i].high;
        dots[i].low = kind == 2 ? 1e-300 : dots[i].low;
    }
}

static void any_sweep_is_drawn(void **state)
{
    (void)state;
    static const char *const labels[] = {"x", "<&\"'>\xff\x1b[31m", "",
                                         ("a name that is far longer than its room is wide, wherever that may be, and "
                                          "goes on after that")};
    static struct sweep_dot dots[SWEEP_DOTS_MAX];
    static const size_t counts[] = {4, 17, SWEEP_DOTS_MAX};
    for (size_t kind = 0; kind < 5; kind++)
        for (size_t lines = 1; lines <= SWEEP_LINES_MAX; lines++)
            for (size_t n = 0; n < 6; n++) {
                struct sweep_picture p = {.count = lines,
                                          .baseline = labels[(n + 3) % 4],
                                          .axis = n == 5 ? labels[3] : "rows",
                                          .in_bytes = n & 1,
                                          .margin = n == 4 ? 0 : 0.01};
                fill(dots, counts[n % 3], kind, n > 2);
                for (size_t i = 0; i < lines; i++)
                    p.lines[i] = (struct sweep_line){labels[(i + n) % 4], dots, counts[n % 3]};
                assert_sound(&p);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_says_what_it_shows),
        cmocka_unit_test(faster_is_higher),
        cmocka_unit_test(variants_have_rows),
        cmocka_unit_test(sizes_are_numbers_of_one_axis),
        cmocka_unit_test(four_lines_are_chosen),
        cmocka_unit_test(what_was_not_compared_is_a_gap),
        cmocka_unit_test(a_recorded_sweep_has_its_picture),
        cmocka_unit_test(any_sweep_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
