/* Whose rows are whose, by the pids that mergers leave? */
#include <stdio.h>
#include <string.h>

#include "core/trace/merged_ranks.h"
#include "tests/test.h"

enum { PIDS = 5 };

struct pid {
    const char *text, *label;
    enum merged_row row;
    int16_t device;
    int16_t rank; /* expected */
};

struct merge {
    enum merged_by by;
    size_t ranks;
    struct pid pids[PIDS];
};

static bool is_number(const char *text)
{
    return strspn(text, "-0123456789") == strlen(text);
}

static void check(const struct merge *m)
{
    struct merged_ranks ranks = {0};
    size_t places[PIDS];
    for (size_t i = 0; i < PIDS && m->pids[i].text; i++) {
        const struct pid *p = &m->pids[i];
        assert_int_equal(merged_ranks_find(&ranks, p->text, strlen(p->text), is_number(p->text), &places[i], NULL), 0);
        if (p->label)
            merged_ranks_label(&ranks, places[i], p->label);
        merged_ranks_note(&ranks, places[i], p->row, p->device);
    }
    assert_int_equal(merged_ranks_decide(&ranks), m->by);
    for (size_t i = 0; m->ranks > 1 && i < PIDS && m->pids[i].text; i++)
        assert_int_equal(ranks.items[places[i]].rank, m->pids[i].rank);
    if (m->ranks > 1)
        assert_int_equal(ranks.ranks, m->ranks);
    merged_ranks_release(&ranks);
}

