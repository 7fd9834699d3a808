/* Does each question find the same when it is asked alone, with what it says that it needs? */
#include <stdlib.h>
#include <string.h>

#include "analyzers/analysed.h"
#include "analyzers/analyzer.h"
#include "analyzers/columns.h"
#include "reports/rows/row_formats.h"
#include "tests/test.h"

#define EXAMPLES SOURCE_DIRECTORY "/examples/"

/* Rows of a question, and the columns that show them. */
struct answer {
    uint32_t questions; /* which write them, and which some of their columns look up */
    const struct row_columns *columns;
    size_t items, count; /* where an analysis has them */
};

#define ANSWER(questions, columns, list)                                                                               \
    {                                                                                                                  \
        questions, &(columns), offsetof(struct analysis, list.items), offsetof(struct analysis, list.count)            \
    }

static const struct answer answers[] = {
    ANSWER(QUESTION(selection) | QUESTION(program_selection), selection_columns, selection),
    ANSWER(QUESTION(correctness), correctness_columns, correctness),
    ANSWER(QUESTION(resources), resource_columns, resources),
    ANSWER(QUESTION(timing), timing_columns, timings),
    ANSWER(QUESTION(witness) | QUESTION(receipts), witness_columns, witnesses),
    ANSWER(QUESTION(compare), comparison_columns, comparisons),
    ANSWER(QUESTION(compare), comparison_columns, mark_costs),
    ANSWER(QUESTION(sweep), sweep_columns, sweeps),
    ANSWER(QUESTION(launch), launch_columns, launches),
    ANSWER(QUESTION(bound) | QUESTION(roofline) | QUESTION(prediction), bound_columns, bounds),
    ANSWER(QUESTION(roofline), roofline_columns, rooflines),
    ANSWER(QUESTION(solutions), solution_columns, solutions),
    ANSWER(QUESTION(prediction), prediction_columns, predictions),
    ANSWER(QUESTION(inside), inside_columns, insides),
    ANSWER(QUESTION(slack), slack_columns, slacks),
    ANSWER(QUESTION(counters_as_expected), expected_change_columns, expected_changes),
    ANSWER(QUESTION(transition), transition_columns, transitions),
};

/* The rows as JSON, to be freed; NULL where there are none. */
static char *rows_of(const struct answer *answer, const struct analysis *a)
{
    const void *const *items = (const void *const *)((const char *)a + answer->items);
    const size_t *count = (const size_t *)((const char *)a + answer->count);
    json_t *rows = row_json_array(answer->columns, 0, *items, *count, a);
    assert_non_null(rows);
    char *text = *count ? json_dumps(rows, JSON_INDENT(1)) : NULL;
    json_decref(rows);
    return text;
}

static void open_bundle(struct analysed *out, const char *path, uint32_t questions)
{
    struct err e = {0};
    if (analysed_open(out, path, &(struct analysed_wish){.questions = questions}, &e))
        fail_msg("%s: %s", path, e.text);
}

/* Returns whether the bundle has such rows. */
static bool is_the_same_alone(const struct answer *answer, const struct analysed *whole, const char *path)
{
    char *expected = rows_of(answer, &whole->analysis);
    if (!expected)
        return false;
    struct analysed part;
    open_bundle(&part, path, answer->questions);
    char *found = rows_of(answer, &part.analysis);
    size_t same = 0;
    while (found && found[same] && found[same] == expected[same])
        same++;
    if (!found || found[same] != expected[same])
        fail_msg("%s: '%s' alone: %.80s; with all other questions: %.80s", path, answer->columns->name,
                 found ? found + same : "nothing", expected + same);
    free(found);
    free(expected);
    analysed_release(&part);
    return true;
}

TEST(each_question_says_what_it_needs)
{
    static const char *const bundles[] = {
        EXAMPLES "verdicts/win.cpprof",    EXAMPLES "verdicts/unusable.cpprof", EXAMPLES "sdpa/ladder.cpprof",
        EXAMPLES "allreduce/nccl.cpprof",  EXAMPLES "inside/one-cta.cpprof",    EXAMPLES "truth/truth.cpprof",
        EXAMPLES "inside/warpspec.cpprof", EXAMPLES "sealed/softmax.cpprof",    EXAMPLES "programs/block-sweep.cpprof",
    };
    size_t seen[COUNT_OF(answers)] = {0};
    for (size_t i = 0; i < COUNT_OF(bundles); i++) {
        struct analysed whole;
        open_bundle(&whole, bundles[i], QUESTIONS_ALL);
        for (size_t k = 0; k < COUNT_OF(answers); k++)
            seen[k] += is_the_same_alone(&answers[k], &whole, bundles[i]);
        analysed_release(&whole);
    }
    for (size_t k = 0; k < COUNT_OF(answers); k++)
        if (!seen[k])
            fail_msg("no bundle has rows of '%s'", answers[k].columns->name);
}

/* To be freed. */
static char *text_of(const struct finding *f)
{
    json_t *row = row_json(&finding_columns, 0, f, NULL);
    char *text = json_dumps(row, 0);
    json_decref(row);
    assert_non_null(text);
    return text;
}

static bool has_finding(const struct analysis *a, const char *text)
{
    bool found = false;
    for (size_t i = 0; i < a->findings.count && !found; i++) {
        char *other = text_of(&a->findings.items[i]);
        found = !strcmp(text, other);
        free(other);
    }
    return found;
}

/* A question that is asked alone finds nothing that it would not find among all. */
TEST(findings_are_the_same_alone)
{
    static const char *const bundles[] = {EXAMPLES "pipeline/more-ctas.cpprof", EXAMPLES "sdpa/ladder.cpprof"};
    const size_t count = getenv("CPPROF_DEEP") ? COUNT_OF(bundles) : 1;
    for (size_t i = 0; i < count; i++) {
        struct analysed whole, part;
        open_bundle(&whole, bundles[i], QUESTIONS_ALL);
        for (size_t question = 0; question < QUESTION_COUNT; question++) {
            open_bundle(&part, bundles[i], UINT32_C(1) << question);
            for (size_t k = 0; k < part.analysis.findings.count; k++) {
                char *text = text_of(&part.analysis.findings.items[k]);
                if (!has_finding(&whole.analysis, text))
                    fail_msg("%s: question %zu alone: %s", bundles[i], question, text);
                free(text);
            }
            analysed_release(&part);
        }
        analysed_release(&whole);
    }
}

/* One way back over the list finds the needs of needs. */
TEST(needs_are_earlier_questions)
{
    for (size_t i = 0; i < QUESTION_COUNT; i++) {
        const uint32_t all = questions_with_needs(UINT32_C(1) << i);
        assert_int_equal(all >> i, 1);
        assert_int_equal(questions_with_needs(all), all);
    }
    assert_int_equal(questions_with_needs(QUESTION(slack)) & QUESTION(selection), QUESTION(selection));
    assert_int_equal(questions_with_needs(QUESTION(inside)) & QUESTION(compare), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_question_says_what_it_needs),
        cmocka_unit_test(findings_are_the_same_alone),
        cmocka_unit_test(needs_are_earlier_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
