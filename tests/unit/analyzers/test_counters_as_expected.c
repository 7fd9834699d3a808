/* Is an expected change held against the variant that it was written for, and does the report say so? */
#include "tests/unit/analysed_scratch.h"

#include <math.h>

#include "core/base/count_of.h"
#include "core/gpu/expected_change.h"
#include "reports/document/document.h"
#include "reports/run/run_report.h"

#define INSTRUCTIONS "smsp__inst_executed.sum|count|"

struct recorded {
    struct scratch scratch;
    struct bundle bundle;
    struct analysis analysis;
};

/* Three rungs: 1000, 3000 and 2000 instructions. "Down" is true of the last beside the second, by a third, and
 * false beside the first. At `large` the second was not counted. */
static void begin(struct recorded *r)
{
    static const char *const counted[] = {
        "f/base|s|k|0|" INSTRUCTIONS "1000",     "f/rung|s|k|0|" INSTRUCTIONS "3000",
        "f/next|s|k|0|" INSTRUCTIONS "2000",     "f/base|large|k|0|" INSTRUCTIONS "1000",
        "f/next|large|k|0|" INSTRUCTIONS "2000",
    };
    scratch_create(&r->scratch);
    for (size_t i = 0; i < COUNT_OF(counted); i++)
        scratch_row(&r->scratch, BUNDLE_METRICS, counted[i]);
}

static void analyse(struct recorded *r)
{
    scratch_analyse(&r->scratch, &r->bundle, &r->analysis);
}

static void end(struct recorded *r)
{
    scratch_remove_analysed(&r->scratch, &r->bundle, &r->analysis);
}

static void check_one(const struct recorded *r, const char *what, const char *against, enum verdict_status status,
                      const char *change)
{
    assert_int_equal(r->analysis.expected_changes.count, 1);
    const struct expected_change_result *s = &r->analysis.expected_changes.items[0];
    if (strcmp(s->baseline, against) != 0 || s->status != status || strcmp(s->change, change) != 0)
        fail_msg("%s: against %s, %s instead of against %s, %s", what, s->baseline, s->change, against, change);
    assert_string_equal(s->variant, "f/next");
    assert_true(s->value == 2000);
}

static void the_variant_that_it_improves_on_is_what_counts(void **state)
{
    (void)state;
    static const struct {
        const char *config, *baseline, *improves_on;
        const char *against;
        enum verdict_status status;
        const char *change;
    } cases[] = {
        {"s", "f/base", "f/rung", "f/rung", VERDICT_PASS, "down 33.3%"},
        {"s", "f/base", "f/base", "f/base", VERDICT_FAIL, "up 100.0%"},
        {"s", "f/base", "", "f/base", VERDICT_FAIL, "up 100.0%"},
        {"s", "f/base", "f/next", "f/base", VERDICT_FAIL, "up 100.0%"},     /* itself */
        {"s", "f/base", "f/none", "f/base", VERDICT_FAIL, "up 100.0%"},     /* not in the run */
        {"large", "f/base", "f/rung", "f/base", VERDICT_FAIL, "up 100.0%"}, /* not at this config */
        {"s", "", "f/rung", "f/rung", VERDICT_PASS, "down 33.3%"},          /* the run's baseline itself */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recorded r;
        char row[128], what[32];
        begin(&r);
        snprintf(row, sizeof row, "f/next|%s|%s||x||||ready||instructions down||%s", cases[i].config, cases[i].baseline,
                 cases[i].improves_on);
        scratch_row(&r.scratch, BUNDLE_VARIANTS, row);
        analyse(&r);
        snprintf(what, sizeof what, "case %zu", i);
        check_one(&r, what, cases[i].against, cases[i].status, cases[i].change);
        end(&r);
    }
}

/* A kernel whose data lies in L2 writes a few KiB to memory or a few more, as other work pushes them out: flat
 * whatever the share is, and neither up nor down. From 2 MiB on it is a difference. */
