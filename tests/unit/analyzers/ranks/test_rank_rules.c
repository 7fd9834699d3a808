/* What do rules of ranks say of collectives of several sizes, of slow transfers, and of ranks that are not of one run?
 */
#define _GNU_SOURCE
#include "core/base/count_of.h"
#include "tests/unit/analyzers/ranks/rank_traces.h"

#define OF(elements)                                                                                                   \
    "\"Collective name\":\"allreduce\",\"dtype\":\"Float\",\"In msg nelems\":" elements                                \
    ",\"Out msg nelems\":" elements                                                                                    \
    ",\"Group size\":2,\"Process Group Name\":\"tp\",\"Process Group Ranks\":\"[0, 1]\""

/* The linker sends the allocations of all objects of this program here. While a rule is judged, the one with this
 * number fails; below 0: none. */
static int fails_at = -1, allocation;
void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);

void *__wrap_calloc(size_t count, size_t bytes)
{
    return rank_traces_judging && allocation++ == fails_at ? NULL : __real_calloc(count, bytes);
}

static void expect_rule(struct rank_traces *t, const char *rule, enum rule_status status)
{
    if (rank_traces_rule(t, rule) != status)
        fail_msg("%s", rule);
}

/* Twenty times: both ranks meet at two small all-reduces, and rank 1 comes 300 late to a large one. The median of all
 * sixty is 0, that of the twenty large ones 300. */
static void skew_is_that_of_collectives_which_are_alike(void **state)
{
    (void)state;
    struct rank_traces t;
    rank_traces_begin(&t);
    rank_traces_file(&t, "");
    for (int n = 0; n < 20; n++)
        for (int rank = 0; rank < 2; rank++) {
            const int at_us = 1000 * n, arrival_us = at_us + (rank ? 420 : 120);
            rank_traces_add(&t, (struct rank_kernel_row){rank, 0, 20, at_us, at_us + 10, SUM, OF("8")});
            rank_traces_add(&t, (struct rank_kernel_row){rank, 0, 20, at_us + 10, at_us + 20, SUM, OF("8")});
            rank_traces_add(&t, (struct rank_kernel_row){rank, 0, 7, at_us + 20, arrival_us, "gemm", NULL});
            rank_traces_add(&t, (struct rank_kernel_row){rank, 0, 20, arrival_us, at_us + 500, SUM, OF("999999")});
        }
    rank_traces_open(&t);
    assert_true(t.ranks.skew.ns == 300000 && t.ranks.skew.all_ns == 0);
    assert_true(t.ranks.skew.is_of_alike && t.ranks.skew.collectives == 20 && t.ranks.skew.bytes == 3999996);
    expect_rule(&t, "skew(comm) <= 299us", RULE_FAIL);
    expect_rule(&t, "skew(comm) <= 300us", RULE_PASS);
    rank_traces_release(&t);
}

/* Four alike are too few: then the median of all counts. Four of 0, and one of 100 in another size: 0. */
static void skew_of_few_is_that_of_all(void **state)
{
    (void)state;
    struct rank_traces t;
    rank_traces_begin(&t);
    rank_traces_file(&t, "");
    for (int n = 0; n < 5; n++)
        for (int rank = 0; rank < 2; rank++)
            rank_traces_add(&t, (struct rank_kernel_row){rank, 0, 20, 1000 * n + (n == 4 && rank ? 100 : 0),
                                                         1000 * n + 200, SUM, n == 4 ? OF("99") : OF("8")});
    rank_traces_open(&t);
    assert_true(t.ranks.skew.ns == 0 && !t.ranks.skew.is_of_alike);
    rank_traces_release(&t);
}

/* Four times rank 1 comes 2000 late to a large all-reduce, and a hundred times both meet at a small one. Four have no
 * median that counts; but it may be 2000. */
