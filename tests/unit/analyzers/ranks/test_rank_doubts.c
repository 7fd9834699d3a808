/* Does evidence about ranks that is missing, damaged or contradictory never get a verdict? */
#define _GNU_SOURCE
#include "core/base/count_of.h"
#include "core/trace/stream_scope.h"
#include "tests/unit/analyzers/ranks/rank_traces.h"

#define OF(size, ranks)                                                                                                \
    "\"Collective name\":\"allreduce\",\"dtype\":\"Float\",\"In msg nelems\":1024,\"Out msg nelems\":1024,"            \
    "\"Group size\":" size ",\"Process Group Name\":\"tp\",\"Process Group Ranks\":\"[" ranks "]\""
#define NUMBERED(number) OF("2", "0, 1") ",\"Seq\":" number

/* As in test_late_ranks.c: both ranks meet at 0, rank 0 runs for 100 of 120 and waits until 420, rank 1 runs for 400.
 */
static void add_late(struct rank_traces *t, const char *first, const char *second, const char *first_of_1,
                     const char *second_of_1, int rank_1)
{
    const struct rank_kernel_row rows[] = {
        {0, 0, 20, 0, 10, SUM, first},         {rank_1, 0, 20, 0, 10, SUM, first_of_1},
        {0, 0, 7, 20, 120, "gemm", NULL},      {0, 0, 20, 120, 430, SUM, second},
        {rank_1, 0, 7, 20, 420, "gemm", NULL}, {rank_1, 0, 20, 420, 430, SUM, second_of_1},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        rank_traces_add(t, rows[i]);
}

static void an_idle_device_is_in_no_mean(void **state)
{
    (void)state;
    struct rank_traces t;
    rank_traces_begin(&t);
    rank_traces_file(&t, "");
    add_late(&t, OF("2", "0, 1"), OF("2", "0, 1"), OF("2", "0, 1"), OF("2", "0, 1"), 1);
    rank_traces_add(&t, (struct rank_kernel_row){2, 0, 7, 0, 1, "gemm", NULL});
    rank_traces_open(&t);
    assert_string_equal(rank_traces_answer(&t),
                        "rank 1 costs 300 us, 69.8% of the time: its gemm takes 4.00x as long as at the others");
    /* 300 of a mean span of 430, not of 287 */
    assert_int_equal(rank_traces_rule(&t, "late(1) <= 69%"), RULE_FAIL);
    assert_int_equal(rank_traces_rule(&t, "late(1) <= 71%"), RULE_PASS);
    assert_int_equal(rank_traces_rule(&t, "late(2) <= 71%"), RULE_VACUOUS); /* it takes part in nothing */
    rank_traces_release(&t);
}

/* Rank 1 has two devices: the second one is 300 late, then the first one is. Two others wait each time, 600 of mean
 * spans of 860: the rank costs 2 * 600 / 2, each device half of that. */
static void late_adds_up_the_devices_of_a_rank(void **state)
{
    (void)state;
    struct rank_traces t;
    rank_traces_begin(&t);
    rank_traces_file(&t, "");
    for (int place = 0; place < 3; place++) {
        const int rank = place > 0, device = place > 1;
        rank_traces_add(&t, (struct rank_kernel_row){rank, device, 20, 0, 10, SUM, NULL});
        for (int n = 0; n < 2; n++) {
            const int begin_us = 10 + 430 * n, end_us = begin_us + (place == 2 - n ? 400 : 100);
            rank_traces_add(&t, (struct rank_kernel_row){rank, device, 7, begin_us, end_us, "gemm", NULL});
            rank_traces_add(&t, (struct rank_kernel_row){rank, device, 20, end_us, begin_us + 420, SUM, NULL});
        }
    }
    rank_traces_open(&t);
    assert_int_equal(t.ranks.rows.items[1].caused_ns, 600000);
    assert_int_equal(t.ranks.rows.items[2].caused_ns, 600000);
    assert_int_equal(rank_traces_rule(&t, "late(1) <= 60%"), RULE_FAIL);
    assert_int_equal(rank_traces_rule(&t, "late(any) <= 60%"), RULE_FAIL);
    rank_traces_release(&t);
}

/* Rank 2 takes part in a broadcast alone, where it does not show whether it is late. */
static void a_rank_without_a_verdict_is_not_in_time(void **state)
{
    (void)state;
    static const char cast[] = "\"Collective name\":\"broadcast\",\"Group size\":2,\"Process Group Name\":\"dp\","
                               "\"Process Group Ranks\":\"[1, 2]\"";
    struct rank_traces t;
    rank_traces_begin(&t);
    rank_traces_file(&t, "");
    add_late(&t, OF("2", "0, 1"), OF("2", "0, 1"), OF("2", "0, 1"), OF("2", "0, 1"), 1);
    for (int rank = 1; rank < 3; rank++)
        rank_traces_add(&t, (struct rank_kernel_row){rank, 0, 21, 440, 441, "ncclDevKernel_Broadcast_RING_LL", cast});
    rank_traces_open(&t);
    assert_int_equal(t.ranks.costs.verdict, RANK_LATE);
    assert_int_equal(rank_traces_rule(&t, "late(0) <= 5%"), RULE_PASS);
    assert_int_equal(rank_traces_rule(&t, "late(2) <= 5%"), RULE_INCONCLUSIVE);
    assert_int_equal(rank_traces_rule(&t, "late(any) <= 99%"), RULE_INCONCLUSIVE);
    rank_traces_release(&t);
}

/* Both ranks are in time, and meet in a broadcast for 300 of 530, where rank 0 may have waited for rank 1. */
static void waits_without_an_origin_may_be_for_any_rank(void **state)
{
    (void)state;
    struct rank_traces t;
    rank_traces_begin(&t);
    rank_traces_file(&t, "");
    for (int n = 0; n < 12; n++)
        for (int rank = 0; rank < 2; rank++)
            rank_traces_add(&t, (struct rank_kernel_row){rank, 0, 20, n * 20, n * 20 + 19, SUM, OF("2", "0, 1")});
    for (int rank = 0; rank < 2; rank++)
        rank_traces_add(&t, (struct rank_kernel_row){rank, 0, 20, 240, 540, "ncclDevKernel_Broadcast_RING_LL", NULL});
    rank_traces_open(&t);
    assert_int_equal(rank_traces_rule(&t, "late(1) <= 5%"), RULE_INCONCLUSIVE);
    t.ranks.costs.verdict = RANK_IN_TIME; /* whatever it is in total */
    assert_int_equal(rank_traces_rule(&t, "late(1) <= 5%"), RULE_INCONCLUSIVE);
    rank_traces_release(&t);
}

/* Three communicators of two ranks meet at 0. Rank 0 is 100 late for rank 2 at 220, and 200 late for rank 1 at 320. At
 * 220, while rank 1 waits for that, it arrives at its collective with rank 2, which comes at 630: 400 later than rank 1
 * for its kernels, and not for the 100 that it had waited for rank 0, because rank 1 had waited 100 for it by then. */
static void what_waits_at_the_same_time_is_cut(void **state)
{
    (void)state;
    static const char a[] = OF("2", "0, 1"), b[] = OF("2", "1, 2"), c[] = OF("2", "0, 2");
    static const struct rank_kernel_row rows[] = {
        {0, 0, 20, 0, 10, SUM, a},      {1, 0, 20, 0, 10, SUM, a},     {1, 0, 21, 0, 10, SUM, b},
        {2, 0, 21, 0, 10, SUM, b},      {0, 0, 22, 0, 10, SUM, c},     {2, 0, 22, 0, 10, SUM, c},
        {0, 0, 7, 20, 220, "gemm", 0},  {0, 0, 22, 220, 230, SUM, c},  {0, 0, 7, 230, 320, "gemm", 0},
        {0, 0, 20, 320, 330, SUM, a},   {1, 0, 7, 20, 120, "gemm", 0}, {1, 0, 20, 120, 330, SUM, a},
        {1, 0, 21, 220, 640, SUM, b},   {2, 0, 7, 20, 120, "gemm", 0}, {2, 0, 22, 120, 230, SUM, c},
        {2, 0, 7, 230, 630, "gemm", 0}, {2, 0, 21, 630, 640, SUM, b},
    };
    struct rank_traces t;
    rank_traces_begin(&t);
    rank_traces_file(&t, "");
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        rank_traces_add(&t, rows[i]);
    rank_traces_open(&t);
    const struct rank_meeting *m = &t.ranks.meetings.items.items[5];
    assert_int_equal(m->origin, 2);
    assert_int_equal(m->late_ns, 360000); /* half of [220, 320), and [320, 630) */
    assert_int_equal(m->share_count, 1);
    assert_true(rank_meeting_share(&t.ranks.meetings, m, 0)->part > 0.95F);
    rank_traces_release(&t);
}

/* Times that may be off by 60: a difference of two by 120. So a skew of 300 is from 180 to 420. */
static void a_limit_within_the_uncertainty_decides_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        enum rule_status status;
    } cases[] = {
        /* 2 collectives, of 0 and 300: the median is 150, from 90 to 270. Two are no five of a kind: it may be 420. */
        {"skew(comm) <= 80us", RULE_FAIL},
        {"skew(comm) <= 160us", RULE_INCONCLUSIVE},
        {"skew(comm) <= 280us", RULE_INCONCLUSIVE},
        {"skew(comm) <= 420us", RULE_PASS},
        /* 300 of 430, from 180 to 420 and more */
        {"late(1) <= 40%", RULE_FAIL},
        {"late(1) <= 60%", RULE_INCONCLUSIVE},
        {"late(1) <= 75%", RULE_INCONCLUSIVE},
        {"late(any) <= 60%", RULE_INCONCLUSIVE},
    };
    struct rank_traces t;
    struct err e = {0};
    rank_traces_begin(&t);
    rank_traces_file(&t, "");
    add_late(&t, NUMBERED("1"), NUMBERED("2"), NUMBERED("1"), NUMBERED("2"), 1);
    rank_traces_open(&t);
    ranks_release(&t.ranks);
    event_stream_set_time_error_ns(t.stream, 60000);
    assert_int_equal(ranks_measure(t.stream, &t.ranks, &e), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (rank_traces_rule(&t, cases[i].rule) != cases[i].status)
            fail_msg("%s", cases[i].rule);
    rank_traces_release(&t);
}