TEST(pids_of_ranks)
{
    static const struct merge merges[] = {
        /* one process, also with a copy of its GPU rows under its own pid, or with something added to all pids */
        {MERGED_NOT, 0, {{"4242", 0, MERGED_CALL, 0, 0}, {"0", 0, MERGED_WORK, 0, 0}, {"1", 0, MERGED_WORK, 1, 0}}},
        {MERGED_NOT,
         0,
         {{"4242", 0, MERGED_CALL, 0, 0}, {"4242", 0, MERGED_WORK, 0, 0}, {"4242", 0, MERGED_WORK, 1, 0}}},
        /* and one that only has ranges, beside work of one pid */
        {MERGED_NOT, 0, {{"4242", 0, MERGED_CALL, 0, 0}, {"4243", 0, MERGED_RANGE, 0, 0}, {"0", 0, MERGED_WORK, 0, 0}}},
        {MERGED_NOT, 0, {{"10004242", 0, MERGED_CALL, 0, 0}, {"10000000", 0, MERGED_WORK, 0, 0}}},
        /* labels before and behind pids; "rank 10" is behind "rank 2" */
        {MERGED_BY_LABEL,
         2,
         {{"[TP00] 42", 0, MERGED_CALL, 0, 0},
          {"[TP00] 0", 0, MERGED_WORK, 0, 0},
          {"[TP01] 42", 0, MERGED_CALL, 0, 1},
          {"[TP01] 0", 0, MERGED_WORK, 0, 1}}},
        {MERGED_BY_LABEL,
         2,
         {{"42 rank 10", 0, MERGED_CALL, 0, 10},
          {"0 rank 10", 0, MERGED_WORK, 0, 10},
          {"42 rank 2", 0, MERGED_CALL, 0, 2},
          {"0 rank 2", 0, MERGED_WORK, 0, 2}}},
        /* one number in two labels, and numbers that no rank can have: they count in their order */
        {MERGED_BY_LABEL,
         2,
         {{"42 rank 1", 0, MERGED_CALL, 0, 1},
          {"0 rank 1", 0, MERGED_WORK, 0, 1},
          {"42 rank 01", 0, MERGED_CALL, 0, 0},
          {"0 rank 01", 0, MERGED_WORK, 0, 0}}},
        {MERGED_BY_LABEL,
         2,
         {{"42 rank 40000", 0, MERGED_CALL, 0, 0},
          {"0 rank 40000", 0, MERGED_WORK, 0, 0},
          {"42 rank 40001", 0, MERGED_CALL, 0, 1},
          {"0 rank 40001", 0, MERGED_WORK, 0, 1}}},
        {MERGED_BY_LABEL,
         2,
         {{"0_42", 0, MERGED_CALL, 0, 0},
          {"0_1", 0, MERGED_WORK, 1, 0},
          {"1_42", 0, MERGED_CALL, 0, 1},
          {"1_0", 0, MERGED_WORK, 0, 1}}},
        {MERGED_BY_LABEL, 2, {{"[a] 0", 0, MERGED_WORK, 0, 0}, {"[b] 0", 0, MERGED_WORK, 0, 1}}},
        /* a rank that only copies, and copies on a second device of one */
        {MERGED_BY_LABEL,
         2,
         {{"[TP00] 42", 0, MERGED_CALL, 0, 0},
          {"[TP00] 0", 0, MERGED_WORK, 0, 0},
          {"[TP01] 42", 0, MERGED_CALL, 0, 1},
          {"[TP01] 3", 0, MERGED_COPY, 0, 1}}},
        {MERGED_BY_OFFSET,
         2,
         {{"4242", 0, MERGED_CALL, 0, 0},
          {"0", 0, MERGED_WORK, 0, 0},
          {"10004242", 0, MERGED_CALL, 0, 1},
          {"10000001", 0, MERGED_WORK, 1, 1},
          {"10000003", 0, MERGED_COPY, 0, 1}}},
        /* names of processes */
        {MERGED_BY_LABEL,
         2,
         {{"42", "Rank 0", MERGED_CALL, 0, 0},
          {"0", "Rank 0", MERGED_WORK, 0, 0},
          {"43", "Rank 1", MERGED_CALL, 0, 1},
          {"1", "Rank 1", MERGED_WORK, 1, 1}}},
        /* numbers that were added, of which the second rank's pid has more */
        {MERGED_BY_OFFSET,
         2,
         {{"4242", 0, MERGED_CALL, 0, 0},
          {"0", 0, MERGED_WORK, 0, 0},
          {"10004250", 0, MERGED_CALL, 0, 1},
          {"10000001", 0, MERGED_WORK, 1, 1}}},
        /* two processes, and nothing else */
        {MERGED_UNKNOWN,
         0,
         {{"4242", 0, MERGED_RANGE, 0, 0}, {"4243", 0, MERGED_RANGE, 0, 0}, {"0", 0, MERGED_WORK, 0, 0}}},
        {MERGED_UNKNOWN,
         0,
         {{"4242", 0, MERGED_CALL, 0, 0},
          {"4243", 0, MERGED_RANGE, 0, 0},
          {"0", 0, MERGED_WORK, 0, 0},
          {"1", 0, MERGED_WORK, 1, 0}}},
        {MERGED_UNKNOWN,
         0,
         {{"4242", 0, MERGED_CALL, 0, 0}, {"4243", 0, MERGED_CALL, 0, 0}, {"0", 0, MERGED_WORK, 0, 0}}},
        {MERGED_UNKNOWN,
         0,
         {{"4242", "python", MERGED_CALL, 0, 0},
          {"4243", "python", MERGED_CALL, 0, 0},
          {"0", 0, MERGED_WORK, 0, 0},
          {"1", 0, MERGED_WORK, 1, 0}}},
        /* labels of calls that no work has */
        {MERGED_UNKNOWN,
         0,
         {{"a 1", 0, MERGED_CALL, 0, 0}, {"b 1", 0, MERGED_CALL, 0, 0}, {"0", 0, MERGED_WORK, 0, 0}}},
    };
    for (size_t i = 0; i < COUNT_OF(merges); i++)
        check(&merges[i]);
}

/* 1,025 pids: whose the rest is, is not known. */
TEST(too_many_pids)
{
    struct merged_ranks ranks = {0};
    size_t place = 0;
    char text[16];
    for (int i = 0; i <= MERGED_PIDS_MAX; i++) {
        snprintf(text, sizeof text, "%d", i);
        assert_int_equal(merged_ranks_find(&ranks, text, strlen(text), MERGED_WORK, &place, NULL), 0);
    }
    assert_true(place == SIZE_MAX);
    assert_int_equal(merged_ranks_decide(&ranks), MERGED_UNKNOWN);
    merged_ranks_release(&ranks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pids_of_ranks), cmocka_unit_test(too_many_pids)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
