/* What happens inside each kernel that was recorded, as cpprof.inside/1 (docs/json.md). */
#include "analyzers/columns.h"
#include "reports/reports.h"
#include "reports/rows/row_formats.h"

json_t *json_inside(const struct analysis *a)
{
    json_t *root = json_object(), *arms = row_json_array(&inside_columns, 0, a->insides.items, a->insides.count, a);
    json_t *schema = json_text("cpprof.inside/1");
    /* json_object_set_new frees the value also when it fails, and takes NULL for an error */
    const bool failed = json_object_set_new(root, "schema", schema) | json_object_set_new(root, "arms", arms);
    if (!failed)
        return root;
    json_decref(root);
    return NULL;
}
