/* What does a program read about a machine against itself? cpprof.aa/1 */
#include "analyzers/columns.h"
#include "reports/aa_report.h"
#include "reports/rows/row_formats.h"

json_t *json_aa(const struct aa_report *r)
{
    const struct aa_result *result = r->result;
    json_t *caveats = json_array();
    for (size_t i = 0; i < r->caveats->count; i++)
        json_array_append_new(caveats, json_text(r->caveats->items[i].text));
    return json_pack("{ss so so sI so ss ss so so so so}", "schema", "cpprof.aa/1", "source", json_text(r->source),
                     "device", *r->device ? json_text(r->device) : json_null(), "processes",
                     (json_int_t)result->processes, "margin", json_number_or_null(result->margin), "status",
                     verdict_status_name(result->status), "reason", aa_reasons[result->reason].key, "all",
                     row_json(&aa_self_columns, 0, &result->all, NULL), "rows",
                     row_json_array(&aa_self_columns, 0, result->items, result->count, NULL), "planted",
                     row_json_array(&aa_planted_columns, 0, result->planted.items, result->planted.count, result),
                     "caveats", caveats);
}