/* Who takes part is what the notes and the traces both say. */
static void members_are_those_of_the_notes(void **state)
{
    (void)state;
    static const struct {
        const char *second, *second_of_1;
        int rank_1;
        const char *mismatch;
    } cases[] = {
        {OF("2", "0, 1"), OF("2", "0, 1"), 1, ""},
        {OF("2", "0, 1"), OF("2", "0, 1"), 3, "rank 3 takes part in tp [0,1], whose note does not list it"},
        {OF("2", "0, 1"), OF("4", "0, 1"), 1, "tp [0,1] has 2 ranks by one note, and 4 by another"},
        {OF("4", "0, 1"), OF("4", "0, 1"), 1, "tp [0,1] has 2 ranks by one note, and 4 by another"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rank_traces t;
        rank_traces_begin(&t);
        rank_traces_file(&t, "");
        add_late(&t, OF("2", "0, 1"), cases[i].second, OF("2", "0, 1"), cases[i].second_of_1, cases[i].rank_1);
        rank_traces_open(&t);
        assert_string_equal(rank_traces_mismatch(&t), cases[i].mismatch);
        assert_int_equal(t.ranks.costs.verdict, *cases[i].mismatch ? RANK_INCONCLUSIVE : RANK_LATE);
        assert_int_equal(t.ranks.meetings.items.items[1].doubt, *cases[i].mismatch ? DOUBT_INCOMPLETE : DOUBT_NONE);
        rank_traces_release(&t);
    }
}

static void lists_that_are_cut_are_not_whole(void **state)
{
    (void)state;
    static const struct {
        const char *note;
        size_t count;
        bool is_whole;
    } cases[] = {{"tp [0,1,2]", 3, true}, {"a [b] [2,2,1]", 2, true}, {"tp [0,1,...,63]", 3, false},
                 {"tp []", 0, false},     {"tp", 0, false},           {"tp [-1,99999999999]", 0, false}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rank_listing l;
        struct err e = {0};
        assert_int_equal(rank_listing_read(cases[i].note, &l, &e), 0);
        assert_int_equal(l.ranks.count, cases[i].count);
        assert_int_equal(l.is_whole, cases[i].is_whole);
        rank_listing_release(&l);
    }
}

/* Each trace has two all-reduces, which end with that of the other one; both say that they are of rank 0. */
static void two_traces_of_one_rank_are_refused(void **state)
{
    (void)state;
    struct rank_traces t;
    rank_traces_begin(&t);
    for (int i = 0; i < 2; i++) {
        rank_traces_file_of(&t, 0, 2);
        for (int k = 0; k < 20; k++)
            rank_traces_add(&t, (struct rank_kernel_row){-1, 0, 20, k * 100, k * 100 + 10, SUM, NULL});
        rank_traces_add(&t, (struct rank_kernel_row){-1, 0, 7, 2000, 2100, "gemm", NULL});
    }
    rank_traces_open(&t);
    assert_int_equal(t.ranks.costs.verdict, RANK_INCONCLUSIVE);
    assert_string_equal(
        rank_traces_answer(&t),
        arena_printf(&t.arena, "inconclusive: '%s' and '%s' both say that they are of rank 0", t.paths[0], t.paths[1]));
    assert_int_equal(rank_traces_rule(&t, "late(any) <= 99%"), RULE_INCONCLUSIVE);
    assert_int_equal(rank_traces_rule(&t, "imbalance(kernel) <= 9"), RULE_INCONCLUSIVE);
    rank_traces_release(&t);
}

static void rules_of_all_ranks_need_all_ranks(void **state)
{
    (void)state;
    for (int world_size = 2; world_size < 5; world_size += 2) {
        struct rank_traces t;
        rank_traces_begin(&t);
        for (int i = 0; i < 2; i++) {
            rank_traces_file_of(&t, i, world_size);
            rank_traces_add(&t, (struct rank_kernel_row){-1, 0, 7, 0, 100, "gemm", NULL});
        }
        rank_traces_open(&t);
        assert_int_equal(rank_traces_rule(&t, "imbalance(kernel) <= 1.1"),
                         world_size == 2 ? RULE_PASS : RULE_INCONCLUSIVE);
        rank_traces_release(&t);
    }
}

/* Nobody is late at twelve all-reduces of ranks 0 and 1, which may be all ranks of the job, or half of them. */
static void all_is_well_where_all_ranks_are(void **state)
{
    (void)state;
    static const char *const about[] = {"\"distributedInfo\":{\"world_size\":2},",
                                        "\"distributedInfo\":{\"world_size\":4},"};
    for (size_t i = 0; i < COUNT_OF(about); i++) {
        struct rank_traces t;
        rank_traces_begin(&t);
        rank_traces_file(&t, about[i]);
        for (int n = 0; n < 24; n++)
            rank_traces_add(
                &t, (struct rank_kernel_row){n % 2, 0, 20, n / 2 * 100, n / 2 * 100 + 20, SUM, OF("2", "0, 1")});
        rank_traces_open(&t);
        assert_int_equal(t.ranks.costs.counts[RANK_IN_TIME], 12);
        assert_int_equal(t.ranks.costs.verdict, i ? RANK_INCONCLUSIVE : RANK_IN_TIME);
        assert_int_equal(t.ranks.costs.doubt, i ? DOUBT_INCOMPLETE : DOUBT_NONE);
        rank_traces_release(&t);
    }
}

/* Rank 1 is one collective ahead: its profiler began later. Kernels of one launch share a number, so that the n-th is
 * compared with the n-th. */
static void the_nth_has_the_same_number(void **state)
{
    (void)state;
    struct rank_traces t;
    rank_traces_begin(&t);
    rank_traces_file(&t, "");
    add_late(&t, NUMBERED("1"), NUMBERED("1"), NUMBERED("2"), NUMBERED("2"), 1);
    rank_traces_open(&t);
    assert_string_equal(rank_traces_mismatch(&t),
                        "collective 1 on tp [0,1] has the number 2 at rank 1, and 1 at others");
    assert_int_equal(t.ranks.meetings.items.count, 0);
    assert_int_equal(t.ranks.costs.verdict, RANK_INCONCLUSIVE);
    rank_traces_release(&t);
}

/* Rank 0 waits in each all-reduce from the end of the last one on, rank 1 arrives 10 before its end. The trace of rank
 * 1 begins one later: its n-th kernel [100 n + 90, 100 n + 100] lies where the n+1-th of rank 0 lies. Without numbers
 * the n-th of rank 0, [100 n - 100, 100 n], is taken for it; the last of rank 1 is missing. */
static void kernels_of_one_collective_end_together(void **state)
{
    (void)state;
    struct rank_traces t;
    rank_traces_begin(&t);
    rank_traces_file(&t, "");
    for (int n = 0; n < 12; n++) {
        const int end_us = 100 * n;
        rank_traces_add(&t, (struct rank_kernel_row){0, 0, 20, end_us, end_us + 100, SUM, OF("2", "0, 1")});
        rank_traces_add(&t, (struct rank_kernel_row){1, 0, 20, end_us + 90, end_us + 195, SUM, OF("2", "0, 1")});
    }
    rank_traces_open(&t);
    assert_int_equal(t.ranks.meetings.items.count, 12);
    for (size_t i = 0; i < 12; i++) {
        assert_int_equal(t.ranks.meetings.items.items[i].verdict, RANK_INCONCLUSIVE);
        assert_int_equal(t.ranks.meetings.items.items[i].doubt, DOUBT_PRECISION);
    }
    assert_int_equal(t.ranks.costs.verdict, RANK_INCONCLUSIVE);
    rank_traces_release(&t);
}

/* Without notes, ranks 0 and 1, and 2 and 3, form groups of their own: rank 3 is 50 late, which rank 2 waits. Taken for
 * one collective of four, ranks 0 and 1 would wait for it too, as their transfers last until then. */
static void groups_of_their_own_are_not_one(void **state)
{
    (void)state;
    struct rank_traces t;
    rank_traces_begin(&t);
    rank_traces_file(&t, "");
    for (int n = 0; n < 12; n++)
        for (int rank = 0; rank < 4; rank++) {
            const int start_us = 400 * n, late_us = n && rank == 3 ? 50 : 0, end_us = n && rank > 1 ? 350 : 300;
            rank_traces_add(&t, (struct rank_kernel_row){rank, 0, 7, start_us, start_us + 100 + late_us, "gemm", NULL});
            rank_traces_add(
                &t, (struct rank_kernel_row){rank, 0, 20, start_us + 100 + late_us, start_us + end_us, SUM, NULL});
        }
    rank_traces_open(&t);
    assert_int_equal(t.ranks.meetings.items.count, 12);
    assert_int_equal(t.ranks.costs.counts[RANK_LATE], 0);
    assert_int_equal(t.ranks.costs.verdict, RANK_INCONCLUSIVE);
    rank_traces_release(&t);
}

/* Ranks 2 and 3 of four run for 400, the others for 100: each costs half of the 600 that are waited. */
static void equally_late_ranks_share_the_cost(void **state)
{
    (void)state;
    struct rank_traces t;
    rank_traces_begin(&t);
    rank_traces_file(&t, "");
    for (int rank = 0; rank < 4; rank++) {
        const int end_us = rank > 1 ? 420 : 120;
        rank_traces_add(&t, (struct rank_kernel_row){rank, 0, 20, 0, 10, SUM, NULL});
        rank_traces_add(&t, (struct rank_kernel_row){rank, 0, 7, 20, end_us, "gemm", NULL});
        rank_traces_add(&t, (struct rank_kernel_row){rank, 0, 20, end_us, 430, SUM, NULL});
    }
    rank_traces_open(&t);
    assert_int_equal(t.ranks.meetings.items.items[1].verdict, RANK_LATE);
    assert_int_equal(t.ranks.meetings.items.items[1].origin, RANK_PLACES_MAX);
    assert_int_equal(t.ranks.costs.origins.count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(t.ranks.costs.origins.items[i].place, 2 + i);
        assert_int_equal(t.ranks.costs.origins.items[i].cause, CAUSE_KERNEL);
        assert_int_equal(t.ranks.costs.origins.items[i].sum_ns, 300000);
    }
    rank_traces_release(&t);
}

/* Two clocks, 20 small all-reduces 10 ms apart. At rank 1 they are 15 ms apart: half a second in a second. */
static void no_clock_gains_half_a_second_in_a_second(void **state)
{
    (void)state;
    struct rank_traces t;
    rank_traces_begin(&t);
    for (int rank = 0; rank < 2; rank++) {
        rank_traces_file_of(&t, rank, 2);
        for (int n = 0; n < 20; n++) {
            const int start_us = n * (rank ? 15000 : 10000);
            rank_traces_add(&t, (struct rank_kernel_row){-1, 0, 20, start_us, start_us + 10, SUM, OF("2", "0, 1")});
        }
    }
    rank_traces_open(&t);
    assert_true(t.ranks.clocks.items.items[1].is_refused);
    assert_int_equal(t.ranks.costs.verdict, RANK_INCONCLUSIVE);
    assert_int_equal(t.ranks.costs.doubts[DOUBT_CLOCKS], 20);
    assert_string_equal(rank_traces_answer(&t),
                        arena_printf(&t.arena,
                                     "inconclusive: the clocks of rank 0 ('%s') and rank 1 ('%s') contradict one "
                                     "another: a trace may be of another run",
                                     t.paths[0], t.paths[1]));
    rank_traces_release(&t);
}

/* The trace of the first rank is of another run, in which all-reduces were 15 ms apart. Those of the others agree, but
 * they were compared with the first; so the page names the first, and what is judged stays: nothing. */
static void the_trace_of_another_run_is_named_though_it_is_the_first(void **state)
{
    (void)state;
    struct rank_traces t;
    rank_traces_begin(&t);
    for (int rank = 0; rank < 3; rank++) {
        rank_traces_file_of(&t, rank, 3);
        for (int n = 0; n < 20; n++) {
            const int start_us = n * (rank ? 10000 : 15000);
            rank_traces_add(&t, (struct rank_kernel_row){-1, 0, 20, start_us, start_us + 10, SUM, OF("3", "0, 1, 2")});
        }
    }
    rank_traces_open(&t);
    assert_int_equal(t.ranks.costs.verdict, RANK_INCONCLUSIVE);
    assert_int_equal(t.ranks.costs.doubts[DOUBT_CLOCKS], 20);
    assert_true(t.ranks.clocks.items.items[1].is_refused && t.ranks.clocks.items.items[2].is_refused);
    assert_string_equal(
        rank_traces_answer(&t),
        arena_printf(&t.arena,
                     "inconclusive: the clock of rank 0 ('%s') contradicts the others: a trace may be of "
                     "another run",
                     t.paths[0]));
    rank_traces_release(&t);
}

/* Two ranks are in time with one another, and a third trace is of another run: then nobody knows that all is well. */
static void nothing_is_in_time_beside_a_trace_of_another_run(void **state)
{
    (void)state;
    struct rank_traces t;
    rank_traces_begin(&t);
    for (int rank = 0; rank < 3; rank++) {
        rank_traces_file_of(&t, rank, 3);
        for (int n = 0; n < 40; n++) {
            const int start_us = n * (rank == 2 ? 150000 : 100000);
            if (n < 20)
                rank_traces_add(&t,
                                (struct rank_kernel_row){-1, 0, 20, start_us, start_us + 10, SUM, OF("3", "0, 1, 2")});
            if (rank < 2)
                rank_traces_add(
                    &t, (struct rank_kernel_row){-1, 0, 21, start_us + 50000, start_us + 50010, SUM, OF("2", "0, 1")});
        }
    }
    rank_traces_open(&t);
    assert_true(t.ranks.clocks.items.items[2].is_refused);
    assert_int_equal(t.ranks.costs.verdict, RANK_INCONCLUSIVE);
    rank_traces_release(&t);
}

/* Four clocks, each compared with the one before at ten small all-reduces. Those of odd ranks jump twice, and those of
 * even ranks follow one all-reduce later, so that two in ten are off by the jump: the second clock by one jump, the
 * third and the fourth by two and three. The largest jump is half a year: rows that are a year apart are not of one
 * recording. */
static void no_clock_that_jumps_is_compared(void **state)
{
    (void)state;
    static const int64_t jumps_us[] = {INT64_C(100000000), INT64_C(15000000000000)};
    for (size_t j = 0; j < COUNT_OF(jumps_us); j++) {
        struct rank_traces t;
        char text[256];
        rank_traces_begin(&t);
        for (int rank = 0; rank < 4; rank++) {
            rank_traces_file_of(&t, rank, 4);
            for (int n = 0; n < 10; n++)
                for (int first = rank ? rank - 1 : 0; first <= rank && first < 3; first++) {
                    const int jumps = (n >= 3 - rank % 2) + (n >= 8 - rank % 2);
                    const int64_t start_us = (jumps - 1) * jumps_us[j] + n * 1000;
                    snprintf(text, sizeof text, OF("2", "%d, %d") ",\"Seq\":%d", first, first + 1, n);
                    rank_traces_add(&t,
                                    (struct rank_kernel_row){-1, 0, 20 + first, start_us, start_us + 10, SUM, text});
                }
        }
        rank_traces_open(&t);
        for (size_t i = 1; i < 4; i++)
            assert_false(t.ranks.clocks.items.items[i].is_known && !t.ranks.clocks.items.items[i].is_reference);
        assert_true(t.ranks.clocks.items.items[1].is_refused);
        assert_int_equal(t.ranks.costs.verdict, RANK_INCONCLUSIVE);
        assert_int_equal(t.ranks.costs.doubts[DOUBT_CLOCKS], 30);
        rank_traces_release(&t);
    }
}

/* Rank 0 waits from 120 to 420 in two communicators at once, for rank 1 in both: 300 in all, as it waits once. */
static void a_moment_is_lost_once(void **state)
{
    (void)state;
    static const char *const notes[] = {OF("2", "0, 1"),
                                        "\"Collective name\":\"allreduce\",\"Group size\":2,"
                                        "\"Process Group Name\":\"dp\",\"Process Group Ranks\":\"[0, 1]\""};
    struct rank_traces t;
    rank_traces_begin(&t);
    rank_traces_file(&t, "");
    for (int n = 0; n < 10; n++)
        for (int rank = 0; rank < 2; rank++) {
            const int at_us = 1000 * n, arrival_us = at_us + (n && rank ? 420 : 120);
            rank_traces_add(&t, (struct rank_kernel_row){rank, 0, 7, at_us + 20, arrival_us, "gemm", NULL});
            for (int c = 0; c < 2; c++)
                rank_traces_add(
                    &t, (struct rank_kernel_row){rank, 0, 20 + c, arrival_us, at_us + (n ? 430 : 130), SUM, notes[c]});
        }
    rank_traces_open(&t);
    assert_int_equal(t.ranks.costs.counts[RANK_LATE], 18);
    assert_int_equal(t.ranks.costs.late_ns, 9 * 300000);
    assert_int_equal(t.ranks.arrivals.places.items[0].spent_ns[SPENT_WAIT], 9 * 300000);
    assert_string_equal(rank_traces_answer(&t),
                        "rank 1 costs 2.70 ms, 28.7% of the time: its gemm takes 3.70x as long as at the others");
    rank_traces_release(&t);
}

/* Whatever --comm takes for communication, its name may not say who needs data of whom. */
static void an_unknown_operation_is_no_broadcast(void **state)
{
    (void)state;
    struct rank_traces t;
    struct err e = {0};
    rank_traces_begin(&t);
    rank_traces_file(&t, "");
    for (int rank = 0; rank < 2; rank++)
        rank_traces_add(&t, (struct rank_kernel_row){rank, 0, 20, 100 * rank, 200, "my_exchange", NULL});
    rank_traces_open(&t);
    assert_string_equal(rank_traces_answer(&t), "inconclusive: no rank runs a collective");
    ranks_release(&t.ranks);
    assert_int_equal(event_stream_scope(t.stream, &(struct stream_scope){.comm = "exchange"}, &e), 0);
    assert_int_equal(ranks_measure(t.stream, &t.ranks, &e), 0);
    assert_int_equal(t.ranks.meetings.items.items[0].doubt, DOUBT_OPERATION);
    assert_non_null(strstr(rank_traces_answer(&t), "the names of their kernels do not say what they exchange"));
    assert_int_equal(rank_operation_of("ncclDevKernel_Broadcast_RING_LL"), RANK_ROOTED);
    assert_int_equal(rank_operation_of("_reduce_scatter_base"), RANK_OF_ALL);
    assert_int_equal(rank_operation_of("ncclDevKernel_SendRecv"), RANK_PAIRED);
    rank_traces_release(&t);
}

/* Names that differ in a blank or a bracket are two communicators. Each has its own collective of rank 0 alone. */
static void names_of_communicators_are_kept(void **state)
{
    (void)state;
    static const char *const names[] = {"a b", "ab", "a[b]"};
    struct rank_traces t;
    char note[160];
    rank_traces_begin(&t);
    rank_traces_file(&t, "");
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        snprintf(note, sizeof note, "\"Group size\":2,\"Process Group Name\":\"%s\",\"Process Group Ranks\":\"[0, 1]\"",
                 names[i]);
        rank_traces_add(&t, (struct rank_kernel_row){0, 0, 20, (int)i * 100, (int)i * 100 + 10, SUM, note});
        rank_traces_add(&t, (struct rank_kernel_row){1, 0, 20, (int)i * 100, (int)i * 100 + 10, SUM, note});
    }
    rank_traces_open(&t);
    assert_int_equal(t.ranks.arrivals.communicators.count, 3);
    assert_string_equal(rank_communicator_name(&(struct ranks_context){&t.arena, &t.ranks, NULL}, 2), "a[b] [0,1]");
    rank_traces_release(&t);
}

