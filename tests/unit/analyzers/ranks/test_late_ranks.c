/* Whose lateness is it, of hand-written ranks? */
#define _GNU_SOURCE
#include <string.h>

#include "analyzers/ranks/ranks_words.h"
#include "tests/test.h"
#include "tests/unit/analyzers/ranks/rank_traces.h"
#include "tests/unit/hand_trace.h"

#define GATHER "ncclDevKernel_AllGather_RING_LL"
#define CAST   "ncclDevKernel_Broadcast_RING_LL"
#define SEND   "ncclDevKernel_SendRecv"
static struct ranks read_all(const struct host_event *events, size_t count, struct event_stream **stream)
{
    struct ranks r;
    struct err e = {0};
    *stream = host_stream(events, count);
    assert_int_equal(ranks_measure(*stream, &r, &e), 0);
    return r;
}

static const char *answer(const struct ranks *r, struct arena *arena)
{
    arena_init(arena);
    return ranks_answer(&(struct ranks_context){arena, r, NULL});
}

/* Times are us. Both ranks meet at [0,10). Then rank 0 has nothing to do for 10 and runs for 100, and rank 1 does one
 * thing 300 longer. Rank 0 waits from 120 to 420; the transfer takes 10. Ranks of rows are those less 1. */
#define US 1000
#define FIRST                                                                                                          \
    {KERNEL, 0, 10 * US, 1, 20, SUM, 0, 1},                                                                            \
    {                                                                                                                  \
        KERNEL, 0, 10 * US, 1, 20, SUM, 0, 2                                                                           \
    }
#define RANK_0                                                                                                         \
    {KERNEL, 20 * US, 120 * US, 2, 7, "gemm", 0, 1},                                                                   \
    {                                                                                                                  \
        KERNEL, 120 * US, 430 * US, 3, 20, SUM, 0, 1                                                                   \
    }
#define LAST                                                                                                           \
    {                                                                                                                  \
        KERNEL, 420 * US, 430 * US, 3, 20, SUM, 0, 2                                                                   \
    }