static void noise_of_device_memory_is_no_difference(void **state)
{
    (void)state;
    static const struct {
        const char *expected_change;
        double base, next;
        enum verdict_status status;
        const char *change;
    } cases[] = {
        {"dram_bytes flat 3%", 11776, 37376, VERDICT_PASS, "up 217.4%, differs by less than 2.00 MiB"},
        {"dram_bytes up", 11776, 37376, VERDICT_INCONCLUSIVE, "up 217.4%, differs by less than 2.00 MiB"},
        {"dram_bytes down", 11776, 37376, VERDICT_INCONCLUSIVE, "up 217.4%, differs by less than 2.00 MiB"},
        {"dram_bytes flat 3%", 0, 37376, VERDICT_PASS, "up from 0, differs by less than 2.00 MiB"},
        {"dram_bytes flat 3%", 11776, 11776, VERDICT_PASS, "unchanged"},
        {"dram_bytes up", 11776, 11776, VERDICT_FAIL, "unchanged"},
        {"dram_bytes flat 3%", 1048576, 3145728, VERDICT_FAIL, "up 200.0%"}, /* by 2 MiB */
        {"dram_bytes up", 1048576, 3145728, VERDICT_PASS, "up 200.0%"},
        {"dram_bytes up", NAN, 3145728, VERDICT_INCONCLUSIVE,
         "not counted of f/base, or of each of several kernels or GPUs"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recorded r;
        char row[128];
        scratch_create(&r.scratch);
        const double values[] = {cases[i].base, cases[i].next};
        for (size_t k = 0; k < 2; k++) {
            snprintf(row, sizeof row, "f/%s|s|k|0|dram__bytes_write.sum|bytes|%.0f", k ? "next" : "base", values[k]);
            if (!isnan(values[k]))
                scratch_row(&r.scratch, BUNDLE_METRICS, row);
            snprintf(row, sizeof row, "f/%s|s|k|0|dram__bytes_read.sum|bytes|0", k ? "next" : "base");
            scratch_row(&r.scratch, BUNDLE_METRICS, row);
        }
        snprintf(row, sizeof row, "f/next|s|f/base||x||||ready||%s||", cases[i].expected_change);
        scratch_row(&r.scratch, BUNDLE_VARIANTS, row);
        analyse(&r);
        assert_int_equal(r.analysis.expected_changes.count, 1);
        const struct expected_change_result *s = &r.analysis.expected_changes.items[0];
        if (s->status != cases[i].status || strcmp(s->change, cases[i].change) != 0)
            fail_msg("case %zu: %s, %s", i, expected_change_verdict_name(s->status), s->change);
        end(&r);
    }
}

/* 0.1% of a million instructions, of the kernel that has fewer, are 1,000. */
static void few_bank_conflicts_are_no_difference(void **state)
{
    (void)state;
    static const struct {
        const char *expected_change;
        double base, next;
        enum verdict_status status;
        const char *change;
    } cases[] = {
        {"bank_conflicts down", 14, 0, VERDICT_INCONCLUSIVE, "down 100.0%, differs by less than 1,000"},
        {"bank_conflicts flat", 14, 0, VERDICT_PASS, "down 100.0%, differs by less than 1,000"},
        {"bank_conflicts up", 0, 999, VERDICT_INCONCLUSIVE, "up from 0, differs by less than 1,000"},
        {"bank_conflicts up", 0, 1000, VERDICT_PASS, "up from 0"},
        {"bank_conflicts down", 14, 14, VERDICT_FAIL, "unchanged"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recorded r;
        char row[128];
        scratch_create(&r.scratch);
        const double values[] = {cases[i].base, cases[i].next};
        for (size_t k = 0; k < 2; k++) {
            snprintf(row, sizeof row, "f/%s|s|k|0|l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum|count|%.0f",
                     k ? "next" : "base", values[k]);
            if (!isnan(values[k]))
                scratch_row(&r.scratch, BUNDLE_METRICS, row);
            snprintf(row, sizeof row, "f/%s|s|k|0|smsp__inst_executed.sum|count|%d", k ? "next" : "base",
                     k ? 1100000 : 1000000);
            scratch_row(&r.scratch, BUNDLE_METRICS, row);
        }
        snprintf(row, sizeof row, "f/next|s|f/base||x||||ready||%s||", cases[i].expected_change);
        scratch_row(&r.scratch, BUNDLE_VARIANTS, row);
        analyse(&r);
        assert_int_equal(r.analysis.expected_changes.count, 1);
        const struct expected_change_result *s = &r.analysis.expected_changes.items[0];
        if (s->status != cases[i].status || strcmp(s->change, cases[i].change) != 0)
            fail_msg("case %zu: %s, %s", i, expected_change_verdict_name(s->status), s->change);
        end(&r);
    }
}

static void without_anything_to_be_beside_nothing_is_said(void **state)
{
    (void)state;
    struct recorded r;
    begin(&r);
    scratch_row(&r.scratch, BUNDLE_VARIANTS, "f/next|s|||x||||ready||instructions down||f/none");
    analyse(&r);
    assert_int_equal(r.analysis.expected_changes.count, 0);
    end(&r);
}

/* Of bundles that were recorded before the column existed. */
static void without_the_column_it_is_the_baseline(void **state)
{
    (void)state;
    struct recorded r;
    begin(&r);
    scratch_write(
        &r.scratch, "variants.csv",
        "variant,shape,baseline,kernel_pattern,summary,shared_bytes,flops,bytes,status,bus_factor,signals,bound\n"
        "f/next,s,f/base,,x,,,,ready,,instructions down,\n");
    analyse(&r);
    check_one(&r, "an older bundle", "f/base", VERDICT_FAIL, "up 100.0%");
    end(&r);
}

static void read_report(struct recorded *r, const char *improves_on, struct str *out)
{
    char row[128];
    begin(r);
    snprintf(row, sizeof row, "f/next|s|f/base||x||||ready||instructions down; instructions up||%s", improves_on);
    scratch_row(&r->scratch, BUNDLE_VARIANTS, row);
    analyse(r);
    struct document d;
    document_init(&d);
    run_expected_changes_add(&r->analysis, &d);
    assert_int_equal(document_format_by_name("md")->render(&d, &view_everything, out), 0);
    document_release(&d);
    end(r);
}

static void contains(const struct str *report, const char *text)
{
    if (!strstr(str_text(report), text))
        fail_msg("no '%s' in:\n%s", text, str_text(report));
}

static void the_report_says_against_what(void **state)
{
    (void)state;
    struct recorded r;
    struct str report;
    str_init(&report);
    read_report(&r, "f/rung", &report);
    contains(&report, "| variant | shape | expected | against | value there | variant | change | verdict |");
    contains(&report, "| `f/next` | s | `instructions down` | `f/rung` | 3,000 | 2,000 | down 33.3% | confirmed |");
    contains(&report, "1 of 2 confirmed; refuted: `f/next` at s beside `f/rung`, instructions up: down 33.3%");
    str_release(&report);
    str_init(&report);
    read_report(&r, "", &report);
    contains(&report, "| variant | shape | expected | baseline | variant | change | verdict |");
    contains(&report, "1 of 2 confirmed; refuted: `f/next` at s, instructions down: up 100.0%");
    str_release(&report);
}

/* What GPUs count of a launch is as long as what they wait for: not held against a kernel's, nor against another GPU's.
 */
static void what_gpus_counted_is_no_signal(void **state)
{
    (void)state;
    struct recorded r;
    scratch_create(&r.scratch);
    for (int gpu = 0; gpu < 2; gpu++) {
        char row[128];
        snprintf(row, sizeof row, "f/base|s|gpu %d|0|" INSTRUCTIONS "1000", gpu);
        scratch_row(&r.scratch, BUNDLE_METRICS, row);
        snprintf(row, sizeof row, "f/next|s|gpu %d|0|" INSTRUCTIONS "2000", gpu);
        scratch_row(&r.scratch, BUNDLE_METRICS, row);
    }
    scratch_row(&r.scratch, BUNDLE_VARIANTS, "f/next|s|f/base||x||||ready||instructions down||");
    analyse(&r);
    assert_int_equal(r.analysis.expected_changes.count, 1);
    assert_int_equal(r.analysis.expected_changes.items[0].status, VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(r.analysis.expected_changes.items[0].change, "or of each of several kernels or GPUs"));
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_variant_that_it_improves_on_is_what_counts),
        cmocka_unit_test(few_bank_conflicts_are_no_difference),
        cmocka_unit_test(noise_of_device_memory_is_no_difference),
        cmocka_unit_test(without_anything_to_be_beside_nothing_is_said),
        cmocka_unit_test(without_the_column_it_is_the_baseline),
        cmocka_unit_test(the_report_says_against_what),
        cmocka_unit_test(what_gpus_counted_is_no_signal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
