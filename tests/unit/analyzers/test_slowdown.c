/* Is it said what a slower candidate waits for, and nothing of others? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/entries.h"
#include "core/base/array.h"
#include "core/bundle/bundle.h"
#include "core/gpu/metrics.h"
#include "tests/test.h"
#include "tests/unit/named_arms.h"

/* Instructions, and cycles for each of them. */
struct counted_arm {
    double instructions, latency, loads, barrier, ldgsts;
};

static void add_arm(struct bundle *bundle, const char *variant, const struct counted_arm *arm)
{
    const struct {
        const char *id;
        double value;
    } rows[] = {{"instructions", arm->instructions},
                {"warp_latency", arm->latency},
                {"stall_long_scoreboard", arm->loads},
                {"stall_barrier", arm->barrier},
                {"ldgsts", arm->ldgsts}};
    struct table *t = &bundle->tables[BUNDLE_METRICS];
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (isnan(rows[i].value))
            continue;
        struct cell *row = table_add_row(t);
        assert_non_null(row);
        row[METRICS_VARIANT] = cell_text(t, variant);
        row[METRICS_SHAPE] = cell_text(t, "s");
        row[METRICS_KERNEL] = cell_text(t, "kernel");
        row[METRICS_METRIC] = cell_text(t, metric_by_id(rows[i].id)->name);
        row[METRICS_VALUE] = cell_number(rows[i].value);
    }
}

static void compare(struct analysis *a, enum comparison_verdict verdict, const char *cache)
{
    struct comparison *c = ARRAY_PUSH(&a->comparisons);
    assert_non_null(c);
    *c =
        (struct comparison){.baseline = "base", .candidate = "cand", .config = "s", .cache = cache, .verdict = verdict};
}

/* The baseline: 1000 instructions of 4 cycles, 0.1 of them for loads and 0.1 at barriers, 64 copies. */
static const struct counted_arm base = {1000, 4.0, 0.1, 0.1, 64};

TEST(what_grew_most_is_named)
{
    static const struct {
        const char *what;
        struct counted_arm cand;
        enum comparison_verdict verdict;
        const char *says; /* NULL: no finding */
        const char *advice;
    } cases[] = {
        /* 5000 cycles where there were 4000; loads 100 -> 900 */
        {"copies that hide nothing",
         {1000, 5.0, 0.9, 0.2, 64},
         COMPARE_SLOWER,
         "slower, and its warps take 5,000 cycles where those of 'base' take 4,000; what grew most is long_scoreboard "
         "(waits for a load from global or local memory): 100 -> 900, with as many asynchronous copies: less work "
         "overlaps with them",
         "start each copy before the work"},
        {"65 copies are as many",
         {1000, 5.0, 0.9, 0.2, 65},
         COMPARE_SLOWER,
         "less work overlaps with them",
         "start each copy"},
        {"loads instead of copies", {1000, 5.0, 0.9, 0.2, 0}, COMPARE_SLOWER, "100 -> 900", "values are used at once"},
        {"a barrier",
         {1000, 4.5, 0.1, 0.5, 64},
         COMPARE_SLOWER,
         "what grew most is barrier (waits for other warps at a barrier): 100 -> 500",
         "look for a barrier"},
        /* 2000 instructions: 0.1 of each is twice as much */
        {"instructions count", {2000, 2.15, 0.1, 0.05, 64}, COMPARE_SLOWER, "long_scoreboard", ""},
        /* 450 and 500 of 1000 cycles: the larger one first, and its advice */
        {"two reasons",
         {1000, 5.0, 0.55, 0.6, 64},
         COMPARE_SLOWER,
         "what grew most is barrier (waits for other warps at a barrier): 100 -> 600; then long_scoreboard (waits for a load "
         "from global or local memory): 100 -> 550, with as many asynchronous copies: less work overlaps with them",
         "look for a barrier"},
        {"the other way round",
         {1000, 5.0, 0.6, 0.55, 64},
         COMPARE_SLOWER,
         "less work overlaps with them; then barrier (",
         "start each copy"},
        /* 330 of 1000 cycles are a third; 329 are not */
        {"a third", {1000, 5.0, 0.43, 0.1, 64}, COMPARE_SLOWER, "100 -> 430", ""},
        {"less than a third", {1000, 5.0, 0.429, 0.1, 64}, COMPARE_SLOWER, NULL, NULL},
        {"no more cycles", {1000, 4.0, 0.5, 0.1, 64}, COMPARE_SLOWER, NULL, NULL},
        {"not slower", {1000, 5.0, 0.9, 0.2, 64}, COMPARE_INCONCLUSIVE, NULL, NULL},
        {"faster", {1000, 5.0, 0.9, 0.2, 64}, COMPARE_FASTER, NULL, NULL},
        {"no stall counters", {1000, 5.0, NAN, NAN, 64}, COMPARE_SLOWER, NULL, NULL},
        {"no count of instructions", {NAN, 5.0, 0.9, 0.2, 64}, COMPARE_SLOWER, NULL, NULL},
        {"copies not counted", {1000, 5.0, 0.9, 0.2, NAN}, COMPARE_SLOWER, "100 -> 900", "values are used at once"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct bundle bundle;
        struct analysis a;
        struct err e = {0};
        bundle_init(&bundle);
        analysis_init(&a, &bundle);
        add_arm(&bundle, "base", &base);
        add_arm(&bundle, "cand", &cases[i].cand);
        compare(&a, cases[i].verdict, "hot");
        compare(&a, cases[i].verdict, "cold"); /* said once */
        assert_int_equal(analysis_join(&a, &e), 0);
        name_arms(&a);
        assert_int_equal(slowdown_analyze(&a, &e), 0);
        const struct finding *f = a.findings.items;
        if (a.findings.count != (cases[i].says ? 1u : 0u))
            fail_msg("%s: %zu findings: %s", cases[i].what, a.findings.count, f ? f->claim : "");
        if (f && (!strstr(f->claim, cases[i].says) || !strstr(f->advice, cases[i].advice)))
            fail_msg("%s: '%s'; '%s'", cases[i].what, f->claim, f->advice);
        if (f && strcmp(f->variant, "cand") != 0)
            fail_msg("%s: about '%s'", cases[i].what, f->variant);
        analysis_release(&a);
        bundle_release(&bundle);
    }
}

/* Arms without counters are no reason to fail. */
TEST(arms_that_were_not_counted)
{
    struct bundle bundle;
    struct analysis a;
    struct err e = {0};
    bundle_init(&bundle);
    analysis_init(&a, &bundle);
    add_arm(&bundle, "base", &base);
    compare(&a, COMPARE_SLOWER, "hot");
    assert_int_equal(analysis_join(&a, &e), 0);
    name_arms(&a);
    assert_int_equal(slowdown_analyze(&a, &e), 0);
    assert_int_equal(a.findings.count, 0);
    analysis_release(&a);
    bundle_release(&bundle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_grew_most_is_named),
        cmocka_unit_test(arms_that_were_not_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