/* Three pairs of ranks add up the same; at ranks 4 and 5 it always takes 60 instead of 20 or 24. */
static void a_link_that_is_always_slow_is_named(void **state)
{
    (void)state;
    static const char *const notes[] = {OF("2", "0, 1"), OF("2", "2, 3"), OF("2", "4, 5")};
    struct rank_traces t;
    rank_traces_begin(&t);
    rank_traces_file(&t, "");
    for (int n = 0; n < 12; n++)
        for (int rank = 0; rank < 6; rank++) {
            const int length_us = rank > 3 ? 60 : rank > 1 ? 24 : 20;
            rank_traces_add(&t,
                            (struct rank_kernel_row){rank, 0, 20, n * 100, n * 100 + length_us, SUM, notes[rank / 2]});
        }
    rank_traces_open(&t);
    assert_int_equal(t.ranks.costs.verdict, RANK_IN_TIME); /* beside itself, nothing is slow */
    assert_int_equal(t.ranks.links.items.count, 3);
    const struct rank_link *slow = &t.ranks.links.items.items[0];
    assert_string_equal(rank_communicator_name(&(struct ranks_context){&t.arena, &t.ranks, NULL}, slow->communicator),
                        "tp [4,5]");
    assert_int_equal(slow->expected_ns, 60000);
    assert_int_equal(slow->others, 2);
    assert_true(slow->usual_ns == 22000);
    assert_true(t.ranks.links.items.items[1].usual_ns == 40000); /* of 24: 20 and 60 */
    assert_true(t.ranks.links.items.items[2].usual_ns == 42000); /* of 20: 24 and 60 */
    rank_traces_release(&t);
}

