/* Which variants are there, and what is known about each? -> variants.json */
#define _GNU_SOURCE /* setenv */
#include "collector/runner/runner.h"
#include "core/base/str.h"

#include <cuda_runtime.h>
#include <math.h>
#include <stdlib.h>
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

/* Without a device each variant that needs more than the least refuses, and says what. */
static bool hide_devices(void)
{
    int count = 0;
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    const bool is_hidden = cudaGetDeviceCount(&count) || !count;
    cudaGetLastError();
    return is_hidden; /* not when a library that was loaded has started CUDA */
}

static struct cpprof_config default_config(const struct cpprof_variant *v)
{
    struct cpprof_config config = {.seed = 0};
    for (size_t a = 0, next = 0; a < v->axis_count; a++)
        config.value[a] = v->axes[a].role == CPPROF_AXIS_SHAPE ? v->shapes[0].values[next++] : v->axes[a].value;
    return config;
}

/* "needs wgmma, which compute capability 9.0 alone has; this device has 0.0", of a built-in variant: all words for a
 * device end so. */
static json_t *needs_json(const struct cpprof_variant *v)
{
    static const char begin[] = "needs ";
    char why[160] = "", *cut;
    const struct cpprof_config config = default_config(v);
    if (v->refuse && v->refuse(&config, why, sizeof why - 1) && !strncmp(why, begin, strlen(begin)) &&
        (cut = strstr(why, "; ")) && strstr(cut, " has 0.")) {
        *cut = '\0';
        return json_text(why + strlen(begin));
    }
    return json_string("compute capability 8.0 or newer");
}

static json_t *variant_json(const struct catalogue_entry *entry, bool tells_needs)
{
    const struct cpprof_variant *v = entry->variant;
    json_t *one = json_pack("{s:s,s:o,s:s,s:s,s:o,s:o,s:o,s:s,s:s,s:s}", "name", v->name, "family",
                            json_stringn(v->name, strcspn(v->name, "/")), "summary", v->summary, "kernel_pattern",
                            v->kernel_pattern, "axes", axes_json(v), "shapes", shapes_json(v), "expect", expect_json(v),
                            "signals", cpprof_variant_signals(v), "bound", cpprof_variant_bound(v), "improves_on",
                            cpprof_variant_improves_on(v));
    if (*entry->library)
        json_object_set_new(one, "library", json_text(entry->library));
    else if (tells_needs)
        json_object_set_new(one, "needs", needs_json(v));
    return one;
}

int role_list(struct runner *r, struct err *e)
{
    json_t *list = json_array();
    const bool tells_needs = hide_devices();
    for (size_t i = 0; i < r->catalogue.count; i++)
        json_array_append_new(list, variant_json(&r->catalogue.items[i], tells_needs));
    struct str path;
    str_init(&path);
    str_addf(&path, "%s/variants.json", r->directory);
    int rc = json_write_file(str_text(&path), list, e);
    str_release(&path);
    json_decref(list);
    return rc;
}
