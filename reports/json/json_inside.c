/* The inside of each kernel that was recorded, as cpprof.inside/1, and how much later its phases may begin, as
 * cpprof.slack/1 (docs/json.md). */
#include "analyzers/columns.h"
#include "reports/reports.h"
#include "reports/rows/row_formats.h"

/* `rows` is NULL when memory is out. */
static json_t *document_of(const char *schema, const char *name, json_t *rows)
{
    json_t *root = json_object();
    /* json_object_set_new frees the value also when it fails, and takes NULL for an error */
    const bool failed = json_object_set_new(root, "schema", json_text(schema)) | json_object_set_new(root, name, rows);
    if (!failed)
        return root;
    json_decref(root);
    return NULL;
}

json_t *json_inside(const struct analysis *a)
{
    return document_of("cpprof.inside/1", "arms",
                       row_json_array(&inside_columns, 0, a->insides.items, a->insides.count, a));
}

json_t *json_slack(const struct analysis *a)
{
    return document_of("cpprof.slack/1", "phases",
                       row_json_array(&slack_columns, 0, a->slacks.items, a->slacks.count, a));
}
