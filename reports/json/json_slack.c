/* How much later each phase may begin, as cpprof.slack/1 (docs/json.md). */
#include "analyzers/columns.h"
#include "reports/reports.h"
#include "reports/rows/row_formats.h"

json_t *json_slack(const struct analysis *a)
{
    json_t *root = json_object(), *phases = row_json_array(&slack_columns, 0, a->slacks.items, a->slacks.count, a);
    json_t *schema = json_text("cpprof.slack/1");
    /* json_object_set_new frees the value also when it fails, and takes NULL for an error */
    const bool failed = json_object_set_new(root, "schema", schema) | json_object_set_new(root, "phases", phases);
    if (!failed)
        return root;
    json_decref(root);
    return NULL;
}
