/* What became different, and was it expected? */
#include <string.h>

#include "analyzers/columns.h"
#include "reports/rows/row_formats.h"
#include "reports/run_report.h"

void words_transition(struct document *d, const struct transition *t)
{
    words_arm(d, t->candidate, t->config);
    document_span(d, SPAN_PLAIN, " beside ");
    document_span(d, SPAN_CODE, "%s", t->baseline);
    document_span(d, SPAN_PLAIN, ": %s", t->text);
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

/* Against what is a column where it is not the baseline throughout. */
void run_expected_changes_add(const struct analysis *a, struct document *d)
{
    if (!a->expected_changes.count)
        return;
    const struct row_table table = {.lists = {&expected_change_columns},
                                    .formats = {any_is_against_another(a) ? SIGNALS_AGAINST : SIGNALS_OF_BASELINE}};
    document_heading(d, 2, "Expected signals");
    row_table_add(d, &table, a->expected_changes.items, a->expected_changes.count);
}
