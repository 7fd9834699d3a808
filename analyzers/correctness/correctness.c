/* Is it right, at every config, seed and phase that was verified? */
#include <math.h>
#include <string.h>

#include "analyzers/entries.h"
#include "base/array.h"

/* 1, 0, or -1 for a cell that says neither. */
static int truth(const char *text)
{
    static const struct {
        const char *word;
        int value;
    } words[] = {{"1", 1}, {"true", 1}, {"yes", 1}, {"pass", 1}, {"0", 0}, {"false", 0}, {"no", 0}, {"fail", 0}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strcmp(words[i].word, text))
            return words[i].value;
    return -1;
}

/* The row of a variant at a config; configs that are only verified (ragged ones)
 * get theirs when their first check is met. */
static struct correctness *row_of(struct analysis *a, const char *variant, const char *config)
{
    const struct correctness *have = analysis_correctness(a, variant, config);
    if (have)
        return &a->correctness.items[have - a->correctness.items];
    struct correctness *row = ARRAY_PUSH(&a->correctness);
    if (row)
        *row = (struct correctness){
            .variant = arena_copy(&a->arena, variant),
            .config = arena_copy(&a->arena, config),
            .max_abs_err = NAN,
            .bad_ratio = NAN,
            .bitwise_equal = -1,
            .hint = "",
        };
    return row;
}

/* A check without a verdict counts among the checks and neither passes nor
 * fails: the row cannot pass any more. */
static void add_check(struct analysis *a, struct correctness *row, const struct table *verify, size_t i,
                      int64_t *unknown)
{
    const int pass = truth(table_text(verify, i, VERIFY_PASS));
    const int bitwise = truth(table_text(verify, i, VERIFY_BITWISE));
    row->checks++;
    row->failed += pass == 0;
    *unknown += pass < 0;
    row->max_abs_err = fmax(row->max_abs_err, table_number(verify, i, VERIFY_MAX_ABS_ERR)); /* NAN gives way */
    row->bad_ratio = fmax(row->bad_ratio, table_number(verify, i, VERIFY_BAD_RATIO));
    if (bitwise >= 0 && row->bitwise_equal != 0)
        row->bitwise_equal = bitwise;
    if (pass == 0 && !row->hint[0])
        row->hint = arena_copy(&a->arena, table_text(verify, i, VERIFY_HINT));
}

/* A timed arm was checked on both sides of its timing loop. */
static bool has_phase(const struct table *verify, const struct correctness *row, const char *phase)
{
    for (size_t i = 0; i < table_rows(verify); i++)
        if (!strcmp(table_text(verify, i, VERIFY_PHASE), phase) &&
            !strcmp(table_text(verify, i, VERIFY_VARIANT), row->variant) &&
            !strcmp(table_text(verify, i, VERIFY_SHAPE), row->config))
            return true;
    return false;
}

static bool was_timed(const struct table *timing, const struct correctness *row)
{
    for (size_t i = 0; i < table_rows(timing); i++)
        if (!strcmp(table_text(timing, i, TIMING_VARIANT), row->variant) &&
            !strcmp(table_text(timing, i, TIMING_SHAPE), row->config))
            return true;
    return false;
}

/* A program shows what its timed process computed itself. */
static bool is_covered(const struct analysis *a, const struct correctness *row)
{
    const struct table *verify = &a->bundle->tables[BUNDLE_VERIFY];
    if (a->bundle->lacks_checks) /* perhaps those that failed */
        return false;
    if (bundle_programs(a->bundle))
        return has_phase(verify, row, "output") || has_phase(verify, row, "repeat");
    return !was_timed(&a->bundle->tables[BUNDLE_TIMING], row) ||
           (has_phase(verify, row, "before") &&
            (has_phase(verify, row, VERIFY_TIMED) || has_phase(verify, row, VERIFY_TIMED_COLD) ||
             has_phase(verify, row, "after")));
}

static int report_wrong(struct analysis *a, const struct correctness *row, struct err *e)
{
    const char *claim = arena_printf(&a->arena, "%s computes a wrong result at %s: %lld of %lld checks failed",
                                     row->variant, row->config, (long long)row->failed, (long long)row->checks);
    struct finding *finding = analysis_finding(a, "wrong-result", SEVERITY_FAILURE, row->variant, row->config, claim);
    if (!finding)
        return err_memory(e);
    finding->advice = row->hint;
    const struct {
        const char *name;
        double value;
        enum unit unit;
    } evidence[] = {{"failed_checks", (double)row->failed, UNIT_COUNT},
                    {"max_abs_err", row->max_abs_err, UNIT_NONE},
                    {"bad_ratio", row->bad_ratio, UNIT_RATIO}};
    int rc = 0;
    for (size_t i = 0; i < sizeof evidence / sizeof evidence[0] && !rc; i++)
        rc = evidence_add(&a->arena, &finding->evidence, evidence[i].name, evidence[i].value, evidence[i].unit, e);
    return rc;
}

static int judge(struct analysis *a, struct correctness *row, int64_t unknown, struct err *e)
{
    if (row->failed > 0) {
        row->status = VERDICT_FAIL;
        return report_wrong(a, row, e);
    }
    row->status = row->checks > 0 && unknown == 0 && is_covered(a, row) ? VERDICT_PASS : VERDICT_INCONCLUSIVE;
    return 0;
}

static int add_rows(struct analysis *a, const struct table *t, size_t variant, size_t config, struct err *e)
{
    for (size_t i = 0; i < table_rows(t); i++)
        if (!row_of(a, table_text(t, i, variant), table_text(t, i, config)))
            return err_memory(e);
    return 0;
}

static int judge_all(struct analysis *a, const struct table *verify, struct err *e)
{
    int rc = 0;
    for (size_t r = 0; r < a->correctness.count && !rc; r++) {
        struct correctness *row = &a->correctness.items[r];
        int64_t unknown = 0;
        for (size_t i = 0; i < table_rows(verify); i++)
            if (!strcmp(table_text(verify, i, VERIFY_VARIANT), row->variant) &&
                !strcmp(table_text(verify, i, VERIFY_SHAPE), row->config))
                add_check(a, row, verify, i, &unknown);
        rc = judge(a, row, unknown, e);
    }
    return rc;
}

int correctness_analyze(struct analysis *a, struct err *e)
{
    const struct table *verify = &a->bundle->tables[BUNDLE_VERIFY];
    int rc = add_rows(a, &a->bundle->tables[BUNDLE_VARIANTS], VARIANTS_VARIANT, VARIANTS_SHAPE, e);
    if (!rc)
        rc = add_rows(a, verify, VERIFY_VARIANT, VERIFY_SHAPE, e);
    return rc ? rc : judge_all(a, verify, e);
}
