/* Is it right, at every config, seed and phase that was verified? */
#include <math.h>
#include <string.h>

#include "analyzers/entries.h"
#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/run/instrumented_arm.h"

#define PHASE_ALL "all" /* of the process that verifies before anything is timed */

/* 1, 0, or -1 for a cell that says neither. */
static int truth(const char *text)
{
    static const struct {
        const char *word;
        int value;
    } words[] = {{"1", 1}, {"true", 1}, {"yes", 1}, {"pass", 1}, {"0", 0}, {"false", 0}, {"no", 0}, {"fail", 0}};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (!strcmp(words[i].word, text))
            return words[i].value;
    return -1;
}

/* Runs do not verify these builds. An arm that was verified is judged, whatever its name. */
static bool is_wrong_by_design(const struct analysis *a, const struct arm *arm)
{
    return arm_is_partial(arm) && !arm_table_rows(&a->run->tables[BUNDLE_VERIFY], arm).count;
}

/* A row for each arm of the table that has none yet. */
static int add_rows(struct analysis *a, const struct arm_table *t, struct err *e)
{
    for (size_t i = 0; i < table_rows(t->table); i++) {
        const struct arm *arm = t->arms[i];
        if (analysis_correctness(a, arm) || is_wrong_by_design(a, arm))
            continue;
        struct correctness *row = ARRAY_PUSH(&a->correctness);
        if (!row)
            return err_memory(e);
        *row = (struct correctness){
            .arm = arm,
            .variant = arena_copy(&a->arena, arm->variant),
            .config = arena_copy(&a->arena, arm->config),
            .max_abs_err = NAN,
            .bad_ratio = NAN,
            .bitwise_equal = -1,
            .hint = "",
            .wrong_inputs = "",
            .right_inputs = "",
        };
        analysis_note(a, ARM_CORRECTNESS, arm, a->correctness.count - 1);
    }
    return 0;
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

/* ---- with which kinds of input ---- */

enum { KINDS_MAX = 8 };

struct input_kind {
    const char *name;
    bool failed, open;
};

struct input_kinds {
    struct input_kind items[KINDS_MAX];
    size_t count;
};

/* A seed alone is random; other inputs have their kind behind it: "2152297640 constant". */
static const char *kind_of(const char *seed)
{
    const char *space = strchr(seed, ' ');
    return space && space[1] ? space + 1 : "random";
}

static void take_kind(struct input_kinds *kinds, const char *name, int pass)
{
    size_t i = 0;
    while (i < kinds->count && strcmp(kinds->items[i].name, name) != 0)
        i++;
    if (i == KINDS_MAX)
        return;
    kinds->items[i].name = name;
    kinds->count += i == kinds->count;
    kinds->items[i].failed |= pass == 0;
    kinds->items[i].open |= pass < 0;
}

static const char *kinds_that(struct analysis *a, const struct input_kinds *kinds, bool failed)
{
    const char *out = "";
    for (size_t i = 0; i < kinds->count; i++) {
        const struct input_kind *kind = &kinds->items[i];
        if (failed ? kind->failed : !kind->failed && !kind->open)
            out = arena_printf(&a->arena, "%s%s%s", out, *out ? ", " : "", kind->name);
    }
    return out;
}

static void note_inputs(struct analysis *a, struct correctness *row, const struct table *verify,
                        const struct arm_places *rows)
{
    struct input_kinds kinds = {.count = 0};
    for (size_t i = 0; i < rows->count; i++)
        take_kind(&kinds, kind_of(table_text(verify, rows->items[i], VERIFY_SEED)),
                  truth(table_text(verify, rows->items[i], VERIFY_PASS)));
    if (kinds.count < 2)
        return;
    row->wrong_inputs = kinds_that(a, &kinds, true);
    row->right_inputs = kinds_that(a, &kinds, false);
}

/* ---- verdicts ---- */

/* A timed arm was checked on both sides of its timing loop. */
static bool has_phase(const struct arm_table *verify, const struct correctness *row, const char *phase)
{
    const struct arm_places rows = arm_table_rows(verify, row->arm);
    for (size_t i = 0; i < rows.count; i++)
        if (!strcmp(table_text(verify->table, rows.items[i], VERIFY_PHASE), phase))
            return true;
    return false;
}

static bool is_verified_at(const struct analysis *a, const char *variant, const char *config)
{
    const struct arm_table *verify = &a->run->tables[BUNDLE_VERIFY];
    const struct correctness row = {.arm = analysis_arm(a, variant, config)};
    return row.arm && has_phase(verify, &row, PHASE_ALL);
}

/* A solution is verified with all seeds and other inputs than random ones, at all shapes of its task, also at those
 * that are not timed: wherever another solution was. A process that broke off may not have come to those. */
static bool is_verified_everywhere(const struct analysis *a, const struct correctness *row)
{
    const struct arm_table *verify = &a->run->tables[BUNDLE_VERIFY];
    if (!has_phase(verify, row, PHASE_ALL) || bundle_failure_of(a->bundle, "verify", row->variant, NULL))
        return false;
    for (size_t i = 0; i < table_rows(verify->table); i++) {
        const bool is_all = !strcmp(table_text(verify->table, i, VERIFY_PHASE), PHASE_ALL);
        if (is_all && !is_verified_at(a, row->variant, verify->arms[i]->config))
            return false;
    }
    return true;
}

/* A program shows what its timed process computed itself. */
static bool is_covered(const struct analysis *a, const struct correctness *row)
{
    const struct arm_table *verify = &a->run->tables[BUNDLE_VERIFY];
    if (a->bundle->lacks_checks) /* perhaps those that failed */
        return false;
    if (analysis_has_task(a) && !is_verified_everywhere(a, row))
        return false;
    if (bundle_programs(a->bundle))
        return has_phase(verify, row, "output") || has_phase(verify, row, "repeat");
    return !arm_table_rows(&a->run->tables[BUNDLE_TIMING], row->arm).count ||
           (has_phase(verify, row, "before") &&
            (has_phase(verify, row, VERIFY_TIMED) || has_phase(verify, row, VERIFY_TIMED_COLD) ||
             has_phase(verify, row, "after")));
}

static int report_wrong(struct analysis *a, const struct correctness *row, struct err *e)
{
    const char *claim = arena_printf(&a->arena, "%s computes a wrong result at %s: %lld of %lld checks failed%s%s",
                                     row->variant, row->config, (long long)row->failed, (long long)row->checks,
                                     *row->wrong_inputs ? ", with inputs " : "", row->wrong_inputs);
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
    for (size_t i = 0; i < COUNT_OF(evidence) && !rc; i++)
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

static int judge_all(struct analysis *a, const struct arm_table *verify, struct err *e)
{
    int rc = 0;
    for (size_t r = 0; r < a->correctness.count && !rc; r++) {
        struct correctness *row = &a->correctness.items[r];
        const struct arm_places rows = arm_table_rows(verify, row->arm);
        int64_t unknown = 0;
        for (size_t i = 0; i < rows.count; i++)
            add_check(a, row, verify->table, rows.items[i], &unknown);
        if (row->failed)
            note_inputs(a, row, verify->table, &rows);
        rc = judge(a, row, unknown, e);
    }
    return rc;
}

int correctness_analyze(struct analysis *a, struct err *e)
{
    const struct arm_table *verify = &a->run->tables[BUNDLE_VERIFY];
    int rc = add_rows(a, &a->run->tables[BUNDLE_VARIANTS], e);
    if (!rc)
        rc = add_rows(a, verify, e); /* configs that are only verified (ragged ones) */
    return rc ? rc : judge_all(a, verify, e);
}
