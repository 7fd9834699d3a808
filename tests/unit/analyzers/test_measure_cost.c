/* Is what an overlap gains and costs computed as it is defined? */
#include <math.h>

#include "analyzers/overlap/measure_cost.h"
#include "core/trace/timeline.h"
#include "tests/test.h"
#include "tests/unit/hand_trace.h"

/* A alone: gemm [0,100) on device 0.  B alone: copies [0,30) [30,60), and a fill [60,80) that A has, too.
 * Together: gemm [0,120), copies [10,50) [50,100), fill [100,110), and an unknown one [110,130). */
static const struct tiny_event a[] = {{KERNEL, 0, 90, 1, "gemm", 0, 0}, {MEMSET, 90, 100, 1, "fill", 0, 0}};
static const struct tiny_event b[] = {
    {H2D, 0, 30, 2, "copy", 0, 0}, {H2D, 30, 60, 2, "copy", 0, 0}, {MEMSET, 60, 80, 2, "fill", 0, 0}};
static const struct tiny_event both[] = {{KERNEL, 0, 120, 1, "gemm", 0, 0},    {H2D, 10, 50, 2, "copy", 0, 0},
                                         {H2D, 50, 100, 2, "copy", 0, 0},      {MEMSET, 100, 110, 2, "fill", 0, 0},
                                         {KERNEL, 110, 130, 2, "other", 0, 0}, {KERNEL, 5, -1, 1, "gemm", 0, 0}};

TEST(a_gain_and_its_cost)
{
    struct event_stream *streams[] = {tiny_stream(a, 2), tiny_stream(b, 3), tiny_stream(both, 6)};
    struct overlap_cost c;
    struct err e = {0};
    assert_int_equal(overlap_cost_measure(streams[0], streams[1], streams[2], &c, &e), 0);
    assert_int_equal(c.a.span_ns, 100);
    assert_int_equal(c.b.span_ns, 80);
    assert_int_equal(c.span_ns, 130);
    assert_true(fabs(c.gain - (100 + 80 - 130) / 80.0) < 1e-12);
    assert_int_equal(c.a.busy_alone_ns, 90);
    assert_int_equal(c.a.busy_together_ns, 120); /* the unfinished one is left out */
    assert_int_equal(c.a.events_together, 1);
    assert_true(fabs(c.a.slowdown - 120.0 / 90) < 1e-12);
    assert_int_equal(c.b.events_alone, 2);
    assert_int_equal(c.b.busy_alone_ns, 60);
    assert_int_equal(c.b.busy_together_ns, 90);
    assert_true(fabs(c.b.slowdown - 1.5) < 1e-12);
    assert_int_equal(c.ambiguous, 3); /* one fill in each trace */
    assert_int_equal(c.unknown, 1);
    assert_int_equal(c.differing, 2); /* two fills alone and one together; other, which nobody has alone */
    for (size_t i = 0; i < 3; i++)
        event_stream_free(streams[i]);
}

/* gemm and two copies of 8 bytes alone; together as often as that or not. */
TEST(different_work_is_no_gain)
{
    static const struct tiny_event alone_a[] = {{KERNEL, 0, 90, 1, "gemm", 0, 0}, {KERNEL, 90, 95, 1, "norm", 0, 0}};
    static const struct tiny_event alone_b[] = {{H2D, 0, 30, 2, "copy", 0, 8}, {H2D, 30, 60, 2, "copy", 0, 8}};
    static const struct {
        int64_t differing;
        struct tiny_event together[4];
    } cases[] = {
        {0,
         {{KERNEL, 0, 90, 1, "gemm", 0, 0},
          {H2D, 0, 30, 2, "copy", 0, 8},
          {H2D, 30, 60, 2, "copy", 0, 8},
          {KERNEL, 90, 95, 1, "norm", 0, 0}}},
        {2,
         {{KERNEL, 0, 90, 1, "gemm", 0, 0},
          {H2D, 0, 30, 2, "copy", 0, 8},
          {H2D, 30, 60, 2, "copy", 0, 8},
          {KERNEL, 90, 95, 1, "gemm", 0, 0}}}, /* as many kernels of A, other ones */
        {1,
         {{KERNEL, 0, 90, 1, "gemm", 0, 0},
          {H2D, 0, 30, 2, "copy", 0, 8},
          {H2D, 30, 60, 2, "copy", 0, 4},
          {KERNEL, 90, 95, 1, "norm", 0, 0}}}, /* fewer bytes */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_stream *streams[] = {tiny_stream(alone_a, 2), tiny_stream(alone_b, 2),
                                          tiny_stream(cases[i].together, 4)};
        struct overlap_cost c;
        struct err e = {0};
        assert_int_equal(overlap_cost_measure(streams[0], streams[1], streams[2], &c, &e), 0);
        assert_int_equal(c.differing, cases[i].differing);
        for (size_t s = 0; s < 3; s++)
            event_stream_free(streams[s]);
    }
}

TEST(a_trace_without_work_is_refused)
{
    struct event_stream *streams[] = {tiny_stream(a, 2), tiny_stream(NULL, 0)};
    struct overlap_cost c;
    struct err e = {0};
    assert_int_equal(overlap_cost_measure(streams[0], streams[1], streams[0], &c, &e), ERR_INPUT);
    assert_string_equal(e.text, "'memory' has no GPU events: nothing can be compared");
    for (size_t i = 0; i < 2; i++)
        event_stream_free(streams[i]);
}

TEST(too_many_devices_are_refused)
{
    static struct tiny_event many[COST_DEVICES_MAX + 1];
    for (int i = 0; i <= COST_DEVICES_MAX; i++)
        many[i] = (struct tiny_event){KERNEL, i, i + 5, 1, "gemm", i, 0};
    for (int extra = 0; extra < 2; extra++) {
        struct event_stream *streams[] = {tiny_stream(many, (size_t)(COST_DEVICES_MAX + extra)), tiny_stream(b, 3),
                                          tiny_stream(both, 6)};
        struct overlap_cost c;
        struct err e = {0};
        assert_int_equal(overlap_cost_measure(streams[0], streams[1], streams[2], &c, &e), extra ? ERR_INPUT : 0);
        assert_string_equal(e.text, extra ? "more than 1024 pairs of rank and device" : "");
        for (size_t i = 0; i < 3; i++)
            event_stream_free(streams[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gain_and_its_cost),
        cmocka_unit_test(different_work_is_no_gain),
        cmocka_unit_test(a_trace_without_work_is_refused),
        cmocka_unit_test(too_many_devices_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