TEST(the_late_rank_and_its_cause_are_named)
{
    static const struct {
        struct host_event events[7];
        size_t count;
        enum rank_cause cause;
        const char *answer;
    } cases[] = {
        {{FIRST, RANK_0, {KERNEL, 20 * US, 420 * US, 2, 7, "gemm", 0, 2}, LAST},
         6,
         CAUSE_KERNEL,
         "rank 1 costs 300 us, 69.8% of the time: its gemm takes 4.00x as long as at the others"},
        {{FIRST, RANK_0, {KERNEL, 320 * US, 420 * US, 2, 7, "gemm", 0, 2}, LAST},
         6,
         CAUSE_HOST,
         "rank 1 costs 300 us, 69.8% of the time: its GPU has nothing to do for 310 us, and for 10.0 us at the others: its host launches late, or waits"},
        {{FIRST,
          RANK_0,
          {H2D, 20 * US, 320 * US, 2, 8, "", 0, 2},
          {KERNEL, 320 * US, 420 * US, 2, 7, "gemm", 0, 2},
          LAST},
         7,
         CAUSE_COPY,
         "rank 1 costs 300 us, 69.8% of the time: only copies run for 300 us, and for 0 ns at the others"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_stream *stream;
        struct arena arena;
        struct ranks r = read_all(cases[i].events, cases[i].count, &stream);
        assert_int_equal(r.meetings.items.count, 2);
        const struct rank_meeting *m = &r.meetings.items.items[1];
        assert_int_equal(m->verdict, RANK_LATE);
        assert_int_equal(m->origin, 1);
        assert_int_equal(m->cause, cases[i].cause);
        assert_int_equal(m->late_ns, 300 * US);
        assert_int_equal(m->transfer_ns, 10 * US);
        assert_int_equal(r.costs.late_ns, 300 * US);
        assert_int_equal(r.costs.verdict, RANK_LATE);
        assert_string_equal(answer(&r, &arena), cases[i].answer);
        arena_release(&arena);
        ranks_release(&r);
        event_stream_free(stream);
    }
}

/* As above, but a kernel of rank 0 runs at the side of its wait from 130 to 330: 100 of 300 are exposed. */
TEST(a_wait_beside_a_kernel_costs_nothing)
{
    static const struct host_event events[] = {FIRST,
                                               RANK_0,
                                               {KERNEL, 130 * US, 330 * US, 4, 7, "gelu", 0, 1},
                                               {KERNEL, 20 * US, 420 * US, 2, 7, "gemm", 0, 2},
                                               LAST};
    struct event_stream *stream;
    struct ranks r = read_all(events, COUNT_OF(events), &stream);
    assert_int_equal(r.meetings.items.items[1].skew_ns, 300 * US);
    assert_int_equal(r.meetings.items.items[1].late_ns, 100 * US);
    assert_int_equal(r.arrivals.places.items[0].spent_ns[SPENT_KERNEL], 300 * US);
    assert_int_equal(r.arrivals.places.items[0].spent_ns[SPENT_WAIT], 100 * US);
    assert_int_equal(r.arrivals.places.items[0].spent_ns[SPENT_TRANSFER], 20 * US);
    assert_int_equal(r.arrivals.places.items[0].spent_ns[SPENT_IDLE], 10 * US);
    ranks_release(&r);
    event_stream_free(stream);
}

#define NOTE(elements)                                                                                                 \
    "\"Collective name\":\"allreduce\",\"Group size\":2,\"Process Group Name\":\"w\",\"dtype\":\"Float\","             \
    "\"In msg nelems\":" elements ",\"Out msg nelems\":" elements

/* Transfers of 10, 200 apart, and the seventh of 100, that both ranks begin together: 90 more than the fastest tenth.
 */
static void add_transfers(struct rank_traces *t, int count, const char *note)
{
    rank_traces_begin(t);
    rank_traces_file(t, "");
    for (int i = 0; i < 2 * count; i++)
        rank_traces_add(
            t, (struct rank_kernel_row){i % 2, 0, 20, i / 2 * 200, i / 2 * 200 + (i / 2 == 6 ? 100 : 10), SUM, note});
}

TEST(a_slow_transfer_is_no_lateness)
{
    struct rank_traces t;
    add_transfers(&t, 12, NOTE("1024"));
    rank_traces_open(&t);
    const struct ranks *r = &t.ranks;
    assert_int_equal(r->meetings.items.count, 12);
    assert_int_equal(r->costs.counts[RANK_SLOW], 1);
    assert_int_equal(r->costs.counts[RANK_IN_TIME], 11);
    assert_int_equal(r->meetings.items.items[6].verdict, RANK_SLOW);
    assert_int_equal(r->meetings.items.items[6].expected_ns, 10 * US);
    assert_int_equal(r->meetings.items.items[6].slow_ns, 90 * US);
    assert_int_equal(r->costs.slow_ns, 180 * US);
    assert_int_equal(r->costs.verdict, RANK_SLOW);
    rank_traces_release(&t);
}

/* A long transfer may move more: nobody recorded how much, or somebody noted 0, or an all-to-all has parts. */
TEST(without_sizes_no_transfer_is_slow)
{
    static const char *const notes[] = {NULL, NOTE("0"), "\"Collective name\":\"allreduce\",\"Group size\":2",
                                        "\"Collective name\":\"all_to_allv\",\"Group size\":2,\"dtype\":\"Float\","
                                        "\"In msg nelems\":1024,\"Out msg nelems\":1024"};
    for (size_t i = 0; i < COUNT_OF(notes); i++) {
        struct rank_traces t;
        enum rule_status status;
        const char *why;
        add_transfers(&t, 12, notes[i]);
        rank_traces_open(&t);
        assert_int_equal(t.ranks.costs.counts[RANK_INCONCLUSIVE], 12);
        assert_int_equal(t.ranks.costs.doubts[DOUBT_SIZES], 12);
        assert_int_equal(t.ranks.costs.doubt, DOUBT_SIZES);
        assert_int_equal(t.ranks.costs.compared, 0);
        static const char *const rules[] = {"transfer(comm) <= 1%", "transfer(comm) <= 100%"};
        for (size_t k = 0; k < COUNT_OF(rules); k++) {
            assert_int_equal(rank_traces_judge(&t, rules[k], &status, &why), 0);
            assert_int_equal(status, RULE_INCONCLUSIVE);
        }
        rank_traces_release(&t);
    }
}

/* Twelve with sizes, one of them slow, and as many without, which take ten times as long: these never count. */
TEST(those_without_sizes_never_count)
{
    struct rank_traces t;
    add_transfers(&t, 12, NOTE("1024"));
    for (int i = 24; i < 48; i++)
        rank_traces_add(&t, (struct rank_kernel_row){i % 2, 0, 20, i / 2 * 200, i / 2 * 200 + 100, SUM, NOTE("0")});
    rank_traces_open(&t);
    assert_int_equal(t.ranks.costs.compared, 12);
    assert_int_equal(t.ranks.costs.slow, 1);
    assert_int_equal(t.ranks.costs.slow_ns, 180 * US);
    assert_int_equal(t.ranks.costs.doubts[DOUBT_SIZES], 12);
    rank_traces_release(&t);
}

/* The first ones, and a copy on rank 1: the slow transfer lasts from 1200 to 1300, the one before it from 1000 to 1010.
 */
TEST(copies_beside_a_transfer_are_seen)
{
    static const struct {
        int start_us, end_us;
        const char *name;
        bool is_beside;
    } cases[] = {{1150, 1201, "PtoP", true},  {1299, 1400, "PtoP", true},  {1100, 1400, "PtoP", true},
                 {1100, 1200, "PtoP", false}, {1300, 1400, "PtoP", false}, {1210, 1290, "HtoD", false}};
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        struct rank_traces t;
        add_transfers(&t, 12, NOTE("1024"));
        fprintf(t.files[0],
                ",\n{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy %s\",\"pid\":1,\"tid\":1,\"ts\":%d.000,"
                "\"dur\":%d.000,\"args\":{\"rank\":1,\"device\":0,\"context\":1,\"stream\":8,\"correlation\":999}}",
                cases[c].name, cases[c].start_us, cases[c].end_us - cases[c].start_us);
        rank_traces_open(&t);
        const struct rank_meetings_found *m = &t.ranks.meetings;
        for (size_t i = 0; i < m->items.count; i++)
            if (m->items.items[i].is_beside_copy != (i == 6 && cases[c].is_beside))
                fail_msg("case %zu, collective %zu", c, i);
        const char *said = rank_traces_answer(&t);
        assert_non_null(strstr(said, "slow transfers cost 90.0 us"));
        assert_true(!!strstr(said, "; copies between GPUs run beside 1 of these 1, and beside 0 of 11 others") ==
                    cases[c].is_beside);
        rank_traces_release(&t);
    }
}

