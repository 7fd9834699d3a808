/* What does a program read about saved references? cpprof.history/1 */
#include "analyzers/columns.h"
#include "reports/history_report.h"
#include "reports/rows/row_formats.h"
#include "reports/trace_words.h"

json_t *json_history(const struct history_report *r)
{
    const struct history *h = r->history;
    json_t *caveats = json_array();
    for (size_t i = 0; i < h->caveats.count; i++)
        json_array_append_new(caveats, json_text(h->caveats.items[i].text));
    return json_pack("{ss so so sI so so so so so}", "schema", "cpprof.history/1", "name", json_text(r->name), "store",
                     json_text(r->store), "references", (json_int_t)h->references, "margin",
                     json_number_or_null(h->margin), "arms",
                     row_json_array(&history_arm_columns, 0, h->arms.items, h->arms.count, NULL), "changes",
                     row_json_array(&history_change_columns, 0, h->changes.items, h->changes.count, NULL), "rows",
                     row_json_array(&history_columns, 0, h->rows.items, h->rows.count, NULL), "caveats", caveats);
}
