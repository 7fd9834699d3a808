/* What became different, and was it expected? */
#include <string.h>

#include "reports/reports.h"
#include "reports/run_report.h"

#include "gpu/signals.h"

void words_transition(struct document *d, const struct transition *t)
{
    words_arm(d, t->candidate, t->shape);
    document_span(d, SPAN_PLAIN, " beside ");
    document_span(d, SPAN_CODE, "%s", t->baseline);
    document_span(d, SPAN_PLAIN, ": %s", t->text);
}

bool signal_is_beside_another(const struct analysis *a, const struct signal_result *s)
{
    return strcmp(s->baseline, analysis_baseline_of(a, s->variant)) != 0;
}

static bool any_is_beside_another(const struct analysis *a)
{
    for (size_t i = 0; i < a->signals.count; i++)
        if (signal_is_beside_another(a, &a->signals.items[i]))
            return true;
    return false;
}

/* Against what is a column where it is not the baseline throughout. */
void run_signals_add(const struct analysis *a, struct document *d)
{
    static const struct document_column columns[] = {{"variant", false}, {"shape", false},   {"expected", false},
                                                     {"baseline", true}, {"variant", true},  {"change", false},
                                                     {"verdict", false}};
    static const struct document_column against[] = {{"variant", false}, {"shape", false},      {"expected", false},
                                                     {"against", false}, {"value there", true}, {"variant", true},
                                                     {"change", false},  {"verdict", false}};
    if (!a->signals.count)
        return;
    const bool says_against = any_is_beside_another(a);
    document_heading(d, 2, "Expected signals");
    document_table(d, says_against ? against : columns,
                   (says_against ? sizeof against : sizeof columns) / sizeof columns[0]);
    for (size_t i = 0; i < a->signals.count; i++) {
        const struct signal_result *s = &a->signals.items[i];
        document_cell_code(d, s->variant);
        document_cell(d, "%s", s->shape);
        document_cell_code(d, s->signal);
        if (says_against)
            document_cell_code(d, s->baseline);
        document_cell_unit(d, (enum unit)s->unit, s->baseline_value);
        document_cell_unit(d, (enum unit)s->unit, s->value);
        document_cell(d, "%s", s->change);
        document_cell(d, "%s", signal_verdict_name(s->status));
    }
}

json_t *json_transitions(const struct analysis *a)
{
    json_t *list = json_array();
    for (size_t i = 0; i < a->transitions.count; i++) {
        const struct transition *t = &a->transitions.items[i];
        json_array_append_new(list, json_pack("{so so so so}", "baseline", json_text(t->baseline), "candidate",
                                              json_text(t->candidate), "shape", json_text(t->shape), "text",
                                              json_text(t->text)));
    }
    return list;
}

json_t *json_signals(const struct analysis *a)
{
    json_t *list = json_array();
    for (size_t i = 0; i < a->signals.count; i++) {
        const struct signal_result *s = &a->signals.items[i];
        json_t *entry = json_object();
        json_object_set_new(entry, "variant", json_text(s->variant));
        json_object_set_new(entry, "baseline", json_text(s->baseline));
        json_object_set_new(entry, "shape", json_text(s->shape));
        json_object_set_new(entry, "signal", json_text(s->signal));
        json_object_set_new(entry, "verdict", json_text(signal_verdict_name(s->status)));
        json_object_set_new(entry, "baseline_value", json_number_or_null(s->baseline_value));
        json_object_set_new(entry, "value", json_number_or_null(s->value));
        json_object_set_new(entry, "unit", json_string(unit_name((enum unit)s->unit)));
        json_object_set_new(entry, "change", json_text(s->change));
        json_array_append_new(list, entry);
    }
    return list;
}
