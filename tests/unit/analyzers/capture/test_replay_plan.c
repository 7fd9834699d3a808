/* Which launches of a trace are replayed? */

#include "tests/test.h"
#include <string.h>

#include "analyzers/capture/replay_plan.h"
#include "core/base/launch_key.h"
#include "tests/unit/hand_trace.h"

#define US INT64_C(1000)

enum { WORK_MAX = 512 };

static struct host_event work[WORK_MAX];
static size_t count;

static void launch(const char *name, int64_t length_us, unsigned call, int device, int rank)
{
    const int64_t start_ns = (int64_t)count * 1000 * US;
    work[count++] = (struct host_event){KERNEL, start_ns, start_ns + length_us * US, call, 7, name, device, rank};
}

static void expect_plan(const char *list, size_t launches, const char *why_part)
{
    struct event_stream *stream = host_stream(work, count);
    struct replay_plan plan;
    assert_int_equal(replay_plan_make(&plan, stream, NULL), 0);
    assert_string_equal(str_text(&plan.list), list);
    assert_int_equal(plan.launches, launches);
    if (!plan.launches)
        assert_non_null(strstr(plan.why, why_part));
    replay_plan_release(&plan);
    event_stream_free(stream);
    count = 0;
}

/* 11 launches of 10, 11 ... 20 us, called in the opposite order: number 10 - n takes 10 + n us. The first launch is
 * never taken. The median, 15 us, is number 5; the deciles are those of sorted durations[1] and [9]: 11 us is number 9,
 * 19 us number 1. Only the median is taken in any case. */
TEST(quantiles_by_the_order_of_calls)
{
    for (unsigned n = 0; n < 11; n++)
        launch("gemm", 10 + n, 100 - n, 0, 1);
    expect_plan("1?,5,9? 0x0x0 0x0x0 gemm\n", 3, "");
}

/* Two launches of a kernel to warm up, another one, five steps of two, and one behind them. Numbers 0 and 1 of
 * "gemm" were launched before the steps, and number 7 after them. */
TEST(steps_alone)
{
    unsigned call = 1;
    launch("gemm", 90, call++, 0, 1);
    launch("gemm", 80, call++, 0, 1);
    launch("init", 1, call++, 0, 1);
    for (unsigned step = 0; step < 5; step++) {
        launch("softmax", 40, call++, 0, 1);
        launch("gemm", 50 + step, call++, 0, 1);
    }
    launch("gemm", 10, call++, 0, 1);
    expect_plan("2?,4,5? 0x0x0 0x0x0 gemm\n1,2?,3? 0x0x0 0x0x0 softmax\n", 6, "");
}

/* Five launches of 30 and five of 170 us in turns: the median is one of 30, number 2, a decile one of 170, number 1,
 * and neither stands for the other. Another one of 30 us is not needed. */
TEST(unlike_launches_are_needed)
{
    for (unsigned n = 0; n < 10; n++)
        launch("gemm", n % 2 ? 170 : 30, n + 1, 0, 1);
    expect_plan("1,2,4? 0x0x0 0x0x0 gemm\n", 3, "");
}

/* Three in a row of a program without steps are no steps. The one of 90 us is unlike the median of 13 us. */
TEST(no_steps)
{
    unsigned call = 1;
    launch("other", 500, call++, 0, 1);
    for (unsigned n = 0; n < 5; n++) {
        launch("gemm", 10 + n, call++, 0, 1);
        for (unsigned k = 0; k <= n; k++)
            launch("tiny", 1, call++, 0, 1);
    }
    for (unsigned n = 0; n < 3; n++)
        launch("gemm", 90, call++, 0, 1);
    expect_plan("0 0x0x0 0x0x0 other\n1?,3,5 0x0x0 0x0x0 gemm\n1,2?,3? 0x0x0 0x0x0 tiny\n", 7, "");
}

/* Most time first; what takes less than a hundredth of the time is left out, and so is a launch without an end. */
TEST(kernels_that_take_time)
{
    launch("rare", 3, 1, 0, 1);
    for (unsigned n = 0; n < 3; n++)
        launch("small", 50, 2 + n, 0, 1);
    launch("large", 400, 9, 0, 1);
    launch("large", 400, 10, 0, 1);
    work[count - 1].end_ns = -1;
    expect_plan("0 0x0x0 0x0x0 large\n1,2? 0x0x0 0x0x0 small\n", 3, "");
}

TEST(several_gpus_or_processes)
{
    launch("gemm", 10, 1, 0, 1);
    launch("gemm", 10, 2, 1, 1);
    expect_plan("", 0, "several GPUs");
    launch("gemm", 10, 1, 0, 1);
    launch("gemm", 10, 2, 0, 2);
    expect_plan("", 0, "several processes");
}

/* A name of two lines cannot be in a list of lines. */
TEST(nothing_to_replay)
{
    expect_plan("", 0, "launched by a call");
    launch("two\nlines", 10, 1, 0, 1);
    expect_plan("", 0, "launched by a call");
}

TEST(texts_of_launches)
{
    static const char *const none[] = {"",
                                       "1x2x3",
                                       "1x2x3 4x5x6",
                                       "1x2x3 4x5x6 ",
                                       "1x2 4x5x6 k",
                                       "-1x2x3 4x5x6 k",
                                       "1x2x3  4x5x6 k",
                                       "99999999999x1x1 1x1x1 k"};
    const uint32_t grid[] = {4294967295u, 2, 3}, block[] = {256, 1, 1};
    struct launch_key key;
    struct str text;
    str_init(&text);
    launch_key_add(&text, grid, block, "void f<1, 2>(int)");
    assert_string_equal(str_text(&text), "4294967295x2x3 256x1x1 void f<1, 2>(int)");
    assert_true(launch_key_read(&key, str_text(&text)));
    assert_memory_equal(key.grid, grid, sizeof grid);
    assert_memory_equal(key.block, block, sizeof block);
    assert_string_equal(key.kernel, "void f<1, 2>(int)");
    str_release(&text);
    for (size_t i = 0; i < COUNT_OF(none); i++)
        assert_false(launch_key_read(&key, none[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quantiles_by_the_order_of_calls),
                                       cmocka_unit_test(steps_alone),
                                       cmocka_unit_test(unlike_launches_are_needed),
                                       cmocka_unit_test(no_steps),
                                       cmocka_unit_test(kernels_that_take_time),
                                       cmocka_unit_test(several_gpus_or_processes),
                                       cmocka_unit_test(nothing_to_replay),
                                       cmocka_unit_test(texts_of_launches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
