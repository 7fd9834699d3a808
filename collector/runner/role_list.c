/* Which variants are there, and what is known about each? -> variants.json */
#include "base/str.h"
#include "collector/runner/runner.h"

#include <math.h>
#include <string.h>

static json_t *axes_json(const struct cpprof_variant *v)
{
    json_t *axes = json_array();
    for (size_t i = 0; i < v->axis_count; i++) {
        const struct cpprof_axis *a = &v->axes[i];
        json_array_append_new(axes,
                              json_pack("{s:s,s:s,s:s,s:I,s:I,s:I}", "name", a->name, "help", a->help, "role",
                                        a->role == CPPROF_AXIS_SHAPE ? "shape" : "parameter", "min", (json_int_t)a->min,
                                        "max", (json_int_t)a->max, "default", (json_int_t)a->value));
    }
    return axes;
}

static json_t *shapes_json(const struct cpprof_variant *v)
{
    json_t *shapes = json_array();
    for (size_t i = 0; i < v->shape_count; i++) {
        json_t *values = json_object();
        for (size_t a = 0, next = 0; a < v->axis_count; a++)
            if (v->axes[a].role == CPPROF_AXIS_SHAPE)
                json_object_set_new(values, v->axes[a].name, json_integer(v->shapes[i].values[next++]));
        json_array_append_new(shapes, json_pack("{s:s,s:o,s:b}", "name", v->shapes[i].name, "values", values, "ragged",
                                                v->shapes[i].ragged));
    }
    return shapes;
}

static json_t *expect_json(const struct cpprof_variant *v)
{
    json_t *expect = json_array();
    for (size_t i = 0; i < v->expect_count; i++)
        json_array_append_new(expect, json_pack("{s:s,s:f,s:o}", "metric", v->expect[i].metric, "min", v->expect[i].min,
                                                "max", json_number_or_null(v->expect[i].max)));
    return expect;
}

static json_t *variant_json(const struct catalogue_entry *entry)
{
    const struct cpprof_variant *v = entry->variant;
    json_t *one = json_pack("{s:s,s:o,s:s,s:s,s:o,s:o,s:o,s:s,s:s,s:s}", "name", v->name, "family",
                            json_stringn(v->name, strcspn(v->name, "/")), "summary", v->summary, "kernel_pattern",
                            v->kernel_pattern, "axes", axes_json(v), "shapes", shapes_json(v), "expect", expect_json(v),
                            "signals", cpprof_variant_signals(v), "bound", cpprof_variant_bound(v), "improves_on",
                            cpprof_variant_improves_on(v));
    if (*entry->library)
        json_object_set_new(one, "library", json_text(entry->library));
    return one;
}

int role_list(struct runner *r, struct err *e)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->catalogue.count; i++)
        json_array_append_new(list, variant_json(&r->catalogue.items[i]));
    struct str path;
    str_init(&path);
    str_addf(&path, "%s/variants.json", r->directory);
    int rc = json_write_file(str_text(&path), list, e);
    str_release(&path);
    json_decref(list);
    return rc;
}
