/* Does the first screen say which of many rows it shows? */
#include "tests/unit/scratch_bundle.h"

#include <math.h>

#include "base/array.h"
#include "reports/document/document.h"
#include "reports/run_report.h"

/* What the verdict of an analysis says, as Markdown; the caller's. */
static char *verdict_of(const struct analysis *a)
{
    struct document d;
    struct str text;
    document_init(&d);
    str_init(&text);
    run_verdict_add(a, &d);
    assert_int_equal(document_format_by_name("md")->render(&d, &view_everything, &text), 0);
    document_release(&d);
    return str_take(&text);
}

static void assert_says(const struct analysis *a, const char *words, bool says)
{
    char *text = verdict_of(a);
    if ((strstr(text, words) != NULL) != says)
        fail_msg("'%s' is %s in:\n%s", words, says ? "not" : "", text);
    free(text);
}

static void add_comparisons(struct analysis *a, enum comparison_verdict verdict, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct comparison *c = ARRAY_PUSH(&a->comparisons);
        assert_non_null(c);
        *c = (struct comparison){.baseline = "p/sync",
                                 .candidate = "p/async",
                                 .config = "mission",
                                 .cache = "hot",
                                 .ratio = 1,
                                 .verdict = verdict,
                                 .reason = "",
                                 .detail = ""};
    }
}

/* 12 rows are shown, the grave ones first. */
static void the_rows_that_are_shown_are_said_to_be_those(void **state)
{
    (void)state;
    static const struct {
        size_t slower, unusable, faster;
        const char *words;
    } cases[] = {
        {3, 0, 20,
         "These are 12 of 23 comparisons: those that are not faster or equivalent, then the largest gains at each "
         "shape. And 11 more: see Speed."},
        {6, 6, 1, "These are 12 of 13 comparisons: those that are not faster or equivalent, then "},
        {18, 2, 19,
         "These are 12 of 39 comparisons: 12 of the 20 that are not faster or equivalent. And 27 more: see Speed."},
        {13, 0, 0,
         "These are 12 of 13 comparisons: 12 of the 13 that are not faster or equivalent. And 1 more: see Speed."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bundle bundle;
        struct analysis a;
        bundle_init(&bundle);
        analysis_init(&a, &bundle);
        add_comparisons(&a, COMPARE_SLOWER, cases[i].slower);
        add_comparisons(&a, COMPARE_UNUSABLE, cases[i].unusable);
        add_comparisons(&a, COMPARE_FASTER, cases[i].faster);
        assert_says(&a, cases[i].words, true);
        analysis_release(&a);
        bundle_release(&bundle);
    }
}

/* Two arms at each of two configs: the line of one whose kernel was not seen is not lost to the other config. */
static void a_launch_without_a_kernel_time_has_its_line(void **state)
{
    (void)state;
    static const struct launch_cost launches[] = {
        {.variant = "p/a", .config = "large", .median_ns = 3000, .kernel_median_ns = 9000},
        {.variant = "p/a", .config = "small", .median_ns = 3000, .kernel_median_ns = NAN},
        {.variant = "p/b", .config = "small", .median_ns = 3000, .kernel_median_ns = NAN},
        {.variant = "p/c", .config = "small", .median_ns = 3000, .kernel_median_ns = NAN},
        {.variant = "p/b", .config = "large", .median_ns = 3000, .kernel_median_ns = NAN},
        {.variant = "p/c", .config = "large", .median_ns = 3000, .kernel_median_ns = NAN},
    };
    struct bundle bundle;
    struct analysis a;
    bundle_init(&bundle);
    analysis_init(&a, &bundle);
    for (size_t i = 0; i < sizeof launches / sizeof launches[0]; i++) {
        struct launch_cost *l = ARRAY_PUSH(&a.launches);
        assert_non_null(l);
        *l = launches[i];
    }
    assert_says(&a, "`p/a` at large", true);
    assert_says(&a, "`p/b` at large", true);
    assert_says(&a, "`p/c` at large", true);
    assert_says(&a, "at small", false);
    assert_says(&a, "more: see Launch cost", false);
    analysis_release(&a);
    bundle_release(&bundle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rows_that_are_shown_are_said_to_be_those),
        cmocka_unit_test(a_launch_without_a_kernel_time_has_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
