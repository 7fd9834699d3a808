/* What does a program read about two captures that were compared? cpprof.steps/1 */
#include "analyzers/columns.h"
#include "reports/rows/row_formats.h"
#include "reports/steps_report.h"

static json_t *side_of(const struct steps_report *r, size_t side)
{
    const struct step_side *s = &r->comparison->sides[side];
    return json_pack("{so so sI sI sI sI so}", "source", json_text(r->sides[side].source), "range",
                     s->range ? json_text(s->range) : json_null(), "processes", (json_int_t)s->processes, "steps",
                     (json_int_t)s->steps, "left_out", (json_int_t)s->left_out, "values",
                     (json_int_t)r->comparison->values[side], "caveats", json_trace_caveats(r->sides[side].caveats));
}

json_t *json_steps(const struct steps_report *r)
{
    const struct step_comparison *c = r->comparison;
    json_t *machines = json_array();
    for (size_t i = 0; i < c->machines.count; i++)
        json_array_append_new(machines, json_text(c->machines.items[i]));
    return json_pack("{ss ss ss sb so so so so so so so so so}", "schema", "cpprof.steps/1", "verdict",
                     comparison_verdict_name(c->verdict), "reason", step_reasons[c->reason].key, "replicates",
                     (int)c->has_replicates, "margin_ratio", json_number_or_null(c->margin), "ratio",
                     json_number_or_null(c->interval.ratio), "low", json_number_or_null(c->interval.low), "high",
                     json_number_or_null(c->interval.high), "before", side_of(r, 0), "after", side_of(r, 1), "measures",
                     row_json_array(&step_difference_columns, 0, c->measures, STEP_MEASURES, NULL), "work",
                     row_json_array(&step_work_columns, 0, c->work.items, c->work.count, NULL), "machines", machines);
}
