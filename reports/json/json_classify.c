/* What bounds each kernel, as cpprof.classify/1 (docs/json.md). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzers/bounds/bound_repeats.h"
#include "analyzers/bounds/lost_time.h"
#include "base/units.h"
#include "gpu/thresholds.h"
#include "reports/ncu_words.h"
#include "reports/reports.h"

/* json_object_set_new frees the value also when it fails. */
static int set(json_t *object, const char *key, json_t *value)
{
    return value ? json_object_set_new(object, key, value) : -1;
}

static json_t *text_or_null(const char *text)
{
    return text && *text ? json_text(text) : json_null();
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

static json_t *one_evidence(const void *items, size_t index)
{
    const struct evidence *row = (const struct evidence *)items + index;
    json_t *object = json_object();
    if (set(object, "metric", json_text(row->metric)) || set(object, "value", json_number_or_null(row->value)) ||
        set(object, "unit", json_text(unit_name((enum unit)row->unit)))) {
        json_decref(object);
        return NULL;
    }
    return object;
}

/* Of a bundle's bound, beside the rule. */
static int set_difference(json_t *object, const struct bound *b)
{
    struct str note;
    str_init(&note);
    ncu_words_add_difference(&note, b);
    const int failed = note.failed | set(object, "ncu_note", text_or_null(str_text(&note)));
    str_release(&note);
    return failed;
}

/* What only launches have that another tool counted. */
static int set_counted(json_t *object, const struct thresholds *t, const struct bound *b)
{
    const struct counted_launch *l = b->counted;
    const int agrees = ncu_agrees(b);
    struct str note;
    str_init(&note);
    ncu_words_add(&note, t, b);
    const struct {
        const char *key;
        json_t *value;
    } members[] = {
        {"process", text_or_null(l->process_id)},
        {"process_name", text_or_null(l->process_name)},
        {"device", text_or_null(l->device)},
        {"grid", text_or_null(l->grid)},
        {"block", text_or_null(l->block)},
        {"registers", json_number_or_null(l->resource.registers)},
        {"shared_bytes", json_number_or_null(l->resource.shared_bytes)},
        {"ncu_rule_in_file", text_or_null(l->ncu_rule)},
        {"ncu_agrees", agrees < 0 ? json_null() : json_boolean(agrees)},
        {"ncu_note", text_or_null(str_text(&note))},
    };
    int failed = note.failed;
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        failed |= set(object, members[i].key, members[i].value);
    str_release(&note);
    return failed;
}

static json_t *one_tally(const void *items, size_t index)
{
    const struct bound_tally *tally = (const struct bound_tally *)items + index;
    json_t *object = json_object();
    if (set(object, "class", json_text(bound_class_name(tally->class_))) ||
        set(object, "limit", text_or_null(tally->limit)) || set(object, "count", json_integer(tally->count))) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *one_part(const void *items, size_t index)
{
    const struct lost_part *part = (const struct lost_part *)items + index;
    json_t *object = json_object();
    if (set(object, "kind", json_text(lost_kind_name(part->kind))) || set(object, "name", json_text(part->name)) ||
        set(object, "share", json_number_or_null(part->share))) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *one_step(const void *items, size_t index)
{
    return json_text(((const char *const *)items)[index]);
}

static json_t *one_precision(const void *items, size_t index)
{
    const struct roof *r = (const struct roof *)items + index;
    return json_pack("{so so so so so}", "precision", json_text(r->name), "flop", json_number_or_null(r->amount), "flop_per_s",
                     json_number_or_null(r->per_s), "peak_flop_per_s", json_number_or_null(r->peak),
                     "measured_flop_per_s", json_number_or_null(r->measured));
}

static json_t *one_level(const void *items, size_t index)
{
    const struct roof *r = (const struct roof *)items + index;
    return json_pack("{so so so so so so}", "level", json_text(r->name), "bytes", json_number_or_null(r->amount), "intensity",
                     json_number_or_null(r->intensity), "bytes_per_s", json_number_or_null(r->per_s), "peak_bytes_per_s",
                     json_number_or_null(r->peak), "measured_bytes_per_s", json_number_or_null(r->measured));
}

/* null of a kernel whose operations were not counted. */
static json_t *roofline_of_bound(const struct analysis *a, const struct bound *b)
{
    for (size_t i = 0; i < a->rooflines.count; i++) {
        const struct roofline *r = &a->rooflines.items[i];
        if (strcmp(r->variant, b->variant) || strcmp(r->shape, b->shape) || strcmp(r->kernel, b->kernel))
            continue;
        return json_pack("{so so so so so so so so so}", "duration_ns", json_number_or_null(r->duration_ns), "flop",
                         json_number_or_null(r->flop), "flop_per_s", json_number_or_null(r->flop_per_s), "precisions",
                         array_of(r->precision_count, one_precision, r->precisions), "levels",
                         array_of(ROOF_LEVELS, one_level, r->levels), "nearest", text_or_null(r->nearest), "nearest_share",
                         json_number_or_null(r->nearest_share), "nearest_is_measured", json_boolean(r->nearest_is_measured),
                         "uncounted", text_or_null(r->uncounted));
    }
    return json_null();
}

struct member {
    const char *key;
    json_t *value;
};

/* Every value finds an owner, also when it fails. */
static json_t *object_of(const struct member *members, size_t count)
{
    json_t *object = json_object();
    int failed = 0;
    for (size_t i = 0; i < count; i++)
        failed |= set(object, members[i].key, members[i].value);
    if (failed) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *one_outcome(const void *items, size_t index)
{
    const struct prediction_outcome *o = (const struct prediction_outcome *)items + index;
    json_t *object = json_object();
    if (set(object, "with", json_text(o->with)) || set(object, "gain", json_number_or_null(o->gain)) ||
        set(object, "inside", json_boolean(o->inside))) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *one_prediction(const void *items, size_t index)
{
    const struct prediction *p = (const struct prediction *)items + index;
    const struct member members[] = {
        {"variant", json_text(p->variant)},
        {"shape", json_text(p->shape)},
        {"id", json_text(p->id)},
        {"change", json_text(p->change)},
        {"gain_low", json_number_or_null(p->gain_low)},
        {"gain_high", json_number_or_null(p->gain_high)},
        {"because", json_text(p->because)},
        {"assumption", json_text(p->assumption)},
        {"measured", array_of(p->outcome_count, one_outcome, p->outcomes)},
    };
    return object_of(members, sizeof members / sizeof members[0]);
}

static json_t *one_kernel(const void *items, size_t index)
{
    const struct analysis *a = items;
    const struct bound *b = &a->bounds.items[index];
    char id[32];
    snprintf(id, sizeof id, "%zu", index);
    const struct member members[] = {
        {"id", json_text(b->counted ? b->counted->id : id)},
        {"name", json_text(b->kernel)},
        {"variant", json_text(b->variant)},
        {"shape", json_text(b->shape)},
        {"class", json_text(bound_class_name(b->class_))},
        {"lean", text_or_null(b->lean)},
        {"unit", text_or_null(b->unit)},
        {"limit", text_or_null(b->limit)},
        {"cause", json_text(b->cause)},
        {"margin", json_number_or_null(b->margin)},
        {"compute_share", json_number_or_null(b->compute_share)},
        {"memory_share", json_number_or_null(b->memory_share)},
        {"ncu_rule", text_or_null(b->ncu_rule)},
        {"repeats", json_integer(b->repeats)},
        {"agreeing", json_integer(b->agreeing)},
        {"repeat_bounds", array_of(b->tally_count, one_tally, b->tallies)},
        {"stated", text_or_null(b->stated)},
        {"as_stated", *b->stated ? json_boolean(bound_is_as_stated(b)) : json_null()},
        {"evidence", array_of(b->evidence.count, one_evidence, b->evidence.items)},
        {"steps", array_of(b->step_count, one_step, b->steps)},
        {"time", array_of(b->lost_count, one_part, b->lost)},
        {"roofline", roofline_of_bound(a, b)},
        {"advice", text_or_null(b->advice)},
        {"will_not_help", text_or_null(b->will_not_help)},
    };
    json_t *object = object_of(members, sizeof members / sizeof members[0]);
    if (object && (b->counted ? set_counted(object, &a->thresholds, b) : set_difference(object, b))) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *one_threshold(const void *items, size_t index)
{
    const struct thresholds *in_force = items;
    const enum threshold_id id = (enum threshold_id)index;
    const struct threshold *t = threshold_get(id);
    json_t *object = json_object();
    if (set(object, "name", json_text(t->name)) || set(object, "value", json_number_or_null(threshold(in_force, id))) ||
        set(object, "unit", json_text(unit_name(t->unit))) || set(object, "meaning", json_text(t->meaning))) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *threshold_source(const struct thresholds *t)
{
    struct str text;
    str_init(&text);
    str_addf(&text, "%s%s", t->path ? "overridden by " : "embedded", t->path ? t->path : "");
    json_t *source = json_text(str_text(&text));
    str_release(&text);
    return source;
}

json_t *json_classify(const struct analysis *a)
{
    json_t *root = json_object();
    if (set(root, "schema", json_text("cpprof.classify/1")) ||
        set(root, "kernels", array_of(a->bounds.count, one_kernel, a)) ||
        set(root, "predictions", array_of(a->predictions.count, one_prediction, a->predictions.items)) ||
        set(root, "threshold_source", threshold_source(&a->thresholds)) ||
        set(root, "thresholds", array_of(THRESHOLD_COUNT, one_threshold, &a->thresholds))) {
        json_decref(root);
        return NULL;
    }
    return root;
}

static json_t *one_caveat(const void *items, size_t index)
{
    return json_text(((const struct caveat *)items + index)->text);
}

json_t *json_counted(const struct analysis *a, const struct counted_launches *launches)
{
    json_t *root = json_classify(a);
    if (root && set(root, "caveats", array_of(launches->caveats.count, one_caveat, launches->caveats.items))) {
        json_decref(root);
        return NULL;
    }
    return root;
}
