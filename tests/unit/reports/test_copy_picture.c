/* Does the window around an exposed copy show what ran beside it? */
#define _GNU_SOURCE
#include "tests/unit/drawn_canvas.h"

#include "core/base/count_of.h"
#include "reports/pictures/copy_picture.h"
#include "tests/unit/hand_trace.h"

/* The copy takes [200, 500), of which a kernel hides [200, 260). A third of it before and behind is shown: [100, 600).
 */
static const struct tiny_event trace[] = {{KERNEL, 0, 260, 7, "first<&>", 0, 0},
                                          {H2D, 200, 500, 8, "copy\xff", 0, 1 << 20},
                                          {KERNEL, 500, 900, 7, "second", 0, 0}};

static void the_copy_stands_in_its_window(void **state)
{
    (void)state;
    struct idle_gaps gaps;
    struct trace_measures m = {.stream = tiny_stream(trace, COUNT_OF(trace)), .gaps = &gaps};
    struct exposed_copy copy;
    struct trace_window w;
    struct lanes_picture p;
    struct arena arena;
    struct canvas c;
    struct err e = {0};
    int64_t begin, end;
    arena_init(&arena);
    canvas_init(&c, CANVAS_WIDTH, 0);
    assert_int_equal(idle_gaps_measure(m.stream, &gaps, &e), 0);
    assert_int_equal(exposed_copy_find(m.stream, &gaps, &copy, &e), 0);
    trace_window_around(copy.start_ns, copy.end_ns, copy.device, &begin, &end);
    assert_int_equal(begin, 100);
    assert_int_equal(end, 600);
    assert_int_equal(trace_window_read(m.stream, -1, 0, begin, end, &w, &e), 0);
    assert_true(copy_picture_of(&p, &m, &w, &copy, &arena));
    assert_int_equal(p.lane_count, 2);
    assert_string_equal(p.labels[0], "stream 7");
    assert_int_equal(p.boxes.count, 3);
    assert_true(p.boxes.items[1].look == LANE_COPY && p.boxes.items[1].lane == 1);
    assert_true(p.bracket.is_there && p.bracket.begin_ns == 200 && p.bracket.end_ns == 500);
    assert_string_equal(p.bracket.text, "copy h2d of 1.00 MiB: 300 ns, 240 ns of it without a kernel");
    lanes_picture_draw(&p, &c);
    assert_good_canvas(&c);
    canvas_release(&c);
    lanes_picture_release(&p);
    trace_window_release(&w);
    idle_gaps_release(&gaps);
    event_stream_free(m.stream);
    arena_release(&arena);
}

static const char *says_of(const struct tiny_event *events, size_t count, struct document *d)
{
    struct idle_gaps gaps;
    struct trace_measures m = {.stream = tiny_stream(events, count), .gaps = &gaps};
    struct err e = {0};
    assert_int_equal(idle_gaps_measure(m.stream, &gaps, &e), 0);
    assert_int_equal(copy_picture_add(&m, d, &e), 0);
    idle_gaps_release(&gaps);
    event_stream_free(m.stream);
    const struct picture *picture = document_picture_at(d, 0);
    return picture ? picture->says : NULL;
}

static void it_is_added_where_a_copy_is_exposed(void **state)
{
    (void)state;
    struct document with, without;
    document_init(&with);
    document_init(&without);
    assert_string_equal(says_of(trace, COUNT_OF(trace), &with),
                        "On device 0 the copy with most time in which no kernel runs: copy h2d of 1.00 MiB, 300 ns, "
                        "240 ns of it without a kernel");
    assert_null(says_of(trace, 1, &without));
    assert_int_equal(without.count, 0);
    document_release(&with);
    document_release(&without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_copy_stands_in_its_window),
        cmocka_unit_test(it_is_added_where_a_copy_is_exposed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
