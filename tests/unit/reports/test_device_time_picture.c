/* Do the parts of a device's time add up, and is the bar sound? */
#define _GNU_SOURCE
#include "tests/unit/drawn_canvas.h"

#include "core/base/count_of.h"
#include "reports/pictures/device_time_picture.h"
#include "reports/pictures/trace_pictures.h"

#define TWO_RANKS SOURCE_DIRECTORY "/examples/captures/two-ranks.cpprof"

static void assert_sound(const struct device_time_picture *p)
{
    struct canvas c;
    struct str text;
    canvas_init(&c, CANVAS_WIDTH, 0);
    str_init(&text);
    device_time_picture_draw(p, &c);
    assert_good_canvas(&c);
    device_time_picture_write(p, &text);
    assert_good_characters(str_text(&text));
    device_time_picture_say(p, &text);
    assert_true(text.length > 0 && !text.failed);
    str_release(&text);
    canvas_release(&c);
}

/* Two ranks of one GPU each. The kernels of rank 0 take 2.03 ms, of which 1.95 ms are all-reduces by themselves; the
 * report of gaps has the same 201 ms of a late host. */
static void a_capture_adds_up(void **state)
{
    (void)state;
    struct capture_facts f;
    struct device_time_picture p;
    struct err e = {0};
    assert_int_equal(capture_facts_open(&f, TWO_RANKS, NULL, &e), 0);
    assert_int_equal(capture_facts_measure(&f, &e), 0);
    const struct trace_measures m = trace_measures_of(&f);
    assert_true(device_time_picture_of(&p, &m));
    assert_int_equal(p.count, 2);
    for (size_t i = 0; i < p.count; i++) {
        int64_t sum_ns = 0;
        for (int part = 0; part < DEVICE_PARTS; part++)
            sum_ns += p.rows[i].part_ns[part];
        assert_int_equal(sum_ns, p.rows[i].span_ns);
        assert_int_equal(p.rows[i].part_ns[DEVICE_COMPUTE] + p.rows[i].part_ns[DEVICE_COMMUNICATION],
                         f.gaps.items[i].kernel_ns);
        assert_int_equal(p.rows[i].part_ns[DEVICE_HOST_LATE], f.gaps.items[i].cause_ns[GAP_HOST_LATE]);
        assert_true(p.rows[i].part_ns[DEVICE_COMMUNICATION] > p.rows[i].part_ns[DEVICE_COMPUTE]);
    }
    assert_string_equal(p.rows[1].label, "rank 1, device 1");
    assert_sound(&p);
    struct document d;
    document_init(&d);
    assert_int_equal(trace_pictures_add(&m, &d, &e), 0);
    assert_int_equal(d.count, 3);
    assert_false(d.failed);
    document_release(&d);
    capture_facts_release(&f);
}

static void assert_says(const struct device_time_picture *p, const char *expected)
{
    struct str says;
    str_init(&says);
    device_time_picture_say(p, &says);
    assert_string_equal(str_text(&says), expected);
    str_release(&says);
}

/* 3 of 10 are not most of the 6 that are left, and one device is not all of them. */
static void no_more_is_said_than_is_drawn(void **state)
{
    (void)state;
    struct device_time_picture p = {
        .rows = {{"device 0",
                  10,
                  {[DEVICE_COMPUTE] = 4, [DEVICE_COPY] = 3, [DEVICE_HOST_LATE] = 2, [DEVICE_SYNC] = 1}}},
        .count = 1};
    assert_says(&p, "Kernels run 40.0% of the time; the largest other part is: only copies, 30.0%");
    p.left_out = 2;
    assert_says(&p,
                "Kernels run 40.0% of the time on the 1 of 3 devices that are longest without a kernel; the largest "
                "other part is: only copies, 30.0%");
}

/* 2 of 1000 lie in a column that is mostly of other parts; 100 fill some. */
static void the_legend_is_of_what_is_drawn(void **state)
{
    (void)state;
    const struct device_time_picture p = {
        .rows = {{"device 0", 1000, {[DEVICE_COMPUTE] = 898, [DEVICE_COPY] = 2, [DEVICE_SYNC] = 100}}}, .count = 1};
    struct str text;
    str_init(&text);
    device_time_picture_write(&p, &text);
    assert_non_null(strstr(str_text(&text), "89.8% kernels   "));
    assert_non_null(strstr(str_text(&text), "10.0% idle, the host waited\n"));
    assert_null(strstr(str_text(&text), "only copies"));
    str_release(&text);
}

static void devices_have_names(void **state)
{
    (void)state;
    static const struct {
        int32_t rank, device;
        const char *label;
    } cases[] = {
        {-1, 2, "device 2"}, {3, 2, "rank 3, device 2"}, {3, -1, "rank 3, unknown device"}, {-1, -1, "unknown device"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct gaps_device device = {
            .rank = cases[i].rank, .device = cases[i].device, .last_end_ns = 10, .kernel_ns = 10};
        struct idle_gaps gaps = {.items = &device, .count = 1};
        const struct trace_measures m = {.gaps = &gaps};
        struct device_time_picture p;
        assert_true(device_time_picture_of(&p, &m));
        assert_string_equal(p.rows[0].label, cases[i].label);
    }
}

/* Of 20 devices those with most time without a kernel are shown, in their order: 12 to 19. */
static void the_worst_devices_are_shown(void **state)
{
    (void)state;
    struct gaps_device devices[20] = {{0}};
    struct idle_gaps gaps = {.items = devices, .count = 20};
    const struct trace_measures m = {.gaps = &gaps};
    struct device_time_picture p;
    for (int i = 0; i < 20; i++)
        devices[i] = (struct gaps_device){
            .rank = -1, .device = i, .last_end_ns = 1000, .kernel_ns = 1000 - i, .cause_ns = {[GAP_COPY] = i}};
    assert_true(device_time_picture_of(&p, &m));
    assert_int_equal(p.count, DEVICE_ROWS_MAX);
    assert_int_equal(p.left_out, 12);
    assert_string_equal(p.rows[0].label, "device 12");
    assert_string_equal(p.rows[7].label, "device 19");
    assert_int_equal(p.rows[7].part_ns[DEVICE_COPY], 19);
    assert_sound(&p);
    devices[0].last_end_ns = 0;
    gaps.count = 1;
    assert_false(device_time_picture_of(&p, &m));
    gaps.count = 0;
    assert_false(device_time_picture_of(&p, &m));
}

static void any_parts_are_drawn(void **state)
{
    (void)state;
    static const int64_t parts[][DEVICE_PARTS] = {
        {1}, {0, 0, 0, 0, 0, 0, 1}, {1, 1, 1, 1, 1, 1, 1}, {1, 0, INT64_MAX / 4}, {999999, 1}};
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        struct device_time_picture p = {.count = 2};
        for (size_t r = 0; r < p.count; r++) {
            snprintf(p.rows[r].label, sizeof p.rows[r].label, "a<b>&\"\xff");
            for (int part = 0; part < DEVICE_PARTS; part++) {
                p.rows[r].part_ns[part] = parts[i][part];
                p.rows[r].span_ns += parts[i][part];
            }
        }
        assert_sound(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_capture_adds_up),   cmocka_unit_test(no_more_is_said_than_is_drawn),
        cmocka_unit_test(devices_have_names),  cmocka_unit_test(the_worst_devices_are_shown),
        cmocka_unit_test(any_parts_are_drawn), cmocka_unit_test(the_legend_is_of_what_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
