/* Does the first screen show the rows that matter, and say that there are others? */
#include "tests/unit/scratch_bundle.h"

#include <math.h>

#include "core/base/array.h"
#include "core/base/count_of.h"
#include "reports/document/block.h"
#include "reports/document/document.h"
#include "reports/run/run_screen.h"

/* What the first screen of an analysis says, as Markdown; the caller's. */
static char *screen_of(const struct analysis *a)
{
    struct document d;
    struct str text;
    document_init(&d);
    str_init(&text);
    run_screen_add(a, &d);
    assert_int_equal(document_format_by_name("md")->render(&d, &view_everything, &text), 0);
    document_release(&d);
    return str_take(&text);
}

static void assert_says(const struct analysis *a, const char *words, bool says)
{
    char *text = screen_of(a);
    if ((strstr(text, words) != NULL) != says)
        fail_msg("'%s' is %s in:\n%s", words, says ? "not" : "", text);
    free(text);
}

static void add_comparison(struct analysis *a, enum comparison_verdict verdict, double speedup)
{
    struct comparison *c = ARRAY_PUSH(&a->comparisons);
    assert_non_null(c);
    *c = (struct comparison){.baseline = "p/sync",
                             .candidate = "p/async",
                             .config = "mission",
                             .cache = "hot",
                             .ratio = 1 / speedup,
                             .speedup = speedup,
                             .ci_low = NAN,
                             .ci_high = NAN,
                             .verdict = verdict,
                             .detail = ""};
}

static void begin(struct bundle *bundle, struct analysis *a)
{
    bundle_init(bundle);
    analysis_init(a, bundle);
}

static void end(struct bundle *bundle, struct analysis *a)
{
    analysis_release(a);
    bundle_release(bundle);
}

/* Of many rows five are shown, and the worst is always one of them. */
static void the_worst_row_is_always_there(void **state)
{
    (void)state;
    struct bundle bundle;
    struct analysis a;
    begin(&bundle, &a);
    for (int i = 0; i < 20; i++)
        add_comparison(&a, COMPARE_FASTER, 1.5 + i);
    add_comparison(&a, COMPARE_EQUIVALENT, 0.999);
    for (int i = 0; i < 20; i++)
        add_comparison(&a, COMPARE_FASTER, 2.25 + i);
    assert_says(&a, "| 0.999x |", true);
    assert_says(&a, "5 of 41 comparisons, the worst among them", true);
    end(&bundle, &a);
}

static void a_row_without_a_ratio_says_so(void **state)
{
    (void)state;
    struct bundle bundle;
    struct analysis a;
    begin(&bundle, &a);
    add_comparison(&a, COMPARE_FASTER, 2);
    add_comparison(&a, COMPARE_UNUSABLE, NAN);
    assert_says(&a, "| unusable | n/a |", true);
    assert_says(&a, "comparisons, the worst", false);
    end(&bundle, &a);
}

static void add_timing(struct analysis *a, const char *variant, int64_t processes)
{
    struct timing_summary *t = ARRAY_PUSH(&a->timings);
    assert_non_null(t);
    *t = (struct timing_summary){
        .variant = variant, .config = "mission", .cache = "hot", .p50_ns = 1000, .processes = processes};
}

