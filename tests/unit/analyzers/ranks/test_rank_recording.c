/* Is what ranks wait before all of them are recorded told from lateness of the program? */
#define _GNU_SOURCE
#include "core/base/count_of.h"
#include "tests/unit/analyzers/ranks/rank_traces.h"

#define PAIR(ranks)                                                                                                    \
    "\"Collective name\":\"allreduce\",\"dtype\":\"Float\",\"In msg nelems\":1024,\"Out msg nelems\":1024,"            \
    "\"Group size\":2,\"Process Group Name\":\"p\",\"Process Group Ranks\":\"[" ranks "]\""

enum { STEPS = 10, UNKNOWN = -1 };

/* The file of a rank of `world`, whose recording began at `from_us`. */
static void begin_rank(struct rank_traces *t, int rank, int world, int from_us, const char *span)
{
    rank_traces_file_of(t, rank, world);
    if (from_us != UNKNOWN)
        fprintf(t->files[t->count - 1], ",\n{\"ph\":\"X\",%s,\"pid\":\"Spans\",\"tid\":\"x\",\"ts\":%d.000}", span,
                from_us);
}

static void add(struct rank_traces *t, int stream, int start_us, int end_us, const char *note)
{
    rank_traces_add(t, (struct rank_kernel_row){-1, 0, stream, start_us, end_us, note ? SUM : "gemm", note});
}

#define SPAN "\"cat\":\"Trace\",\"name\":\"PyTorch Profiler (0)\",\"dur\":200000.000"

/* Rank 0 waits from 10 on, rank 1 arrives at 100000, both end at 100010. Then ten steps of 430, in which rank 0 runs
 * for 100 and waits 300 for rank 1, which runs for 400. */
static void fill(struct rank_traces *t, int from_us, const char *span)
{
    rank_traces_begin(t);
    for (int rank = 0; rank < 2; rank++) {
        begin_rank(t, rank, 2, rank ? from_us : 0, rank ? span : SPAN);
        add(t, 7, rank ? 99990 : 0, rank ? 100000 : 10, NULL);
        add(t, 20, rank ? 100000 : 10, 100010, PAIR("0, 1"));
        for (int n = 0; n < STEPS; n++) {
            const int at_us = 100010 + 430 * n, arrival_us = at_us + 20 + (rank ? 400 : 100);
            add(t, 7, at_us + 20, arrival_us, NULL);
            add(t, 20, arrival_us, at_us + 430, PAIR("0, 1"));
        }
    }
    rank_traces_open(t);
}

/* Rank 0 spans 104310, of which it waits 99990 and transfers 10 at first; rank 1 spans 4320, of which it transfers 10.
 * So 4310 remain of each, of which rank 0 waits 3000. Rank 1 runs for 4010, rank 0 for 1010. */
static void waiting_for_a_recording_counts_nowhere(void **state)
{
    (void)state;
    struct rank_traces t;
    fill(&t, 50000, SPAN);
    const struct rank_costs *costs = &t.ranks.costs;
    assert_int_equal(t.ranks.meetings.items.items[0].doubt, DOUBT_UNRECORDED);
    assert_int_equal(costs->doubts[DOUBT_UNRECORDED], 1);
    assert_int_equal(costs->unrecorded_ns, 99990000 + 2 * 10000);
    assert_int_equal(costs->unjudged_ns, 0);
    assert_int_equal(costs->unassigned_ns, 0);
    assert_int_equal(costs->span_ns, 2 * 4310000);
    assert_int_equal(t.ranks.arrivals.places.items[0].spent_ns[SPENT_WAIT], 3000000);
    assert_int_equal(costs->counts[RANK_LATE], STEPS);
    assert_string_equal(rank_traces_answer(&t),
                        "rank 1 costs 3.00 ms, 69.6% of the time: its gemm takes 3.97x as long as at the others");
    assert_int_equal(rank_traces_rule(&t, "late(1) <= 60%"), RULE_FAIL);
    assert_int_equal(rank_traces_rule(&t, "late(1) <= 90%"), RULE_PASS);
    rank_traces_release(&t);
}