static void skew_of_few_is_not_hidden_by_many(void **state)
{
    (void)state;
    struct rank_traces t;
    rank_traces_begin(&t);
    rank_traces_file(&t, "");
    for (int n = 0; n < 104; n++)
        for (int rank = 0; rank < 2; rank++)
            rank_traces_add(&t, (struct rank_kernel_row){rank, 0, 20, 10000 * n + (n < 4 && rank ? 2000 : 0),
                                                         10000 * n + 3000, SUM, n < 4 ? OF("268435456") : OF("8")});
    rank_traces_open(&t);
    assert_true(t.ranks.skew.ns == 0 && t.ranks.skew.collectives == 100);
    expect_rule(&t, "skew(comm) <= 2000us", RULE_PASS);
    expect_rule(&t, "skew(comm) <= 1999us", RULE_INCONCLUSIVE);
    expect_rule(&t, "skew(comm) >= 1us", RULE_INCONCLUSIVE);
    rank_traces_release(&t);
}

/* Twenty transfers of 100, of which five take 400: 5 * 300 of 19,500 are 7.69%. */
static void slow_transfers_break_their_rule(void **state)
{
    (void)state;
    struct rank_traces t;
    rank_traces_begin(&t);
    rank_traces_file(&t, "");
    for (int n = 0; n < 20; n++)
        for (int rank = 0; rank < 2; rank++)
            rank_traces_add(
                &t, (struct rank_kernel_row){rank, 0, 20, 1000 * n, 1000 * n + (n < 15 ? 100 : 400), SUM, OF("4096")});
    for (int rank = 0; rank < 2; rank++) /* up to 19,500 */
        rank_traces_add(&t, (struct rank_kernel_row){rank, 0, 7, 19400, 19500, "gemm", NULL});
    rank_traces_open(&t);
    expect_rule(&t, "transfer(comm) <= 7.6%", RULE_FAIL);
    expect_rule(&t, "transfer(comm) <= 7.7%", RULE_PASS);
    expect_rule(&t, "late(any) <= 0%", RULE_PASS);
    rank_traces_release(&t);
}

/* Two transfers take 1000, and eighteen take longer. From 1250 on a transfer is slow, and then all that it takes longer
 * counts: 18 * 250 of 39,250 are 11.5%. Each may be off by 2, twice the error of a time. */
static void transfers_near_the_limit_of_slow_decide_no_rule(void **state)
{
    (void)state;
    static const struct {
        int64_t takes_us;
        enum rule_status status;
        enum rank_verdict verdict;
    } cases[] = {{1240, RULE_PASS, RANK_IN_TIME},
                 {1249, RULE_INCONCLUSIVE, RANK_INCONCLUSIVE},
                 {1251, RULE_INCONCLUSIVE, RANK_SLOW},
                 {1260, RULE_FAIL, RANK_SLOW}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rank_traces t;
        rank_traces_begin(&t);
        t.time_error_ns = 1000;
        rank_traces_file(&t, "");
        for (int n = 0; n < 20; n++)
            for (int rank = 0; rank < 2; rank++)
                rank_traces_add(&t, (struct rank_kernel_row){rank, 0, 20, 2000 * n,
                                                             2000 * n + (n < 2 ? 1000 : cases[i].takes_us), SUM,
                                                             OF("4096")});
        rank_traces_open(&t);
        expect_rule(&t, "transfer(comm) <= 5%", cases[i].status);
        assert_int_equal(t.ranks.costs.verdict, cases[i].verdict);
        rank_traces_release(&t);
    }
}

/* Nine are too few to be compared: 9 * 100 of 8,100 may be slow, which is 11.1%. */
static void transfers_that_are_not_compared_pass_no_rule(void **state)
{
    (void)state;
    struct rank_traces t;
    rank_traces_begin(&t);
    rank_traces_file(&t, "");
    for (int n = 0; n < 9; n++)
        for (int rank = 0; rank < 2; rank++)
            rank_traces_add(&t, (struct rank_kernel_row){rank, 0, 20, 1000 * n, 1000 * n + 100, SUM, OF("4096")});
    rank_traces_open(&t);
    expect_rule(&t, "transfer(comm) <= 50%", RULE_INCONCLUSIVE);
    rank_traces_release(&t);
}

