/* What does a program get to read about a run? The schemas are in docs/json.md. */
#include <stdio.h>

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

static json_t *comparison_to_json(const struct comparison *c)
{
    bool failed = false;
    json_t *row = json_object();
    set(row, "baseline", json_text(c->baseline), &failed);
    set(row, "candidate", json_text(c->candidate), &failed);
    set(row, "shape", json_text(c->shape), &failed);
    set(row, "ratio", json_number_or_null(c->ratio), &failed);
    set(row, "speedup", json_number_or_null(c->speedup), &failed);
    set(row, "gain", json_number_or_null(c->gain), &failed);
    set(row, "ci_low", json_number_or_null(c->ci_low), &failed);
    set(row, "ci_high", json_number_or_null(c->ci_high), &failed);
    set(row, "confidence", json_number_or_null(c->confidence), &failed);
    set(row, "margin", json_number_or_null(c->margin), &failed);
    set(row, "verdict", json_text(comparison_verdict_name(c->verdict)), &failed);
    set(row, "reason", json_text(c->reason), &failed);
    set(row, "mde", json_number_or_null(c->mde), &failed);
    set(row, "n_processes", json_integer(c->n_processes), &failed);
    set(row, "n_samples", json_integer(c->n_samples), &failed);
    set(row, "baseline_ns", json_number_or_null(c->baseline_ns), &failed);
    set(row, "candidate_ns", json_number_or_null(c->candidate_ns), &failed);
    return finished(row, failed);
}

/* A gate is said in the words of the rule that it stands for. */
static json_t *gate_to_json(const char *rule, const char *variant, const char *shape, enum verdict_status status,
                            const char *detail)
{
    bool failed = false;
    json_t *gate = json_object();
    set(gate, "rule", json_text(rule), &failed);
    set(gate, "variant", json_text(variant), &failed);
    set(gate, "shape", json_text(shape), &failed);
    set(gate, "status", json_string(verdict_status_name(status)), &failed);
    set(gate, "detail", json_text(detail), &failed);
    return finished(gate, failed);
}

static json_t *gates_to_json(const struct analysis *a)
{
    bool failed = false;
    json_t *gates = json_array();
    for (size_t i = 0; i < a->selection.count; i++) {
        const struct selection_check *s = &a->selection.items[i];
        json_t *gate = gate_to_json("selection", s->variant, s->shape, s->status, *s->detail ? s->detail : s->reason);
        failed |= json_array_append_new(gates, gate) != 0;
    }
    for (size_t i = 0; i < a->correctness.count; i++) {
        const struct correctness *c = &a->correctness.items[i];
        char detail[128];
        snprintf(detail, sizeof detail, "%lld of %lld checks failed", (long long)c->failed, (long long)c->checks);
        failed |= json_array_append_new(gates, gate_to_json("correctness", c->variant, c->shape, c->status, detail)) != 0;
    }
    return finished(gates, failed);
}

json_t *json_compare(const struct analysis *a)
{
    bool failed = false;
    json_t *document = json_object(), *rows = json_array();
    for (size_t i = 0; i < a->comparisons.count; i++)
        failed |= json_array_append_new(rows, comparison_to_json(&a->comparisons.items[i])) != 0;
    set(document, "schema", json_string("cpprof.compare/1"), &failed);
    set(document, "rows", rows, &failed);
    set(document, "gates", gates_to_json(a), &failed);
    set(document, "caveats", caveats_to_json(&a->bundle->caveats), &failed);
    return finished(document, failed);
}
