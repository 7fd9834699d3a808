/* What does a CI server learn of a comparison? */
#include "reports/verdict_rows.h"

#include <math.h>
#include <stdlib.h>

#include "analyzers/compare/comparison_words.h"
#include "analyzers/verdict_status.h"

static void begin(struct verdict_rows *out, const char *first, const char *second)
{
    *out = (struct verdict_rows){0};
    arena_init(&out->arena);
    out->source = second ? arena_printf(&out->arena, "%s, %s", first, second) : arena_copy(&out->arena, first);
}

void verdict_rows_release(struct verdict_rows *r)
{
    free(r->rows.items);
    arena_release(&r->arena);
}

/* The texts belong to the arena, or are constants. */
static int add(struct verdict_rows *r, struct verdict_row row, struct err *e)
{
    struct verdict_row *slot = ARRAY_PUSH(&r->rows);
    if (!slot)
        return err_memory(e);
    *slot = row;
    return 0;
}

static int add_verdict(struct verdict_rows *r, const char *name, enum comparison_verdict verdict, const char *says,
                       struct err *e)
{
    return add(r, (struct verdict_row){name, comparison_verdict_name(verdict), says, verdict_status(verdict)}, e);
}

/* ---- runs ---- */

static const char *name_of(struct arena *arena, const struct comparison *c)
{
    struct str text;
    str_init(&text);
    str_addf(&text, "%s at ", c->candidate);
    case_words_add(&text, c->config, c->cache);
    if (*c->baseline)
        str_addf(&text, ", against %s", c->baseline);
    const char *name = arena_copy(arena, str_text(&text));
    str_release(&text);
    return name;
}

int verdict_rows_of_runs(struct verdict_rows *out, const struct compare_report *r, struct err *e)
{
    begin(out, r->sides[0].path, r->side_count > 1 ? r->sides[1].path : NULL);
    int rc = 0;
    for (size_t i = 0; i < r->verdicts->comparisons.count && !rc; i++) {
        const struct comparison *c = &r->verdicts->comparisons.items[i];
        rc = add_verdict(out, name_of(&out->arena, c), c->verdict, arena_copy(&out->arena, c->detail), e);
    }
    if (!rc && !out->rows.count)
        rc = add(out,
                 (struct verdict_row){out->source, "unusable", "there is nothing to compare: no variant has a baseline",
                                      EXIT_UNUSABLE_INPUT},
                 e);
    return rc;
}

/* ---- traces and benchmarks ---- */

/* "1.10x of the time (1.08x to 1.12x): the reason". */
static const char *ratio_words(struct arena *arena, const struct ratio_interval *interval, const char *reason)
{
    const double values[] = {interval->ratio, interval->low, interval->high};
    char texts[3][UNITS_TEXT_BYTES];
    if (!isfinite(interval->ratio))
        return arena_copy(arena, reason);
    unit_format_apart(texts, UNIT_FACTOR, values, 3);
    if (!isfinite(interval->high))
        return arena_printf(arena, "%s of the time: %s", texts[0], reason);
    return arena_printf(arena, "%s of the time (%s to %s): %s", texts[0], texts[1], texts[2], reason);
}

int verdict_rows_of_steps(struct verdict_rows *out, const struct steps_report *r, struct err *e)
{
    const struct step_comparison *c = r->comparison;
    const char *range = c->sides[0].range;
    begin(out, r->sides[0].source, r->sides[1].source);
    return add_verdict(out, range ? arena_printf(&out->arena, "step %s", range) : "the whole trace", c->verdict,
                       ratio_words(&out->arena, &c->interval, step_reasons[c->reason].sentence), e);
}

int verdict_rows_of_benchmarks(struct verdict_rows *out, const struct benchmarks_report *r, struct err *e)
{
    int rc = 0;
    begin(out, r->sides[0].source, r->sides[1].source);
    for (size_t i = 0; i < r->comparisons->rows.count && !rc; i++) {
        const struct benchmark_comparison *c = &r->comparisons->rows.items[i];
        const char *says = ratio_words(&out->arena, &c->interval, benchmark_reasons[c->reason].sentence);
        if (*c->detail)
            says = arena_printf(&out->arena, "%s: %s", says, c->detail);
        rc = add_verdict(out, arena_copy(&out->arena, c->name), c->verdict, says, e);
    }
    return rc;
}

/* ---- all ---- */

int verdict_rows_of_failure(struct verdict_rows *out, const char *first, const char *second, const struct err *why,
                            struct err *e)
{
    begin(out, first, second);
    return add(
        out, (struct verdict_row){out->source, "error", arena_copy(&out->arena, why->text), err_exit_status(why->code)},
        e);
}

int verdict_rows_add_status(struct verdict_rows *r, enum exit_status status, struct err *e)
{
    enum exit_status worst = EXIT_PASS;
    for (size_t i = 0; i < r->rows.count; i++)
        worst = exit_status_worse(worst, r->rows.items[i].status);
    if (exit_status_worse(worst, status) == worst)
        return 0;
    static const char *const says[] = {
        [EXIT_CHECK_FAILED] = "a witness contradicts the times, or a launch does not end: the report says which",
        [EXIT_INCONCLUSIVE] = "evidence is missing, so that no better verdict stands: the report says which",
        [EXIT_UNUSABLE_INPUT] = "what was compared is damaged: the report says how"};
    static const char *const verdicts[] = {
        [EXIT_CHECK_FAILED] = "contradicted", [EXIT_INCONCLUSIVE] = "inconclusive", [EXIT_UNUSABLE_INPUT] = "unusable"};
    return add(r, (struct verdict_row){"the evidence", verdicts[status], says[status], status}, e);
}