/* Waits of place 0 at meetings 1, 4 and 9, for two origins. */
static void waits_are_summed_between_meetings(void **state)
{
    (void)state;
    static const struct {
        uint32_t from, to;
        double all, first;
    } cases[] = {{0, 10, 111, 101}, {1, 10, 111, 101}, {2, 10, 110, 100}, {2, 9, 10, 0}, {4, 5, 10, 0}, {5, 9, 0, 0}};
    struct rank_waits w = {.latest = {0}};
    struct rank_wait_origin origin;
    struct err e = {0};
    uint32_t at = 0;
    assert_int_equal(rank_waits_add(&w, 0, 1, 7, CAUSE_HOST, 1, &e), 0);
    assert_int_equal(rank_waits_add(&w, 0, 4, 8, CAUSE_COPY, 10, &e), 0);
    assert_int_equal(rank_waits_add(&w, 0, 9, 7, CAUSE_HOST, 100, &e), 0);
    assert_int_equal(rank_waits_add(&w, 5, 9, 7, CAUSE_HOST, 1000, &e), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct rank_waits_span span = {cases[i].from, cases[i].to};
        assert_true(rank_waits_all(&w, 0, span) == cases[i].all);
        assert_true(rank_waits_for(&w, 0, span, 7, CAUSE_HOST) == cases[i].first);
        assert_true(rank_waits_for(&w, 0, span, 7, CAUSE_COPY) == 0);
    }
    assert_true(rank_waits_next(&w, 0, 4, &at, &origin) && origin.origin == 7);
    assert_true(rank_waits_next(&w, 0, 4, &at, &origin) && origin.origin == 8);
    assert_false(rank_waits_next(&w, 0, 4, &at, &origin));
    at = 0;
    assert_true(rank_waits_next(&w, 0, 5, &at, &origin) && origin.origin == 7);
    assert_false(rank_waits_next(&w, 0, 5, &at, &origin)); /* the other one is before */
    at = 0;
    assert_false(rank_waits_next(&w, 3, 0, &at, &origin));
    rank_waits_release(&w);
}

