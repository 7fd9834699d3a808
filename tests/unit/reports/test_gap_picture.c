/* Does the window around a gap show the streams and the host? */
#define _GNU_SOURCE
#include "tests/unit/drawn_canvas.h"

#include "core/base/count_of.h"
#include "reports/pictures/gap_picture.h"
#include "tests/unit/hand_trace.h"

static void assert_sound(const struct lanes_picture *p)
{
    struct canvas c;
    canvas_init(&c, CANVAS_WIDTH, 0);
    lanes_picture_draw(p, &c);
    assert_good_canvas(&c);
    canvas_release(&c);
}

/* Device 0 is busy [0, 100) on stream 7 and [700, 800) on stream 8; the launch of the second kernel takes [650, 680).
 */
static const struct host_event late[] = {{KERNEL, 0, 100, 1, 7, "first<&>", 0, 0},
                                         {LAUNCH_CALL, 0, 5, 1, 1, "cudaLaunchKernel", 0, 0},
                                         {LAUNCH_CALL, 650, 680, 2, 1, "cudaLaunchKernel_v7000", 0, 0},
                                         {KERNEL, 700, 800, 2, 8, "second\xff", 0, 0}};

static void a_late_host_has_a_lane(void **state)
{
    (void)state;
    struct idle_gaps gaps;
    struct trace_measures m = {.stream = host_stream(late, COUNT_OF(late)), .gaps = &gaps};
    const struct gaps_device *device;
    struct trace_window w;
    struct lanes_picture p;
    struct arena arena;
    struct err e = {0};
    int64_t begin, end;
    arena_init(&arena);
    assert_int_equal(idle_gaps_measure(m.stream, &gaps, &e), 0);
    const struct idle_gap *gap = trace_window_gap(&gaps, &device);
    assert_int_equal(gap->cause, GAP_HOST_LATE);
    trace_window_around(gap->start_ns, gap->end_ns, device, &begin, &end);
    assert_int_equal(trace_window_read(m.stream, device->rank, device->device, begin, end, &w, &e), 0);
    assert_true(gap_picture_of(&p, &m, &w, gap, &arena));
    assert_int_equal(p.lane_count, 3);
    assert_string_equal(p.labels[0], "host thread");
    assert_string_equal(p.labels[1], "stream 7");
    assert_string_equal(p.labels[2], "stream 8");
    assert_int_equal(p.boxes.count, 3);
    assert_true(p.boxes.items[2].lane == 0 && p.boxes.items[2].begin_ns == 650 && p.boxes.items[2].end_ns == 680);
    assert_string_equal(p.boxes.items[2].text, "cudaLaunchKernel");
    assert_true(p.bracket.is_there && p.bracket.begin_ns == 100 && p.bracket.end_ns == 700);
    assert_sound(&p);
    lanes_picture_release(&p);
    trace_window_release(&w);
    idle_gaps_release(&gaps);
    event_stream_free(m.stream);
    arena_release(&arena);
}

/* Of 300 streams the 11 with most work are shown, and the rest is left out of the lanes. */
static void streams_are_bounded(void **state)
{
    (void)state;
    static struct window_slice slices[300];
    const struct idle_gap gap = {.start_ns = 400, .end_ns = 900, .cause = GAP_UNKNOWN};
    struct trace_measures m = {.stream = host_stream(late, 1)};
    struct trace_window w = {.rank = -1, .begin_ns = 0, .end_ns = 1000};
    struct lanes_picture p;
    struct arena arena;
    arena_init(&arena);
    for (uint32_t i = 0; i < 300; i++)
        slices[i] = (struct window_slice){
            0, i < 200 ? 1 + i : 1, 1, i, {.is_there = true, .kind = CPPROF_EVENT_MEMSET, .stream = i}};
    w.slices.items = slices;
    w.slices.count = 300;
    assert_true(gap_picture_of(&p, &m, &w, &gap, &arena));
    assert_int_equal(p.lane_count, LANE_ROWS_MAX - 1);
    assert_string_equal(p.labels[10], "stream 199");
    assert_int_equal(p.boxes.count, 11);
    assert_sound(&p);
    lanes_picture_release(&p);
    event_stream_free(m.stream);
    arena_release(&arena);
}

static void no_gap_is_no_picture(void **state)
{
    (void)state;
    const struct idle_gaps none = {0};
    const struct trace_measures m = {.gaps = &none};
    struct document d;
    struct err e = {0};
    document_init(&d);
    assert_int_equal(gap_picture_add(&m, &d, &e), 0);
    assert_int_equal(d.count, 0);
    document_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_late_host_has_a_lane),
        cmocka_unit_test(streams_are_bounded),
        cmocka_unit_test(no_gap_is_no_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