/* Rank 1 may have been late, or the trace does not say when it began. */
static void recording_must_be_known_to_begin_late(void **state)
{
    (void)state;
    static const struct {
        int from_us;
        const char *span;
    } cases[] = {
        {UNKNOWN, NULL},
        {5, SPAN},  /* before rank 0 arrives */
        {11, SPAN}, /* within the uncertainty */
        {50000, "\"cat\":\"trace\",\"name\":\"PyTorch Profiler (0)\",\"dur\":200000.000"},
        {50000, "\"cat\":\"Trace\",\"name\":\"my phase\",\"dur\":200000.000"},
        {50000, "\"cat\":\"Trace\",\"name\":\"PyTorch Profiler (0)\""},
        {50000, SPAN "},\n{\"ph\":\"X\"," SPAN ",\"pid\":0,\"tid\":0,\"ts\":5.000"}, /* the first one counts */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rank_traces t;
        fill(&t, cases[i].from_us, cases[i].span);
        assert_int_equal(t.ranks.meetings.items.items[0].doubt, DOUBT_NO_BEFORE);
        assert_int_equal(t.ranks.costs.unrecorded_ns, 0);
        assert_int_equal(t.ranks.costs.verdict, RANK_INCONCLUSIVE);
        assert_int_equal(t.ranks.costs.doubt, DOUBT_NO_BEFORE);
        assert_true(t.ranks.costs.span_ns > 2 * 50000000);
        rank_traces_release(&t);
    }
}

/* Rank 1 waits for rank 2, which is recorded from `from_us` on, and then meets rank 0: that it is late has the same
 * reason. After that all pairs meet in time. */
static void fill_chain(struct rank_traces *t, int from_us)
{
    static const int first_us[] = {10, 20, 100000}, second_us[] = {10, 100010, 0};
    rank_traces_begin(t);
    for (int rank = 0; rank < 3; rank++) {
        begin_rank(t, rank, 3, rank == 2 ? from_us : 0, SPAN);
        add(t, 7, first_us[rank] - 10, first_us[rank], NULL);
        if (rank > 0)
            add(t, 20, first_us[rank], 100010, PAIR("1, 2"));
        if (rank < 2)
            add(t, 21, second_us[rank], 100020, PAIR("0, 1"));
        for (int n = 0; n < STEPS; n++) {
            const int at_us = 100100 + 200 * n;
            add(t, 7, at_us, at_us + 100, NULL);
            if (rank > 0)
                add(t, 20, at_us + 100, at_us + 110, PAIR("1, 2"));
            if (rank < 2)
                add(t, 21, at_us + 110, at_us + 120, PAIR("0, 1"));
        }
    }
    rank_traces_open(t);
}

static void those_who_wait_for_such_a_rank_are_not_late(void **state)
{
    (void)state;
    struct rank_traces t;
    fill_chain(&t, 50000);
    assert_int_equal(t.ranks.costs.doubts[DOUBT_UNRECORDED], 2);
    assert_int_equal(t.ranks.costs.unrecorded_ns, 99990000 + 20000 + 99990000 + 20000); /* rank 0 waits up to 100010 */
    assert_int_equal(t.ranks.costs.unjudged_ns, t.ranks.costs.doubted_ns[DOUBT_PRECISION]);
    assert_int_equal(t.ranks.costs.counts[RANK_LATE], 0);
    rank_traces_release(&t);
    fill_chain(&t, UNKNOWN);
    assert_int_equal(t.ranks.costs.doubts[DOUBT_UNRECORDED], 0);
    assert_int_equal(t.ranks.costs.doubts[DOUBT_NO_BEFORE], 2);
    assert_int_equal(t.ranks.costs.verdict, RANK_INCONCLUSIVE);
    rank_traces_release(&t);
}

/* Where nothing else is recorded, there is no verdict. */
static void a_trace_of_nothing_else_is_inconclusive(void **state)
{
    (void)state;
    struct rank_traces t;
    rank_traces_begin(&t);
    rank_traces_file_of(&t, 0, 1);
    fputs(",\n{\"ph\":\"X\"," SPAN ",\"pid\":0,\"tid\":0,\"ts\":50.000}", t.files[0]);
    for (int device = 0; device < 2; device++)
        rank_traces_add(&t, (struct rank_kernel_row){-1, device, 20, 10 + 90 * device, 110, SUM, NULL});
    rank_traces_open(&t);
    assert_int_equal(t.ranks.costs.doubts[DOUBT_UNRECORDED], 1);
    assert_int_equal(t.ranks.costs.verdict, RANK_INCONCLUSIVE);
    assert_int_equal(t.ranks.costs.doubt, DOUBT_UNRECORDED);
    rank_traces_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_for_a_recording_counts_nowhere),
        cmocka_unit_test(recording_must_be_known_to_begin_late),
        cmocka_unit_test(those_who_wait_for_such_a_rank_are_not_late),
        cmocka_unit_test(a_trace_of_nothing_else_is_inconclusive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
