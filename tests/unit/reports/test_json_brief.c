/* Does the short answer for programs say what the first screen says, in the bytes that it promises? */
#include "tests/unit/scratch_bundle.h"

#include <math.h>

#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/base/json.h"
#include "reports/document/document.h"
#include "reports/reports.h"

static void add_comparison(struct analysis *a, const struct arm *arm, enum comparison_verdict verdict, double ratio)
{
    struct comparison *c = ARRAY_PUSH(&a->comparisons);
    assert_non_null(c);
    *c = (struct comparison){.baseline = "p/sync",
                             .candidate = arm ? arm->variant : "p/async",
                             .config = "mission",
                             .cache = "hot",
                             .ratio = ratio,
                             .speedup = 1 / ratio,
                             .ci_low = NAN,
                             .ci_high = NAN,
                             .verdict = verdict,
                             .detail = ""};
    c->cand.arm = arm;
}

/* The right kernel ran, and it is right. */
static void prove(struct analysis *a)
{
    struct selection_check *selection = ARRAY_PUSH(&a->selection);
    struct correctness *correctness = ARRAY_PUSH(&a->correctness);
    assert_true(selection && correctness);
    selection->status = correctness->status = VERDICT_PASS;
}

static void assert_number(const json_t *value, const char *key, double expected)
{
    const double found = json_number_value(json_object_get(value, key));
    if (!(fabs(found - expected) < 1e-9))
        fail_msg("%s is %g, not %g", key, found, expected);
}

static void the_gravest_comparison_decides(void **state)
{
    (void)state;
    static const struct {
        struct {
            enum comparison_verdict verdict;
            double ratio;
        } rows[3];
        const char *verdict;
        double speedup;
    } cases[] = {
        {{{COMPARE_FASTER, 0.5}, {COMPARE_FASTER, 0.8}, {COMPARE_EQUIVALENT, 1.0}}, "equivalent", 1},
        {{{COMPARE_SLOWER, 1.25}, {COMPARE_INCONCLUSIVE, 2}, {COMPARE_FASTER, 0.5}}, "slower", 0.8},
        {{{COMPARE_INCONCLUSIVE, NAN}, {COMPARE_INCONCLUSIVE, 2}, {COMPARE_FASTER, 0.5}}, "inconclusive", 0.5},
        {{{COMPARE_UNUSABLE, NAN}, {COMPARE_SLOWER, 2}, {COMPARE_FASTER, 0.5}}, "unusable", 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct bundle bundle;
        struct analysis a;
        bundle_init(&bundle);
        analysis_init(&a, &bundle);
        prove(&a);
        for (size_t k = 0; k < 3; k++)
            add_comparison(&a, NULL, cases[i].rows[k].verdict, cases[i].rows[k].ratio);
        json_t *facts = json_brief_facts(&a);
        assert_string_equal(json_get_text(facts, "verdict", ""), cases[i].verdict);
        assert_number(facts, "speedup", cases[i].speedup);
        assert_number(facts, "comparisons", 3);
        json_decref(facts);
        analysis_release(&a);
        bundle_release(&bundle);
    }
}

/* The build with marks is slower because it records. */
static void a_build_with_marks_decides_nothing(void **state)
{
    (void)state;
    const struct arm plain = {.variant = "p/async"}, marked = {.variant = "p/async+record"};
    struct bundle bundle;
    struct analysis a;
    bundle_init(&bundle);
    analysis_init(&a, &bundle);
    prove(&a);
    add_comparison(&a, &marked, COMPARE_SLOWER, 1.25);
    a.mark_costs = a.comparisons;
    a.comparisons = (struct comparison_list){0};
    json_t *alone = json_brief_facts(&a);
    assert_true(json_is_null(json_object_get(alone, "verdict")));
    assert_null(json_object_get(alone, "candidate"));
    add_comparison(&a, &plain, COMPARE_FASTER, 0.5);
    json_t *both = json_brief_facts(&a);
    assert_string_equal(json_get_text(both, "verdict", ""), "faster");
    assert_string_equal(json_get_text(both, "candidate", ""), "p/async");
    assert_number(both, "comparisons", 1);
    json_decref(alone);
    json_decref(both);
    analysis_release(&a);
    bundle_release(&bundle);
}

/* A control character takes six bytes in JSON. */
/* Nothing but a good verdict gives way to a doubt. */
static void what_is_not_proven_is_not_faster(void **state)
{
    (void)state;
    static const struct {
        enum comparison_verdict verdict;
        enum verdict_status selection, correctness;
        const char *found, *reason;
    } cases[] = {{COMPARE_FASTER, VERDICT_PASS, VERDICT_PASS, "faster", "no_timing"},
                 {COMPARE_FASTER, VERDICT_INCONCLUSIVE, VERDICT_PASS, "unproven", "kernel"},
                 {COMPARE_EQUIVALENT, VERDICT_PASS, VERDICT_INCONCLUSIVE, "unproven", "result"},
                 {COMPARE_SLOWER, VERDICT_INCONCLUSIVE, VERDICT_PASS, "slower", "no_timing"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct bundle bundle;
        struct analysis a;
        bundle_init(&bundle);
        analysis_init(&a, &bundle);
        prove(&a);
        a.selection.items[0].status = cases[i].selection;
        a.correctness.items[0].status = cases[i].correctness;
        add_comparison(&a, NULL, cases[i].verdict, 0.5);
        json_t *facts = json_brief_facts(&a);
        assert_string_equal(json_get_text(facts, "verdict", ""), cases[i].found);
        assert_string_equal(json_get_text(facts, "reason", ""), cases[i].reason);
        json_decref(facts);
        analysis_release(&a);
        bundle_release(&bundle);
    }
}

static void it_has_at_most_two_kib(void **state)
{
    (void)state;
    static const char fill[] = {'x', '\1'};
    for (size_t kind = 0; kind < sizeof fill; kind++) {
        struct document d;
        char text[1001];
        memset(text, fill[kind], 1000);
        text[1000] = '\0';
        document_init(&d);
        d.facts = json_object();
        json_object_set_new(d.facts, "candidate", json_string(text));
        document_heading(&d, 1, text);
        for (int line = 0; line < 14; line++) {
            document_bullet(&d);
            document_span(&d, SPAN_STRONG, "Line %d:", line);
            document_span(&d, SPAN_PLAIN, " %s", text);
        }
        json_t *brief = json_brief("a.cpprof", &d);
        char *printed = json_to_text(brief);
        assert_true(strlen(printed) <= 2048);
        assert_string_equal(json_get_text(brief, "bundle", ""), "a.cpprof");
        assert_int_equal(json_get_text(brief, "line_13", "")[0], fill[kind]);
        free(printed);
        json_decref(brief);
        document_release(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gravest_comparison_decides),
        cmocka_unit_test(a_build_with_marks_decides_nothing),
        cmocka_unit_test(what_is_not_proven_is_not_faster),
        cmocka_unit_test(it_has_at_most_two_kib),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
