/* Which rows of many stand on the first screen? */
#include <math.h>

#include "reports/run/summary_choice.h"
#include "tests/test.h"

enum { ROWS_MAX = 8 };

TEST(comparisons)
{
    static const struct {
        const char *name;
        struct comparison rows[ROWS_MAX];
        size_t count, most, by_importance[ROWS_MAX], shown;
    } cases[] = {
        {"all of few, the largest gain first",
         {{.config = "s", .verdict = COMPARE_FASTER, .gain = 0.1},
          {.config = "s", .verdict = COMPARE_FASTER, .gain = 0.2}},
         2,
         4,
         {1, 0},
         2},
        {"the best of each shape before the second of any",
         {{.config = "s", .verdict = COMPARE_FASTER, .gain = 0.5},
          {.config = "s", .verdict = COMPARE_FASTER, .gain = 0.6},
          {.config = "t", .verdict = COMPARE_FASTER, .gain = 0.1},
          {.config = "t", .verdict = COMPARE_EQUIVALENT, .gain = 0}},
         4,
         2,
         {1, 2, 0, 3},
         2},
        {"cold caches are a shape of their own",
         {{.config = "s", .cache = "hot", .verdict = COMPARE_FASTER, .gain = 0.5},
          {.config = "s", .cache = "hot", .verdict = COMPARE_FASTER, .gain = 0.4},
          {.config = "s", .cache = "cold", .verdict = COMPARE_FASTER, .gain = 0.1}},
         3,
         2,
         {0, 2, 1},
         2},
        {"what is wrong comes first, then the worst of what is slower, and the best",
         {{.config = "s", .verdict = COMPARE_FASTER, .gain = 0.9},
          {.config = "s", .verdict = COMPARE_INCONCLUSIVE, .gain = 0.01},
          {.config = "s", .verdict = COMPARE_SLOWER, .gain = -0.1},
          {.config = "s", .verdict = COMPARE_SLOWER, .gain = -0.5},
          {.config = "s", .verdict = COMPARE_UNUSABLE, .gain = NAN}},
         5,
         3,
         {4, 3, 0, 1, 2},
         3},
        {"the gains of a shape with slower rows count from the first, too",
         {{.config = "s", .verdict = COMPARE_SLOWER, .gain = -0.1},
          {.config = "s", .verdict = COMPARE_SLOWER, .gain = -0.2},
          {.config = "s", .verdict = COMPARE_FASTER, .gain = 0.9},
          {.config = "t", .verdict = COMPARE_FASTER, .gain = 0.2},
          {.config = "t", .verdict = COMPARE_FASTER, .gain = 0.1}},
         5,
         4,
         {1, 0, 2, 3, 4},
         4},
        {"of several shapes the worst of each before the second worst of any",
         {{.config = "s", .verdict = COMPARE_INCONCLUSIVE, .gain = 0.3},
          {.config = "s", .verdict = COMPARE_SLOWER, .gain = -0.4},
          {.config = "s", .verdict = COMPARE_SLOWER, .gain = -0.3},
          {.config = "t", .verdict = COMPARE_SLOWER, .gain = -0.1},
          {.config = "t", .verdict = COMPARE_INCONCLUSIVE, .gain = 0.1},
          {.config = "s", .verdict = COMPARE_FASTER, .gain = 0.5},
          {.config = "u", .verdict = COMPARE_FASTER, .gain = 0.2},
          {.config = "u", .verdict = COMPARE_FASTER, .gain = 0.1}},
         8,
         7,
         {1, 3, 2, 0, 4, 5, 6, 7},
         7},
        {"none", {{0}}, 0, 3, {0}, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct arena arena;
        struct comparison rows[ROWS_MAX];
        arena_init(&arena);
        for (size_t k = 0; k < cases[i].count; k++) {
            rows[k] = cases[i].rows[k];
            rows[k].cache = rows[k].cache ? rows[k].cache : "hot";
        }
        const struct analysis a = {.comparisons = {.items = rows, .count = cases[i].count}};
        const struct summary_choice choice = summary_of_comparisons(&arena, &a, cases[i].most);
        assert_int_equal(choice.count, cases[i].count);
        assert_int_equal(choice.shown, cases[i].shown);
        for (size_t k = 0; k < choice.count; k++) {
            if (choice.by_importance[k] != cases[i].by_importance[k])
                fail_msg("%s: %zu is row %zu", cases[i].name, k, choice.by_importance[k]);
            assert_int_equal(choice.chosen[choice.by_importance[k]], k < choice.shown);
        }
        arena_release(&arena);
    }
}

TEST(weights)
{
    struct arena arena;
    arena_init(&arena);
    const double weights[] = {NAN, 2, 5, 2, INFINITY, 7};
    const size_t expected[] = {5, 2, 1, 3, 0, 4}; /* of equals the first; what is no number last */
    const struct summary_choice choice = summary_by_weight(&arena, weights, NULL, 6, 3);
    assert_int_equal(choice.shown, 3);
    for (size_t k = 0; k < 6; k++)
        assert_int_equal(choice.by_importance[k], expected[k]);
    assert_true(choice.chosen[5] && choice.chosen[2] && choice.chosen[1] && !choice.chosen[3]);
    /* Those that do not take part leave their places to others, even to one that is no number. */
    const bool taking_part[] = {true, false, false, true, false, false};
    const struct summary_choice some = summary_by_weight(&arena, weights, taking_part, 6, 3);
    assert_int_equal(some.count, 2);
    assert_int_equal(some.shown, 2);
    assert_true(some.by_importance[0] == 3 && some.by_importance[1] == 0);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(some.chosen[i], taking_part[i]);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(comparisons), cmocka_unit_test(weights)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
