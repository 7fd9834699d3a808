/* When did it happen, as the rows of rules say it? */

#include "core/trace/rank_starts.h"
#include "reports/rule_rows.h"
#include "tests/test.h"

/* Rank 3 begins at 1000 ns; of rank 4 there is no event, and its clock is another one. */
TEST(moments_count_from_the_start_of_their_rank)
{
    static const struct {
        int rank;
        bool starts;
        const char *label, *line;
    } cases[] = {
        {3, true, "1.500 us", "1.500 us since start, 200 ns long, stream 7: k"},
        {4, true, "unknown", "at an unknown time, 200 ns long, stream 7: k"},
        {3, false, "unknown", "at an unknown time, 200 ns long, stream 7: k"},
    };
    struct rank_starts starts = {0};
    struct err e = {0};
    struct arena arena;
    arena_init(&arena);
    assert_int_equal(rank_starts_note(&starts, &(struct cpprof_event){.rank = 3, .start_ns = 1000}, &e), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct check_report report = {.starts = cases[i].starts ? &starts : NULL};
        const struct rule_result row = {.rank = cases[i].rank};
        const struct timeline_example example = {.start_ns = 2500, .end_ns = 2700, .stream = 7};
        assert_string_equal(moment_label(&arena, report.starts, row.rank, 2500), cases[i].label);
        assert_string_equal(example_line(&arena, &report, &row, &example, "k", ""), cases[i].line);
    }
    arena_release(&arena);
    rank_starts_release(&starts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(moments_count_from_the_start_of_their_rank)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
