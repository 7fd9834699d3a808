/* When does a program begin to repeat itself? */

#include "analyzers/capture/steady_begin.h"
#include "tests/test.h"
#include "tests/unit/hand_trace.h"

#define US INT64_C(1000)

enum { WORK_MAX = 64 };

static struct host_event work[WORK_MAX];
static size_t count;

static void launch(const char *name, int64_t start_us, int device)
{
    work[count] =
        (struct host_event){KERNEL, start_us * US, (start_us + 5) * US, (unsigned)count + 1, 7, name, device, 1};
    count++;
}

static void expect_begin(int64_t wanted_us)
{
    struct event_stream *stream = host_stream(work, count);
    int64_t begin_ns = -1;
    assert_int_equal(steady_begin_find(stream, &begin_ns, NULL), 0);
    assert_int_equal(begin_ns, wanted_us * US);
    event_stream_free(stream);
    count = 0;
}

/* One launch to set up, then rounds of two, the first of which waits for code. */
TEST(behind_the_first_round)
{
    launch("init", 10, 0);
    for (int round = 0; round < 5; round++) {
        launch("gemm", round ? 2000 + 20 * round : 100, 0);
        launch("softmax", round ? 2010 + 20 * round : 1000, 0);
    }
    expect_begin(2020);
}

/* Kernels of another GPU run in between, in another order each time. */
TEST(one_device_alone)
{
    for (int round = 0; round < 4; round++) {
        launch("gemm", 100 + 100 * round, 0);
        for (int k = 0; k <= round; k++)
            launch("other", 110 + 100 * round + 10 * k, 1);
    }
    expect_begin(200);
}

TEST(nothing_repeats)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "g", "g"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        launch(names[i], 100 + 10 * (int64_t)i, 0);
    expect_begin(0); /* three in a row are less than half */
    expect_begin(0); /* nothing at all */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(behind_the_first_round), cmocka_unit_test(one_device_alone),
                                       cmocka_unit_test(nothing_repeats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
