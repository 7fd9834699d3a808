/* Are all kernels in the roofline, and no two numbers on each other? */
#include "tests/unit/drawn_canvas.h"

#include <math.h>
#include <stdlib.h>

#include "analyzers/analysed.h"
#include "core/base/count_of.h"
#include "reports/pictures/roofline_picture.h"

static size_t texts_of(const struct canvas *c)
{
    size_t count = 0;
    for (size_t i = 0; i < c->boxes.count; i++)
        count += c->boxes.items[i].is_text;
    return count;
}

/* Points are 4 by 4, and in the plot only numbers have room for them. */
static void assert_no_number_on_a_point(const struct canvas *c)
{
    for (size_t i = 0; i < c->boxes.count; i++)
        for (size_t k = 0; k < c->boxes.count; k++) {
            const struct canvas_box *text = &c->boxes.items[i], *point = &c->boxes.items[k];
            if (text->is_text && !point->is_text && point->width == 4 && point->height == 4)
                assert_false(boxes_touch(text, point));
        }
}

static void all_kernels_are_drawn(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        size_t least; /* texts: a number and a name for each kernel */
    } examples[] = {{"sdpa/ladder", 84}, {"truth/truth", 20}, {"verdicts/win", 4}};
    for (size_t i = 0; i < COUNT_OF(examples); i++) {
        static struct analysed a;
        struct err e = {0};
        struct document d;
        struct canvas c;
        char path[512];
        snprintf(path, sizeof path, SOURCE_DIRECTORY "/examples/%s.cpprof", examples[i].path);
        assert_int_equal(analysed_open(&a, path, NULL, &e), 0);
        document_init(&d);
        canvas_init(&c, CANVAS_WIDTH, 0);
        assert_true(roofline_picture_draw(&a.analysis, &d, &c));
        assert_good_canvas(&c);
        assert_no_number_on_a_point(&c);
        assert_true(texts_of(&c) >= examples[i].least);
        canvas_release(&c);
        document_release(&d);
        analysed_release(&a);
    }
}

/* 1e12 operations a second, 1 for 10 bytes of L2 and 10 for each byte of DRAM; `top`: of a precision, NAN: not known.
 */
static struct roofline made(double top)
{
    struct roofline r = {.variant = "v",
                         .config = "",
                         .kernel = "k",
                         .flop_per_s = 1e12,
                         .levels = {{"l1", .intensity = NAN, .peak = NAN, .measured = NAN},
                                    {"l2", .intensity = 0.1, .peak = 1e13, .measured = NAN},
                                    {"dram", .intensity = 10, .peak = 1e12, .measured = NAN}},
                         .nearest = "",
                         .nearest_share = NAN};
    r.precisions[0] = (struct roof){"fp32", .peak = top, .measured = NAN};
    r.precision_count = isfinite(top);
    return r;
}

/* Both axes are logarithmic, so all slopes are parallel, also without a roof where they end. */
static void slopes_are_parallel(void **state)
{
    (void)state;
    static const double tops[] = {NAN, 6e13};
    for (size_t i = 0; i < 2; i++) {
        struct roofline r = made(tops[i]);
        static struct bundle bundle;
        const struct analysis a = {.bundle = &bundle, .rooflines = {.items = &r, .count = 1}};
        struct document d;
        struct canvas c;
        double first = 0;
        size_t slopes = 0;
        document_init(&d);
        canvas_init(&c, CANVAS_WIDTH, 0);
        assert_true(roofline_picture_draw(&a, &d, &c));
        assert_good_canvas(&c);
        for (size_t k = 0; k < c.boxes.count; k++) {
            const struct canvas_box *b = &c.boxes.items[k];
            if (b->is_text || b->width < 60 || b->height < 60)
                continue;
            first = slopes++ ? first : b->height / b->width;
            assert_true(fabs(b->height / b->width - first) < 0.01);
        }
        assert_int_equal(slopes, 2);
        canvas_release(&c);
        document_release(&d);
    }
}

/* Level roofs are told apart by their order, which is that of the picture, from the top; powers of ten are short. */
static void roofs_are_listed_as_they_lie(void **state)
{
    (void)state;
    struct roofline r = made(2e13);
    static struct bundle bundle;
    const struct analysis a = {.bundle = &bundle, .rooflines = {.items = &r, .count = 1}};
    struct document d;
    struct canvas c;
    r.levels[ROOF_DRAM].intensity = 1e7;
    r.precisions[1] = (struct roof){"tensor", .peak = 9e14, .measured = NAN};
    r.precisions[2] = (struct roof){"fp16", .peak = 4e13, .measured = NAN};
    r.precision_count = 3;
    document_init(&d);
    canvas_init(&c, CANVAS_WIDTH, 0);
    assert_true(roofline_picture_draw(&a, &d, &c));
    static const char *const names[] = {">1e5<", ">l2 ", ">dram ", ">tensor ", ">fp16 ", ">fp32 "};
    const char *at = str_text(&c.body);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        at = strstr(at, names[i]);
        assert_non_null(at);
    }
    canvas_release(&c);
    document_release(&d);
}

/* What two names share may be cut, the rest tells them apart: kernels of a library differ late. */
static void long_names_differ(void **state)
{
    (void)state;
    struct roofline rows[] = {made(2e13), made(2e13)};
    static struct bundle bundle;
    const struct analysis a = {.bundle = &bundle, .rooflines = {.items = rows, .count = 2}};
    struct document d;
    struct canvas c;
    rows[0].variant = "library/a_kernel_with_a_name_that_is_far_longer_than_the_picture_is_wide_forward";
    rows[1].variant = "library/a_kernel_with_a_name_that_is_far_longer_than_the_picture_is_wide_backward";
    document_init(&d);
    canvas_init(&c, CANVAS_WIDTH, 0);
    assert_true(roofline_picture_draw(&a, &d, &c));
    assert_good_canvas(&c);
    assert_non_null(strstr(str_text(&c.body), ">1: a_kernel"));
    assert_non_null(strstr(str_text(&c.body), "forward<"));
    assert_non_null(strstr(str_text(&c.body), "backward<"));
    canvas_release(&c);
    document_release(&d);
}

/* A picture of 1,000 kernels would be 10,000 high, and say no more. */
static void a_picture_has_a_largest_size(void **state)
{
    (void)state;
    static struct bundle bundle;
    struct roofline *rows = calloc(1000, sizeof *rows);
    const struct analysis a = {.bundle = &bundle, .rooflines = {.items = rows, .count = 1000}};
    struct document d;
    struct canvas c;
    for (size_t i = 0; i < 1000; i++)
        rows[i] = made(6e13);
    document_init(&d);
    canvas_init(&c, CANVAS_WIDTH, 0);
    assert_true(roofline_picture_draw(&a, &d, &c));
    assert_good_canvas(&c);
    assert_true(c.height < 2000);
    canvas_release(&c);
    roofline_picture_add(&a, &d);
    assert_int_equal(d.count, 1);
    document_release(&d);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_kernels_are_drawn), cmocka_unit_test(slopes_are_parallel),
                                       cmocka_unit_test(roofs_are_listed_as_they_lie),
                                       cmocka_unit_test(long_names_differ),
                                       cmocka_unit_test(a_picture_has_a_largest_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
