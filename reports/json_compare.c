/* What does a program read about comparisons and gates? cpprof.compare/1 */
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "reports/reports.h"

static json_t *comparison_row(const struct comparison *c)
{
    json_t *row = json_object();
    json_object_set_new(row, "baseline", json_text(c->baseline));
    json_object_set_new(row, "candidate", json_text(c->candidate));
    json_object_set_new(row, "shape", json_text(c->shape));
    json_object_set_new(row, "ratio", json_number_or_null(c->ratio));
    json_object_set_new(row, "speedup", json_number_or_null(c->speedup));
    json_object_set_new(row, "gain", json_number_or_null(c->gain));
    json_object_set_new(row, "ci_low", json_number_or_null(c->ci_low));
    json_object_set_new(row, "ci_high", json_number_or_null(c->ci_high));
    json_object_set_new(row, "confidence", json_number_or_null(c->confidence));
    json_object_set_new(row, "verdict", json_text(comparison_verdict_name(c->verdict)));
    json_object_set_new(row, "reason", json_text(c->reason));
    json_object_set_new(row, "mde", json_number_or_null(c->mde));
    json_object_set_new(row, "n_processes", json_integer(c->n_processes));
    json_object_set_new(row, "n_samples", json_integer(c->n_samples));
    json_object_set_new(row, "margin", json_number_or_null(c->margin));
    json_object_set_new(row, "baseline_ns", json_number_or_null(c->baseline_ns));
    json_object_set_new(row, "candidate_ns", json_number_or_null(c->candidate_ns));
    json_object_set_new(row, "clock_ratio", json_number_or_null(c->clock_ratio));
    return row;
}

static void add_gate(json_t *gates, const char *rule, const char *status, const char *detail)
{
    json_t *gate = json_object();
    json_object_set_new(gate, "rule", json_text(rule));
    json_object_set_new(gate, "status", json_text(status));
    json_object_set_new(gate, "detail", json_text(detail));
    json_array_append_new(gates, gate);
}

/* What always counts is a gate too: nobody has to ask for it. */
static void add_own_gate(json_t *gates, const char *question, const char *variant, const char *shape,
                         enum verdict_status status, const char *detail)
{
    struct str rule;
    str_init(&rule);
    str_addf(&rule, "%s: %s, %s", question, variant, shape);
    add_gate(gates, str_text(&rule), verdict_status_name(status), detail);
    str_release(&rule);
}

static void add_selection_gates(json_t *gates, const struct analysis *a)
{
    for (size_t i = 0; i < a->selection.count; i++) {
        const struct selection_check *check = &a->selection.items[i];
        add_own_gate(gates, "selection", check->variant, check->shape, check->status, check->detail);
    }
}

static void add_correctness_gates(json_t *gates, const struct analysis *a)
{
    struct str detail;
    str_init(&detail);
    for (size_t i = 0; i < a->correctness.count; i++) {
        const struct correctness *row = &a->correctness.items[i];
        str_clear(&detail);
        str_addf(&detail, "%lld of %lld checks failed", (long long)row->failed, (long long)row->checks);
        add_own_gate(gates, "correctness", row->variant, row->shape, row->status, str_text(&detail));
    }
    str_release(&detail);
}

/* A rule whose operands do not occur was not evaluated: skipped. */
static void add_assertion_gates(json_t *gates, const struct analysis *a)
{
    struct str detail;
    str_init(&detail);
    for (size_t i = 0; i < a->assertions.count; i++) {
        const struct rule_result *result = &a->assertions.items[i];
        char value[UNITS_TEXT_BYTES], threshold[UNITS_TEXT_BYTES];
        str_clear(&detail);
        if (result->device >= 0)
            str_addf(&detail, "device %d: ", result->device);
        str_addf(&detail, "%s against %s", unit_format(value, (enum unit)result->unit, result->value),
                 unit_format(threshold, (enum unit)result->unit, result->threshold));
        if (result->reason[0])
            str_addf(&detail, " (%s)", result->reason);
        add_gate(gates, result->rule, result->status == RULE_VACUOUS ? "skipped" : rule_status_name(result->status),
                 str_text(&detail));
    }
    str_release(&detail);
}

static json_t *caveat_texts(const struct caveat_list *caveats)
{
    json_t *texts = json_array();
    for (size_t i = 0; i < caveats->count; i++)
        json_array_append_new(texts, json_text(caveats->items[i].text));
    return texts;
}

json_t *json_compare(const struct analysis *a)
{
    json_t *rows = json_array(), *gates = json_array();
    for (size_t i = 0; i < a->comparisons.count; i++)
        json_array_append_new(rows, comparison_row(&a->comparisons.items[i]));
    add_selection_gates(gates, a);
    add_correctness_gates(gates, a);
    add_assertion_gates(gates, a);
    json_t *out = json_object();
    json_object_set_new(out, "schema", json_string("cpprof.compare/1"));
    json_object_set_new(out, "rows", rows);
    json_object_set_new(out, "gates", gates);
    json_object_set_new(out, "caveats", caveat_texts(&a->bundle->caveats));
    return out;
}