/* Behind the ten that are shown, an origin has what it did, too. Rank r of 13 is late at collective r, by 20 r. */
static void every_origin_has_what_it_did(void **state)
{
    (void)state;
    static const char note[] =
        "\"Collective name\":\"allreduce\",\"Group size\":13,\"Process Group Name\":\"w\",\"dtype\":\"Float\","
        "\"In msg nelems\":1024,\"Out msg nelems\":1024";
    struct rank_traces t;
    rank_traces_begin(&t);
    rank_traces_file(&t, "");
    for (int n = 0; n < 13; n++)
        for (int rank = 0; rank < 13; rank++) {
            const int at_us = 1000 * n, arrival_us = at_us + 100 + (rank == n ? 20 * n : 0);
            rank_traces_add(&t, (struct rank_kernel_row){rank, 0, 7, at_us, arrival_us, "gemm", NULL});
            rank_traces_add(&t, (struct rank_kernel_row){rank, 0, 20, arrival_us, at_us + 110 + 20 * n, SUM, note});
        }
    rank_traces_open(&t);
    assert_int_equal(t.ranks.costs.origins.count, 12);
    for (size_t i = 0; i < 12; i++) {
        const struct rank_origin *o = &t.ranks.costs.origins.items[i];
        assert_int_equal(o->place, 12 - i);
        assert_int_equal(o->present, 1);
        assert_true(o->own_ns == (100 + 20 * o->place) * 1000.0 && o->usual_ns == 100000);
    }
    rank_traces_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_idle_device_is_in_no_mean),
        cmocka_unit_test(late_adds_up_the_devices_of_a_rank),
        cmocka_unit_test(a_rank_without_a_verdict_is_not_in_time),
        cmocka_unit_test(waits_without_an_origin_may_be_for_any_rank),
        cmocka_unit_test(what_waits_at_the_same_time_is_cut),
        cmocka_unit_test(a_limit_within_the_uncertainty_decides_nothing),
        cmocka_unit_test(members_are_those_of_the_notes),
        cmocka_unit_test(lists_that_are_cut_are_not_whole),
        cmocka_unit_test(two_traces_of_one_rank_are_refused),
        cmocka_unit_test(the_trace_of_another_run_is_named_though_it_is_the_first),
        cmocka_unit_test(nothing_is_in_time_beside_a_trace_of_another_run),
        cmocka_unit_test(rules_of_all_ranks_need_all_ranks),
        cmocka_unit_test(all_is_well_where_all_ranks_are),
        cmocka_unit_test(the_nth_has_the_same_number),
        cmocka_unit_test(kernels_of_one_collective_end_together),
        cmocka_unit_test(groups_of_their_own_are_not_one),
        cmocka_unit_test(equally_late_ranks_share_the_cost),
        cmocka_unit_test(no_clock_gains_half_a_second_in_a_second),
        cmocka_unit_test(no_clock_that_jumps_is_compared),
        cmocka_unit_test(a_moment_is_lost_once),
        cmocka_unit_test(an_unknown_operation_is_no_broadcast),
        cmocka_unit_test(names_of_communicators_are_kept),
        cmocka_unit_test(a_link_that_is_always_slow_is_named),
        cmocka_unit_test(waits_are_summed_between_meetings),
        cmocka_unit_test(every_origin_has_what_it_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
