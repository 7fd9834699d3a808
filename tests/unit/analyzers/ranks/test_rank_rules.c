/* What do rules of ranks say of collectives of several sizes, of slow transfers, and of ranks that are not of one run?
 */
#define _GNU_SOURCE
#include "tests/unit/analyzers/ranks/rank_traces.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define OF(elements)                                                                                                   \
    "\"Collective name\":\"allreduce\",\"dtype\":\"Float\",\"In msg nelems\":" elements                                \
    ",\"Out msg nelems\":" elements                                                                                    \
    ",\"Group size\":2,\"Process Group Name\":\"tp\",\"Process Group Ranks\":\"[0, 1]\""

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
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rank_traces t;
        rank_traces_begin(&t);
        for (int rank = 0; rank < 2; rank++) {
            rank_traces_file(&t, rank ? "\"distributedInfo\":{\"rank\":1,\"world_size\":2},"
                                      : "\"distributedInfo\":{\"rank\":0,\"world_size\":2},");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skew_is_that_of_collectives_which_are_alike),
        cmocka_unit_test(skew_of_few_is_that_of_all),
        cmocka_unit_test(slow_transfers_break_their_rule),
        cmocka_unit_test(transfers_that_are_not_compared_pass_no_rule),
        cmocka_unit_test(ranks_of_another_run_have_no_balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
