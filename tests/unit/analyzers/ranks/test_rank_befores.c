/* Does each rank of each collective get back what it did before, in memory and through the disk? */
#include <assert.h>

#include "analyzers/ranks/rank_befores.h"
#include "tests/test.h"

enum { RANKS = 5, MEETINGS = 50000 };

/* What memory holds at most is by what is in the documents. */
static_assert(sizeof(struct rank_arrival) + sizeof(struct rank_exchanged) == 36, "docs/ranks.md has it");
static_assert(sizeof(struct rank_before) == 80, "docs/ranks.md has it");

/* Rank `i` of a meeting is place i; every third has done nothing before, nor has any in every seventh meeting. */
static bool has_before(size_t meeting, size_t place)
{
    return (meeting + place) % 3 != 0 && meeting % 7 != 0;
}

static void give(struct rank_befores *b, size_t meetings)
{
    for (size_t i = 0; i < meetings; i++) /* in no order: 7919 is a prime that divides neither count */
        for (size_t place = 0; place < RANKS; place++) {
            const size_t meeting = i * 7919 % meetings;
            const struct rank_before before = {.meeting = (uint32_t)meeting,
                                               .place = (uint32_t)place,
                                               .since = (uint32_t)(meeting * RANKS + place + 1),
                                               .spent_ns = {[SPENT_COPY] = (int64_t)(meeting + place)}};
            if (has_before(meeting, place))
                assert_int_equal(rank_befores_add(b, &before, NULL), 0);
        }
    assert_int_equal(rank_befores_rewind(b, NULL), 0);
}

/* Loads all meetings, or every `each`-th. */
static void each_has_its_own(size_t meetings, size_t each)
{
    struct rank_track tracks[RANKS];
    struct rank_arrival arrivals[RANKS];
    uint32_t attendance[RANKS];
    struct rank_meeting *items = test_calloc(meetings, sizeof *items);
    struct rank_arrivals a = {.tracks = {tracks, RANKS, RANKS}, .items = {arrivals, RANKS, RANKS}};
    const struct rank_meetings_found m = {.items = {items, meetings, meetings}, .attendance = attendance};
    struct rank_befores b;
    for (uint32_t i = 0; i < RANKS; i++) {
        tracks[i] = (struct rank_track){.place = i};
        arrivals[i] = (struct rank_arrival){.track = i};
        attendance[i] = i;
    }
    assert_int_equal(rank_befores_init(&b, NULL), 0);
    give(&b, meetings);
    for (size_t i = 0; i < meetings; i += each) {
        items[i].count = RANKS;
        assert_int_equal(rank_befores_load(&b, &a, &m, &items[i], NULL), 0);
        for (size_t place = 0; place < RANKS; place++) {
            const struct rank_before *got = rank_before_at(&b, place);
            const bool has = has_before(i, place);
            assert_int_equal(got->since, has ? i * RANKS + place + 1 : 0);
            assert_int_equal(got->spent_ns[SPENT_COPY], has ? i + place : 0);
        }
    }
    rank_befores_release(&b);
    test_free(items);
}

TEST(in_memory)
{
    each_has_its_own(1, 1);
    each_has_its_own(100, 1);
}

TEST(through_the_disk)
{
    each_has_its_own(MEETINGS, 1);
    each_has_its_own(MEETINGS, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_memory),
        cmocka_unit_test(through_the_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
