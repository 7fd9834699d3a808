/* Who is late at a collective, told from lengths alone? */
#define _GNU_SOURCE

#include "core/trace/rank_meetings.h"
#include "tests/test.h"
#include "tests/unit/hand_trace.h"

#define SUM "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
#define ALL "ncclDevKernel_AllGather_RING_LL"

static struct rank_meetings read_all(const struct host_event *events, size_t count)
{
    struct event_stream *stream = host_stream(events, count);
    struct rank_meetings m;
    struct err e = {0};
    assert_int_equal(rank_meetings_read(stream, &m, &e), 0);
    event_stream_free(stream);
    return m;
}

/* Ranks are those of the rows less 1. The clock of rank 1 is 1,000 behind. Kernels take 50 and 30, then 20 and 90: the
 * transfers are 30 and 20, rank 0 waits 20 at the first, rank 1 waits 70 at the second. */
TEST(the_shortest_kernel_is_the_transfer)
{
    static const struct host_event events[] = {
        {KERNEL, 0, 10, 1, 7, "gemm", 0, 1},      {KERNEL, 10, 60, 2, 7, SUM, 0, 1},
        {KERNEL, 100, 120, 3, 7, ALL, 0, 1},      {KERNEL, 1030, 1060, 1, 7, SUM, 1, 2},
        {KERNEL, 1061, 1062, 1, 7, "gemm", 1, 2}, {KERNEL, 1070, 1160, 2, 7, ALL, 1, 2},
        {KERNEL, 1200, -1, 3, 7, ALL, 1, 2},
    };
    struct rank_meetings m = read_all(events, COUNT_OF(events));
    assert_int_equal(m.doubt, MEETINGS_OK);
    assert_int_equal(m.ranks.count, 2);
    assert_int_equal(m.meetings.count, 2);
    assert_int_equal(m.meetings.items[0].transfer_ns, 30);
    assert_int_equal(m.meetings.items[0].last, 1);
    assert_int_equal(m.meetings.items[1].transfer_ns, 20);
    assert_int_equal(m.meetings.items[1].last, 0);
    assert_int_equal(rank_meetings_waited_ns(&m, 0, 0), 20);
    assert_int_equal(rank_meetings_waited_ns(&m, 0, 1), 0);
    assert_int_equal(rank_meetings_waited_ns(&m, 1, 1), 70);
    assert_int_equal(m.ranks.items[0].waited_ns, 20);
    assert_int_equal(m.ranks.items[1].waited_ns, 70);
    assert_int_equal(m.ranks.items[0].last, 1);
    assert_int_equal(m.ranks.items[0].caused_ns, 70);
    assert_int_equal(m.ranks.items[1].caused_ns, 20);
    rank_meetings_release(&m);
}

/* The first event may be of a later rank: ranks are in order nevertheless. */
TEST(ranks_are_sorted)
{
    static const struct host_event events[] = {{KERNEL, 0, 9, 1, 7, SUM, 1, 3}, {KERNEL, 5, 9, 1, 7, SUM, 0, 1}};
    struct rank_meetings m = read_all(events, 2);
    assert_int_equal(m.ranks.items[0].rank, 0);
    assert_int_equal(m.ranks.items[1].rank, 2);
    assert_int_equal(m.meetings.items[0].last, 0);
    assert_int_equal(rank_meetings_waited_ns(&m, 0, 1), 5);
    rank_meetings_release(&m);
}

TEST(doubts_leave_no_meetings)
{
    static const struct host_event more[] = {
        {KERNEL, 0, 9, 1, 7, SUM, 0, 1}, {KERNEL, 10, 19, 1, 7, SUM, 0, 1}, {KERNEL, 5, 9, 1, 7, SUM, 1, 2}};
    static const struct host_event other[] = {{KERNEL, 0, 9, 1, 7, SUM, 0, 1}, {KERNEL, 5, 9, 1, 7, ALL, 1, 2}};
    static const struct host_event alone[] = {{KERNEL, 0, 9, 1, 7, SUM, 0, 1}, {KERNEL, 5, 9, 1, 7, "gemm", 1, 2}};
    static const struct host_event pairs[] = {{KERNEL, 0, 9, 1, 7, "ncclDevKernel_SendRecv", 0, 1},
                                              {KERNEL, 5, 9, 1, 7, "ncclDevKernel_SendRecv", 1, 2}};
    const struct {
        const struct host_event *events;
        size_t count;
        enum meetings_doubt doubt;
    } cases[] = {{more, 3, MEETINGS_DIFFERENT},
                 {other, 2, MEETINGS_DIFFERENT},
                 {alone, 2, MEETINGS_NONE},
                 {pairs, 2, MEETINGS_NONE},
                 {more, 0, MEETINGS_NONE}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rank_meetings m = read_all(cases[i].events, cases[i].count);
        assert_int_equal(m.doubt, cases[i].doubt);
        assert_int_equal(m.meetings.count, 0);
        rank_meetings_release(&m);
    }
}

/* Sums of lengths stay at the end of their range. */
TEST(endless_kernels_do_not_overflow)
{
    static const struct host_event events[] = {{KERNEL, 0, INT64_MAX, 1, 7, SUM, 0, 1},
                                               {KERNEL, 1, INT64_MAX, 2, 7, SUM, 0, 1},
                                               {KERNEL, 2, 3, 1, 7, SUM, 1, 2},
                                               {KERNEL, 4, 5, 2, 7, SUM, 1, 2}};
    struct rank_meetings m = read_all(events, 4);
    assert_int_equal(m.doubt, MEETINGS_OK);
    assert_true(m.ranks.items[0].waited_ns > INT64_MAX / 2 && m.ranks.items[1].caused_ns > INT64_MAX / 2);
    rank_meetings_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shortest_kernel_is_the_transfer),
        cmocka_unit_test(ranks_are_sorted),
        cmocka_unit_test(endless_kernels_do_not_overflow),
        cmocka_unit_test(doubts_leave_no_meetings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
