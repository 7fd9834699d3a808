/* What became different, and was it expected? */
#include <string.h>

#include "analyzers/columns.h"
#include "reports/rows/row_formats.h"
#include "reports/run/run_report.h"

void words_transition(struct document *d, const struct transition *t)
{
    words_arm(d, t->candidate, t->config);
    document_span(d, SPAN_PLAIN, " beside ");
    document_span(d, SPAN_CODE, "%s", t->baseline);
    document_span(d, SPAN_PLAIN, ": %s", t->text);
}

void run_transitions_add(const struct analysis *a, struct document *d)
{
    /* Where kernels were recorded, their insides say more. */
    const enum tier tier = a->insides.count ? document_evidence(d) : document_evidence_of(d, a->transitions.count);
    for (size_t i = 0; i < a->transitions.count; i++) {
        if (!i)
            document_heading(d, 3, "What became different");
        document_bullet(d);
        words_transition(d, &a->transitions.items[i]);
    }
    document_tier(d, tier);
}

bool expected_change_is_against_another(const struct analysis *a, const struct expected_change_result *s)
{
    return strcmp(s->baseline, analysis_baseline_of(a, s->variant)) != 0;
}

static bool any_is_against_another(const struct analysis *a)
{
    for (size_t i = 0; i < a->expected_changes.count; i++)
        if (expected_change_is_against_another(a, &a->expected_changes.items[i]))
            return true;
    return false;
}

enum { REFUTED_MAX = 4 };

static size_t expected_change_count(const struct analysis *a, enum verdict_status status)
{
    size_t count = 0;
    for (size_t i = 0; i < a->expected_changes.count; i++)
        count += a->expected_changes.items[i].status == status;
    return count;
}

/* A refuted one is what there is to learn. */
static void write_counts(const struct analysis *a, struct document *d)
{
    const size_t unknown = expected_change_count(a, VERDICT_INCONCLUSIVE);
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "%zu of %zu confirmed", expected_change_count(a, VERDICT_PASS),
                  a->expected_changes.count);
    if (unknown)
        document_span(d, SPAN_PLAIN, ", %zu not known", unknown);
    size_t said = 0;
    for (size_t i = 0; i < a->expected_changes.count; i++) {
        const struct expected_change_result *s = &a->expected_changes.items[i];
        if (s->status != VERDICT_FAIL || ++said > REFUTED_MAX)
            continue;
        document_span(d, SPAN_PLAIN, "; refuted: ");
        words_arm(d, s->variant, s->config);
        if (expected_change_is_against_another(a, s)) {
            document_span(d, SPAN_PLAIN, " beside ");
            document_span(d, SPAN_CODE, "%s", s->baseline);
        }
        document_span(d, SPAN_PLAIN, ", %s: %s", s->expected_change, s->change);
    }
    if (said > REFUTED_MAX)
        document_span(d, SPAN_PLAIN, "; and %zu more", said - REFUTED_MAX);
}

/* Against what is a column where it is not the baseline throughout. */
void run_expected_changes_add(const struct analysis *a, struct document *d)
{
    if (!a->expected_changes.count)
        return;
    const struct row_table table = {.lists = {&expected_change_columns},
                                    .formats = {any_is_against_another(a) ? SIGNALS_AGAINST : SIGNALS_OF_BASELINE}};
    document_heading(d, 2, "Expected signals");
    write_counts(a, d);
    document_evidence_of(d, a->expected_changes.count);
    row_table_add(d, &table, a->expected_changes.items, a->expected_changes.count);
}
