/* Whose turn is it, and for how long? */
#include <string.h>

#include "collector/inject/delay_schedule.h"
#include "tests/test.h"

#define MS INT64_C(1000000)

enum { DOSES = 3 };

/* A block of a program that launches one target every 5 ms: 40 ms are 9 launches, and 16 take 80 ms. */
TEST(at_least_16_launches)
{
    struct delay_schedule s;
    delay_schedule_init(&s, 1, DOSES, 7);
    const size_t first = delay_schedule_take(&s, 0, 0);
    for (int i = 1; i < 16; i++)
        assert_int_equal(delay_schedule_take(&s, 0, 5 * i * MS), first);
    assert_int_not_equal(delay_schedule_take(&s, 0, 80 * MS), first);
    assert_int_equal(s.blocks, 2);
}

TEST(at_least_40_ms)
{
    struct delay_schedule s;
    delay_schedule_init(&s, 1, DOSES, 7);
    const size_t first = delay_schedule_take(&s, 0, 0);
    for (int i = 1; i < 400; i++)
        assert_int_equal(delay_schedule_take(&s, 0, i * MS / 10), first);
    assert_int_not_equal(delay_schedule_take(&s, 0, 40 * MS), first);
}

/* Launches every ms, all targets at once: in as many blocks as there are pairs each has one, and no pair has two in a
 * row. Out of its turn a target has no dose. */
TEST(every_pair_once_in_a_round)
{
    enum { TARGETS = 4, PAIRS = TARGETS * DOSES, ROUNDS = 50 };
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct delay_schedule s;
        int counts[PAIRS] = {0};
        size_t last = PAIRS;
        int64_t blocks = 0;
        delay_schedule_init(&s, TARGETS, DOSES, seed);
        for (size_t target = 0; target < TARGETS; target++)
            s.is_seen[target] = true;
        for (int64_t ms = 0; s.blocks <= PAIRS * ROUNDS; ms++)
            for (size_t target = 0; target < TARGETS; target++) {
                const size_t dose = delay_schedule_take(&s, target, ms * MS);
                if (dose == CAUSAL_OUT_OF_TURN || s.blocks == blocks)
                    continue;
                assert_int_not_equal(target * DOSES + dose, last);
                last = target * DOSES + dose;
                counts[last] += s.blocks <= PAIRS * ROUNDS;
                blocks = s.blocks;
            }
        for (size_t pair = 0; pair < PAIRS; pair++)
            assert_int_equal(counts[pair], ROUNDS);
    }
}

/* The other target is launched every 10 ms: the turn ends at its first launch after 250 ms. */
TEST(a_target_that_stays_away)
{
    struct delay_schedule s;
    delay_schedule_init(&s, 2, DOSES, 7);
    s.is_seen[0] = s.is_seen[1] = true;
    const size_t away = delay_schedule_take(&s, 0, 0) == CAUSAL_OUT_OF_TURN ? 1 : 0, other = 1 - away;
    delay_schedule_take(&s, away, 0);
    for (int i = 0; i <= 25; i++)
        assert_int_equal(delay_schedule_take(&s, other, 10 * i * MS), CAUSAL_OUT_OF_TURN);
    assert_int_equal(s.blocks, 1);
    delay_schedule_take(&s, other, 260 * MS);
    assert_int_equal(s.blocks, 2);
}

/* A target that is launched seldom has its turn for as long as it takes. */
TEST(a_slow_target)
{
    struct delay_schedule s;
    delay_schedule_init(&s, 2, DOSES, 7);
    const size_t first = delay_schedule_take(&s, 1, 0);
    assert_true(first < DOSES); /* the other one was never launched */
    for (int i = 1; i < 16; i++)
        assert_int_equal(delay_schedule_take(&s, 1, 1000 * i * MS), first);
    assert_int_equal(s.blocks, 1);
}

TEST(the_seed_decides)
{
    struct delay_schedule a, b, c;
    delay_schedule_init(&a, 8, DOSES, 11);
    delay_schedule_init(&b, 8, DOSES, 11);
    delay_schedule_init(&c, 8, DOSES, 12);
    assert_memory_equal(a.order, b.order, sizeof a.order);
    assert_memory_not_equal(a.order, c.order, sizeof a.order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_least_16_launches),
        cmocka_unit_test(at_least_40_ms),
        cmocka_unit_test(every_pair_once_in_a_round),
        cmocka_unit_test(a_target_that_stays_away),
        cmocka_unit_test(a_slow_target),
        cmocka_unit_test(the_seed_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
