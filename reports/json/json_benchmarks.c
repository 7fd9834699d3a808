/* What does a program read about benchmarks that were compared? cpprof.benchmarks/1 */
#include "analyzers/columns.h"
#include "reports/benchmarks_report.h"
#include "reports/rows/row_formats.h"

static json_t *side_of(const struct benchmarks_report *r, size_t side)
{
    const struct benchmark_side *s = &r->comparisons->sides[side];
    return json_pack("{so ss sI so}", "source", json_text(r->sides[side].source), "tool", s->tool, "processes",
                     (json_int_t)s->processes, "caveats", json_trace_caveats(r->sides[side].caveats));
}

json_t *json_benchmarks(const struct benchmarks_report *r)
{
    const struct benchmark_comparisons *c = r->comparisons;
    json_t *only_after = json_array();
    for (size_t i = 0; i < c->only_after.count; i++)
        json_array_append_new(only_after, json_text(c->only_after.items[i]));
    return json_pack("{ss so so so so so so}", "schema", "cpprof.benchmarks/1", "margin_ratio",
                     json_number_or_null(c->margin), "before", side_of(r, 0), "after", side_of(r, 1), "benchmarks",
                     row_json_array(&benchmark_columns, 0, c->rows.items, c->rows.count, NULL), "only_after",
                     only_after, "machines", *c->machines ? json_text(c->machines) : json_null());
}
