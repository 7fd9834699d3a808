/* What bounds each kernel, as cpprof.classify/1 (docs/json.md). */
#include "analyzers/columns.h"
#include "analyzers/counted_thresholds.h"
#include "core/base/units.h"
#include "core/gpu/thresholds.h"
#include "reports/reports.h"
#include "reports/rows/row_formats.h"

/* json_object_set_new frees the value also when it fails. */
static int set(json_t *object, const char *key, json_t *value)
{
    return value ? json_object_set_new(object, key, value) : -1;
}

/* Makes an array of `count` values; NULL when one of them could not be made. */
static json_t *array_of(size_t count, json_t *(*make)(const void *items, size_t index), const void *items)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < count; i++) {
        json_t *value = make(items, i);
        if (!value || json_array_append_new(array, value)) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

/* `capability` is NULL where the value is that of all launches. */
static json_t *one_threshold(enum threshold_id id, double value, const char *capability)
{
    const struct threshold *t = threshold_get(id);
    json_t *object = json_object();
    if (set(object, "name", json_text(t->name)) || set(object, "value", json_number_or_null(value)) ||
        set(object, "unit", json_text(unit_name(t->unit))) || set(object, "meaning", json_text(t->meaning)) ||
        (capability && set(object, "compute_capability", json_text(capability)))) {
        json_decref(object);
        return NULL;
    }
    return object;
}

/* Appends the values of one threshold; json_array_append_new fails for NULL, too. */
static int add_threshold(json_t *array, const struct analysis *a, enum threshold_id id)
{
    if (!counted_thresholds_differ(a, id))
        return json_array_append_new(array, one_threshold(id, threshold(&a->thresholds, id), NULL));
    int rc = 0;
    for (size_t i = 0; i < a->by_capability.count && !rc; i++) {
        const struct capability_thresholds *of = &a->by_capability.items[i];
        rc = json_array_append_new(array, one_threshold(id, threshold(&of->thresholds, id), of->capability));
    }
    return rc;
}

static json_t *all_thresholds(const struct analysis *a)
{
    json_t *array = json_array();
    for (int id = 0; id < THRESHOLD_COUNT && array; id++)
        if (add_threshold(array, a, (enum threshold_id)id)) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *threshold_source(const char *path)
{
    struct str text;
    str_init(&text);
    str_addf(&text, "%s%s", path ? "overridden by " : "embedded", path ? path : "");
    json_t *source = json_text(str_text(&text));
    str_release(&text);
    return source;
}

/* `more`: ROW_JSON_MORE of launches that another tool counted, else 0. */
static json_t *classified(const struct analysis *a, unsigned more)
{
    json_t *root = json_object();
    if (set(root, "schema", json_text("cpprof.classify/1")) ||
        set(root, "kernels", row_json_array(&bound_columns, more, a->bounds.items, a->bounds.count, a)) ||
        set(root, "predictions",
            row_json_array(&prediction_columns, 0, a->predictions.items, a->predictions.count, NULL)) ||
        set(root, "threshold_source", threshold_source(counted_thresholds_path(a))) ||
        set(root, "thresholds", all_thresholds(a))) {
        json_decref(root);
        return NULL;
    }
    return root;
}

json_t *json_classify(const struct analysis *a)
{
    return classified(a, 0);
}

static json_t *one_caveat(const void *items, size_t index)
{
    return json_text(((const struct caveat *)items + index)->text);
}

json_t *json_counted(const struct analysis *a, const struct imported_launches *launches)
{
    json_t *root = classified(a, ROW_JSON_MORE);
    if (root && set(root, "caveats", array_of(launches->caveats.count, one_caveat, launches->caveats.items))) {
        json_decref(root);
        return NULL;
    }
    return root;
}