/* Rank 1 worked 40 s after rank 0 had ended, or 20; or its all-reduces are half a second in a second further apart. */
static void ranks_of_another_run_have_no_balance(void **state)
{
    (void)state;
    static const struct {
        int64_t later_us, apart_us;
        bool communicates;
        enum rule_status status;
    } cases[] = {{40000000, 10000, false, RULE_INCONCLUSIVE},
                 {20000000, 10000, false, RULE_PASS},
                 {20000000, 10000, true, RULE_PASS},
                 {0, 15000, true, RULE_INCONCLUSIVE}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rank_traces t;
        rank_traces_begin(&t);
        for (int rank = 0; rank < 2; rank++) {
            rank_traces_file_of(&t, rank, 2);
            for (int n = 0; n < 20; n++) {
                const int64_t at_us = rank ? cases[i].later_us + n * cases[i].apart_us : n * 10000;
                rank_traces_add(&t, (struct rank_kernel_row){-1, 0, 7, at_us + 20, at_us + 120, "gemm", NULL});
                if (cases[i].communicates)
                    rank_traces_add(&t, (struct rank_kernel_row){-1, 0, 20, at_us, at_us + 10, SUM, OF("8")});
            }
        }
        rank_traces_open(&t);
        expect_rule(&t, "imbalance(compute) <= 1.5", cases[i].status);
        expect_rule(&t, "imbalance(compute) <= 0.5", RULE_FAIL);
        rank_traces_release(&t);
    }
}

/* A device of work at 0, and one 40 s later: how it is called, and what the rule says when any allocation fails. */
static void a_device_of_another_run_is_named(void **state)
{
    (void)state;
    static const struct {
        int ranks[2], devices[2];
        const char *who;
    } cases[] = {{{-1, -1}, {0, 1}, "device 1 worked"},
                 {{0, 1}, {0, 1}, "rank 1 worked"},
                 {{3, 3}, {0, 1}, "rank 3, device 1 worked"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rank_traces t;
        enum rule_status status = RULE_PASS;
        const char *why;
        rank_traces_begin(&t);
        rank_traces_file(&t, "");
        for (int k = 0; k < 2; k++)
            rank_traces_add(&t, (struct rank_kernel_row){cases[i].ranks[k], cases[i].devices[k], 7, 40000000 * k,
                                                         40000000 * k + 100, "gemm", NULL});
        rank_traces_open(&t);
        assert_int_equal(rank_traces_judge(&t, "imbalance(compute) <= 1.5", &status, &why), 0);
        assert_int_equal(status, RULE_INCONCLUSIVE);
        if (strncmp(why, cases[i].who, strlen(cases[i].who)))
            fail_msg("%s", why);
        for (fails_at = 0; allocation >= fails_at; fails_at++) {
            allocation = 0;
            if (rank_traces_judge(&t, "imbalance(compute) <= 1.5", &status, &why) == 0)
                assert_int_equal(status, RULE_INCONCLUSIVE);
            else
                assert_string_equal(why, "out of memory");
        }
        fails_at = -1;
        rank_traces_release(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skew_is_that_of_collectives_which_are_alike),
        cmocka_unit_test(skew_of_few_is_that_of_all),
        cmocka_unit_test(skew_of_few_is_not_hidden_by_many),
        cmocka_unit_test(slow_transfers_break_their_rule),
        cmocka_unit_test(transfers_near_the_limit_of_slow_decide_no_rule),
        cmocka_unit_test(transfers_that_are_not_compared_pass_no_rule),
        cmocka_unit_test(ranks_of_another_run_have_no_balance),
        cmocka_unit_test(a_device_of_another_run_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