TEST(what_does_not_match_is_named)
{
    static const struct {
        struct host_event events[6];
        size_t count, meetings;
        enum rank_mismatch_kind kind;
        uint32_t place;
        int64_t position;
    } cases[] = {
        {{{KERNEL, 0, 10, 1, 20, SUM, 0, 1},
          {KERNEL, 0, 10, 1, 20, SUM, 0, 2},
          {KERNEL, 20, 30, 2, 20, SUM, 0, 1},
          {KERNEL, 20, 30, 2, 20, GATHER, 0, 2},
          {KERNEL, 40, 50, 2, 20, SUM, 0, 1},
          {KERNEL, 40, 50, 2, 20, SUM, 0, 2}},
         6,
         1,
         MISMATCH_KIND,
         1,
         2},
        {{{KERNEL, 0, 10, 1, 20, SUM, 0, 1}, {KERNEL, 0, 10, 1, 20, SUM, 0, 2}, {KERNEL, 20, 30, 2, 20, SUM, 0, 1}},
         3,
         1,
         MISMATCH_FEWER,
         1,
         2},
        {{{KERNEL, 0, 10, 1, 20, SUM, 0, 1}, {KERNEL, 20, 30, 1, 20, SUM, 0, 2}}, 2, 1, MISMATCH_APART, 0, 1},
        {{{KERNEL, 0, 10, 1, 20, SUM, 0, 1}, {KERNEL, 0, 10, 1, 20, SUM, 0, 2}, {KERNEL, 0, 10, 1, 7, "gemm", 0, 3}},
         3,
         1,
         MISMATCH_RANKS,
         0,
         0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_stream *stream;
        struct ranks r = read_all(cases[i].events, cases[i].count, &stream);
        assert_int_equal(r.meetings.items.count, cases[i].meetings);
        assert_int_equal(r.meetings.mismatch_count, 1);
        assert_int_equal(r.meetings.mismatches.items[0].kind, cases[i].kind);
        assert_int_equal(r.meetings.mismatches.items[0].place, cases[i].place);
        assert_int_equal(r.meetings.mismatches.items[0].position, cases[i].position);
        assert_int_equal(r.costs.verdict, RANK_INCONCLUSIVE);
        ranks_release(&r);
        event_stream_free(stream);
    }
}

/* Not every rank needs the data of all: a late one is no origin. */
TEST(broadcasts_and_sends_are_not_judged)
{
    static const struct host_event events[] = {{KERNEL, 0, 100 * US, 1, 20, CAST, 0, 1},
                                               {KERNEL, 90 * US, 100 * US, 1, 20, CAST, 0, 2},
                                               {KERNEL, 200 * US, 300 * US, 1, 20, SEND, 0, 1},
                                               {KERNEL, 290 * US, 300 * US, 1, 20, SEND, 0, 2}};
    struct event_stream *stream;
    struct ranks r = read_all(events, COUNT_OF(events), &stream);
    assert_int_equal(r.meetings.items.count, 1);
    assert_int_equal(r.meetings.items.items[0].doubt, DOUBT_ROOTED);
    assert_int_equal(r.arrivals.paired, 2);
    assert_int_equal(r.costs.verdict, RANK_INCONCLUSIVE);
    assert_int_equal(r.costs.origins.count, 0);
    ranks_release(&r);
    event_stream_free(stream);
}

TEST(what_has_no_ranks_is_inconclusive)
{
    static const struct {
        struct host_event events[2];
        enum arrivals_doubt doubt;
    } cases[] = {{{{KERNEL, 0, 1, 1, 7, SUM, 0, 1}, {KERNEL, 2, 3, 1, 7, SUM, 0, 1}}, ARRIVALS_FEW_PLACES},
                 {{{KERNEL, 0, 1, 1, 7, "gemm", 0, 1}, {KERNEL, 2, 3, 1, 7, "gemm", 0, 2}}, ARRIVALS_NONE}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_stream *stream;
        struct ranks r = read_all(cases[i].events, 2, &stream);
        assert_int_equal(r.arrivals.doubt, cases[i].doubt);
        assert_int_equal(r.costs.verdict, RANK_INCONCLUSIVE);
        ranks_release(&r);
        event_stream_free(stream);
    }
}

/* A clock that is 1 s ahead at 0 and gains 50 millionths: 50 us in 1 s. Between two knots it is a line, and beyond them
 * it goes on. */
TEST(a_clock_is_a_line_between_knots)
{
    struct rank_knot knots[] = {{.time_ns = 1000000000, .ahead_ns = 1000000000.0},
                                {.time_ns = 2000000000, .ahead_ns = 1000050000.0}};
    const struct rank_clock c = {.is_known = true, .knots = {knots, 2, 2}, .slope = 50e-6};
    assert_int_equal(rank_clock_common(&c, 1000000000), 0);
    assert_int_equal(rank_clock_common(&c, 1500000000), 499975000);
    assert_int_equal(rank_clock_common(&c, 3000000000), 1999900000);
    assert_int_equal(rank_clock_own(&c, 499975000), 1500000000);
}

/* Anchors lie from 900 to 1100 ms and from 1900 to 2100 ms, 20 ms apart. The drift may be off by 10 millionths: 10 us
 * in a second. Among anchors, the next one is at most 10 ms away: 0.1 us. */
TEST(far_from_anchors_less_is_known)
{
    static const struct {
        int64_t at_ms, uncertain_ns;
    } cases[] = {{1000, 2100}, {1500, 6000}, {1800, 3000}, {2000, 2100}, {3100, 12000}, {-99100, 1002000}};
    struct rank_knot knots[] = {{1000000000, 0, 900000000, 1100000000, 20000000},
                                {2000000000, 0, 1900000000, 2100000000, 20000000}};
    const struct rank_clock c = {.is_known = true, .knots = {knots, 2, 2}, .slope_error = 10e-6, .uncertain_ns = 2000};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(rank_clock_uncertain(&c, cases[i].at_ms * 1000000), cases[i].uncertain_ns);
    assert_int_equal(rank_clock_uncertain(&(struct rank_clock){.is_reference = true}, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_late_rank_and_its_cause_are_named), cmocka_unit_test(a_wait_beside_a_kernel_costs_nothing),
        cmocka_unit_test(a_slow_transfer_is_no_lateness),        cmocka_unit_test(copies_beside_a_transfer_are_seen),
        cmocka_unit_test(without_sizes_no_transfer_is_slow),     cmocka_unit_test(those_without_sizes_never_count),
        cmocka_unit_test(what_does_not_match_is_named),          cmocka_unit_test(broadcasts_and_sends_are_not_judged),
        cmocka_unit_test(what_has_no_ranks_is_inconclusive),     cmocka_unit_test(a_clock_is_a_line_between_knots),
        cmocka_unit_test(far_from_anchors_less_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
