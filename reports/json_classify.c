/* What does a program read about the bounds of kernels? cpprof.classify/1 (docs/json.md) */
#include "reports/reports.h"

/* Sets a member and hands over the reference; a missing value marks the object as failed. */
static void set(json_t *object, const char *key, json_t *value, bool *failed)
{
    *failed |= json_object_set_new(object, key, value) != 0;
}

static json_t *text_or_null(const char *text)
{
    return text && *text ? json_text(text) : json_null();
}

static json_t *finished(json_t *value, bool failed)
{
    if (!failed)
        return value;
    json_decref(value);
    return NULL;
}

static json_t *evidence_to_json(const struct evidence *items, size_t count)
{
    bool failed = false;
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *row = json_object();
        set(row, "metric", json_text(items[i].metric), &failed);
        set(row, "value", json_number_or_null(items[i].value), &failed);
        set(row, "unit", json_text(unit_name((enum unit)items[i].unit)), &failed);
        failed |= json_array_append_new(list, row) != 0;
    }
    return finished(list, failed);
}

static json_t *caveats_to_json(const struct caveat_list *caveats)
{
    bool failed = false;
    json_t *list = json_array();
    for (size_t i = 0; i < caveats->count; i++)
        failed |= json_array_append_new(list, json_text(caveats->items[i].text)) != 0;
    return finished(list, failed);
}

static json_t *bound_to_json(const struct bound *b, size_t id)
{
    bool failed = false;
    json_t *row = json_object();
    set(row, "id", json_sprintf("%zu", id), &failed);
    set(row, "name", json_text(b->kernel), &failed);
    set(row, "variant", json_text(b->variant), &failed);
    set(row, "shape", json_text(b->shape), &failed);
    set(row, "class", json_text(bound_class_name(b->class_)), &failed);
    set(row, "lean", text_or_null(b->lean), &failed);
    set(row, "unit", text_or_null(b->unit), &failed);
    set(row, "cause", json_text(b->cause), &failed);
    set(row, "margin", json_number_or_null(b->margin), &failed);
    set(row, "compute_share", json_number_or_null(b->compute_share), &failed);
    set(row, "memory_share", json_number_or_null(b->memory_share), &failed);
    set(row, "ncu_rule", text_or_null(b->ncu_rule), &failed);
    set(row, "advice", text_or_null(b->advice), &failed);
    set(row, "will_not_help", text_or_null(b->will_not_help), &failed);
    set(row, "evidence", evidence_to_json(b->evidence.items, b->evidence.count), &failed);
    return finished(row, failed);
}

json_t *json_classify(const struct analysis *a)
{
    bool failed = false;
    json_t *document = json_object(), *kernels = json_array();
    for (size_t i = 0; i < a->bounds.count; i++)
        failed |= json_array_append_new(kernels, bound_to_json(&a->bounds.items[i], i)) != 0;
    set(document, "schema", json_string("cpprof.classify/1"), &failed);
    set(document, "kernels", kernels, &failed);
    set(document, "caveats", caveats_to_json(&a->bundle->caveats), &failed);
    return finished(document, failed);
}