/* The largest count would be said of arms that were timed less often. */
static void processes_are_a_range_where_arms_differ(void **state)
{
    (void)state;
    static const struct {
        int64_t counts[3];
        const char *says;
    } cases[] = {{{5, 5, 5}, ", in 5 processes\n"},
                 {{3, 7, 5}, ", in 3 to 7 processes\n"},
                 {{0, 3, 7}, ", in 3 to 7 processes\n"}, /* an arm that was never timed is said elsewhere */
                 {{1, 1, 0}, ", in 1 process\n"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct bundle bundle;
        struct analysis a;
        begin(&bundle, &a);
        bundle.manifest = json_pack("{s{ss}}", "gpu", "name", "NVIDIA H200");
        add_timing(&a, "p/sync", cases[i].counts[0]);
        add_timing(&a, "p/async", cases[i].counts[1]);
        add_timing(&a, "p/tma", cases[i].counts[2]);
        assert_says(&a, cases[i].says, true);
        end(&bundle, &a);
    }
}

/* Seven columns less are a line less where the shape is long. */
static void the_vendor_is_left_out(void **state)
{
    (void)state;
    static const struct {
        const char *name, *says;
    } cases[] = {{"NVIDIA H100 80GB HBM3", "**Measured:** on H100 80GB HBM3\n"},
                 {"Tesla V100-SXM2-16GB", "**Measured:** on Tesla V100-SXM2-16GB\n"},
                 {"Some NVIDIA H200", "**Measured:** on Some NVIDIA H200\n"},
                 {"NVIDIA ", "**Measured:** on NVIDIA "}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct bundle bundle;
        struct analysis a;
        begin(&bundle, &a);
        bundle.manifest = json_pack("{s{ss}}", "gpu", "name", cases[i].name);
        assert_says(&a, cases[i].says, true);
        end(&bundle, &a);
    }
}

static void add_inside(struct analysis *a)
{
    struct inside *row = ARRAY_PUSH(&a->insides);
    assert_non_null(row);
    *row = (struct inside){.variant = "p/async+inside",
                           .config = "mission",
                           .of = "p/async",
                           .method = "",
                           .exposed_wait = {NAN, NAN, NAN},
                           .reason = INSIDE_TOO_FEW_WINDOWS,
                           .why = "too few records are there"};
}

/* A kernel that is looked into has a line of its own, but not the twentieth. */
static void copies_that_have_no_line_are_counted(void **state)
{
    (void)state;
    static const struct {
        int count;
        const char *says;
    } cases[] = {{2, NULL}, {3, "; and 1 more: see Inside\n"}, {20, "; and 18 more: see Inside\n"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct bundle bundle;
        struct analysis a;
        begin(&bundle, &a);
        for (int k = 0; k < cases[i].count; k++)
            add_inside(&a);
        assert_says(&a, cases[i].says ? cases[i].says : "more: see Inside", cases[i].says != NULL);
        end(&bundle, &a);
    }
}

/* 64 are in Caveats; the others are counted, too. */
static void all_that_is_missing_is_counted(void **state)
{
    (void)state;
    static const struct {
        int count;
        const char *says;
    } cases[] = {{1, "; and 1 more"}, {2, "; and 1 more: see Caveats\n"}, {100, "; and 99 more: see Caveats\n"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct bundle bundle;
        struct analysis a;
        begin(&bundle, &a);
        json_t *missing = json_array();
        for (int k = 0; k < cases[i].count; k++)
            json_array_append_new(missing, json_pack("{so ss}", "what", json_sprintf("counter %d", k), "why", "none"));
        bundle.manifest = json_pack("{so}", "missing", missing);
        assert_says(&a, "counter 0, because none", true);
        assert_says(&a, cases[i].says, cases[i].count > 1);
        end(&bundle, &a);
    }
}

/* "" where a part is empty: a stranger's text may begin with what stands between parts. */
static void a_text_is_cut_between_its_parts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"one; two", "one; two"},
        {"; because", "; because"},
        {"; ; ; ", "; ; ; "},
        {"", ""},
        {"this part is short; but the second has so many words that a line of at most 110 bytes has no room for it, "
         "and goes without",
         "this part is short"},
        {"a part that is longer than a line of at most 110 bytes has room for is cut: it has to end somewhere, and what "
         "explains it is found in its section",
         "a part that is longer than a line of at most 110 bytes has room for is cut"},
        {"/builds/group/project/artifacts/runs/of/the/day/on/a/machine/of/the/team/ladder.cpprof/timing.csv:40: 2 fields "
         "where the header has 11",
         "/builds/group/project/artifacts/runs/of/the/day/on/a/machine/of/the/team/ladder.cpprof/timing.csv:40: 2 fields "
         "where the header has 11"},
        {"; but this one, which follows an empty one, has so many words that a line of at most 110 bytes has no room "
         "for it",
         ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct document d;
        document_init(&d);
        document_paragraph(&d);
        screen_beginning(&d, cases[i].text, "; ");
        assert_string_equal(d.items[0].items[0].text, cases[i].said);
        document_release(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worst_row_is_always_there),           cmocka_unit_test(a_row_without_a_ratio_says_so),
        cmocka_unit_test(processes_are_a_range_where_arms_differ), cmocka_unit_test(the_vendor_is_left_out),
        cmocka_unit_test(copies_that_have_no_line_are_counted),    cmocka_unit_test(all_that_is_missing_is_counted),
        cmocka_unit_test(a_text_is_cut_between_its_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
