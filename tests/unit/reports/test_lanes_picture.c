/* Are lanes drawn inside their axis, with words that do not overlap, however many there are? */
#define _GNU_SOURCE
#include "tests/unit/drawn_canvas.h"

#include <math.h>

#include "core/base/count_of.h"
#include "reports/pictures/lanes_picture.h"

static void assert_sound(const struct lanes_picture *p)
{
    struct canvas c;
    struct str text;
    canvas_init(&c, CANVAS_WIDTH, 0);
    str_init(&text);
    lanes_picture_draw(p, &c);
    assert_good_canvas(&c);
    lanes_picture_write(p, false, &text);
    assert_good_characters(str_text(&text));
    assert_false(text.failed || p->failed);
    str_release(&text);
    canvas_release(&c);
}

static struct lanes_picture three_lanes(void)
{
    struct lanes_picture p = {.begin_ns = 1000, .end_ns = 2000, .zero_ns = 1000, .axis = "from here", .lane_count = 3};
    for (size_t i = 0; i < p.lane_count; i++)
        p.labels[i] = "lane";
    for (int look = 0; look < LANE_LOOKS; look++)
        p.look_names[look] = "a look with a name";
    return p;
}

static void boxes_are_cut_at_the_axis(void **state)
{
    (void)state;
    struct lanes_picture p = three_lanes();
    assert_null(lanes_picture_box(&p, 0, 0, 999, LANE_COPY));
    assert_null(lanes_picture_box(&p, 0, 2000, 3000, LANE_COPY));
    assert_null(lanes_picture_box(&p, 0, 500, 1000, LANE_COPY));
    assert_null(lanes_picture_box(&p, 3, 1100, 1200, LANE_COPY));
    assert_null(lanes_picture_box(&p, 0, 1500, 1400, LANE_COPY));
    const struct lane_box *all = lanes_picture_box(&p, 0, INT64_MIN, INT64_MAX, LANE_COPY);
    assert_true(all && all->begin_ns == 1000 && all->end_ns == 2000);
    lanes_picture_step(&p, 0, 0, 1500, 0.5);
    lanes_picture_step(&p, 0, 2000, 2500, 0.5);
    lanes_picture_step(&p, 0, NAN, NAN, 0.5);
    assert_int_equal(p.curves[0].steps.count, 1);
    assert_true(p.curves[0].steps.items[0].begin_ns == 1000);
    lanes_picture_release(&p);
}

/* 100,000 boxes become as many as can be seen: 400 pixels of three lanes, and what belongs to the rest. */
static void thousands_of_boxes_are_joined(void **state)
{
    (void)state;
    struct lanes_picture p = three_lanes();
    struct canvas c;
    p.end_ns = 1000 + 1000000;
    for (int i = 0; i < 100000; i++)
        lanes_picture_box(&p, (size_t)i % 3, 1000 + 10 * i, 1000 + 10 * i + 4, LANE_COMPUTE)->text = "kernel";
    canvas_init(&c, CANVAS_WIDTH, 0);
    lanes_picture_draw(&p, &c);
    assert_true(c.boxes.count < 1400);
    canvas_release(&c);
    assert_sound(&p);
    lanes_picture_release(&p);
}

/* Two boxes with room for words, and one without. */
static void names_stand_where_they_fit(void **state)
{
    (void)state;
    struct lanes_picture p = three_lanes();
    struct canvas c;
    lanes_picture_box(&p, 0, 1000, 1400, LANE_COMPUTE)->text = "gemm";
    lanes_picture_box(&p, 0, 1400, 1450, LANE_WAIT)->text = "softmax";
    lanes_picture_box(&p, 1, 1450, 2000, LANE_WAIT)->text = "a kernel with a name that is far too long for its box";
    canvas_init(&c, CANVAS_WIDTH, 0);
    lanes_picture_draw(&p, &c);
    assert_non_null(strstr(str_text(&c.body), ">gemm<"));
    assert_null(strstr(str_text(&c.body), ">softmax<"));
    assert_non_null(strstr(str_text(&c.body), ">a kernel with"));
    assert_good_canvas(&c);
    canvas_release(&c);
    lanes_picture_release(&p);
}

static void brackets_and_curves_have_room(void **state)
{
    (void)state;
    static const char long_text[] = "<&\"\xff a text that is far longer than what the axis has room for, "
                                    "and is cut there, as all that is too long is cut";
    static const char *const texts[] = {"", "slack", long_text};
    static const int64_t ends[][2] = {{1000, 2000}, {1000, 1000}, {1999, 2000}, {1400, 1500}};
    for (size_t lane = 0; lane < 4; lane++)
        for (size_t i = 0; i < 4; i++) {
            struct lanes_picture p = three_lanes();
            p.bracket = (struct lane_bracket){.is_there = true,
                                              .has_lane = lane < 3,
                                              .lane = lane < 3 ? lane : 0,
                                              .begin_ns = ends[i][0],
                                              .end_ns = ends[i][1],
                                              .text = texts[i % 3]};
            lanes_picture_box(&p, 0, 1000, 1700, LANE_ARRIVAL)->text = "a";
            for (p.curve_count = 0; p.curve_count < LANE_CURVES_MAX; p.curve_count++) {
                p.curves[p.curve_count].label = "a unit of the GPU with a long name";
                for (int k = 0; k < 50; k++)
                    lanes_picture_step(&p, p.curve_count, 1000 + 20 * k, 1020 + 20 * k,
                                       k % 7 == 0 ? NAN : 0.02 * k * (double)p.curve_count);
            }
            assert_sound(&p);
            lanes_picture_release(&p);
        }
}

static void any_axis_is_drawn(void **state)
{
    (void)state;
    static const int64_t axes[][3] = {{0, 0, 0},
                                      {5, 3, 0},
                                      {INT64_MIN, INT64_MAX, 0},
                                      {0, 1, 0},
                                      {1700000000000000000, 1700000000000000100, 1700000000000000000},
                                      {0, 999999999999, 500000000000}};
    for (size_t i = 0; i < COUNT_OF(axes); i++) {
        struct lanes_picture p = three_lanes();
        p.begin_ns = axes[i][0];
        p.end_ns = axes[i][1];
        p.zero_ns = axes[i][2];
        p.labels[1] = "a<b>&\"c\" \xff\xfe of a length that fits nowhere at all";
        lanes_picture_box(&p, 1, INT64_MIN, INT64_MAX, LANE_WAIT);
        assert_sound(&p);
        lanes_picture_release(&p);
    }
    struct lanes_picture empty = {0};
    assert_sound(&empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_cut_at_the_axis),  cmocka_unit_test(thousands_of_boxes_are_joined),
        cmocka_unit_test(names_stand_where_they_fit), cmocka_unit_test(brackets_and_curves_have_room),
        cmocka_unit_test(any_axis_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
