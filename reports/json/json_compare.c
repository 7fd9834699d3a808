/* What does a program read about comparisons and gates? cpprof.compare/1 */
#include <math.h>
#include <string.h>

#include "analyzers/columns.h"
#include "base/str.h"
#include "base/units.h"
#include "reports/compare_report.h"
#include "reports/reports.h"
#include "reports/rows/row_formats.h"
#include "reports/run_report.h"

#define ROWS(list, rows) row_json_array(&list, 0, (rows).items, (rows).count, NULL)

static double rate(double bytes, double ns)
{
    return bytes / ns * 1e9;
}

/* Appends the rows, and nothing when memory is out. */
static int add_rows(json_t *array, const struct row_columns *list, const void *rows, size_t count, const void *context)
{
    json_t *more = row_json_array(list, 0, rows, count, context);
    const int failed = !more || json_array_extend(array, more);
    json_decref(more);
    return failed;
}

/* What always counts is a gate too: nobody has to ask for it. */
static int add_gates(json_t *gates, const struct analysis *a)
{
    return add_rows(gates, &selection_columns, a->selection.items, a->selection.count, NULL) ||
           add_rows(gates, &correctness_columns, a->correctness.items, a->correctness.count, a);
}

/* {"value", "low", "high"}; an end that is open is null. */
static json_t *bounded_value(struct bounded b)
{
    json_t *out = json_object();
    json_object_set_new(out, "value", json_number_or_null(b.value));
    json_object_set_new(out, "low", json_number_or_null(b.low));
    json_object_set_new(out, "high", json_number_or_null(b.high));
    return out;
}

static json_t *sweep_fit(const struct sweep *s, const struct sweep_fit *fit)
{
    json_t *out = json_object();
    json_object_set_new(out, "fixed_ns", bounded_value(fit->fixed_ns));
    json_object_set_new(out, "bytes_per_s", bounded_value(fit->bytes_per_s));
    json_object_set_new(out, "worst_residual", json_number_or_null(fit->worst_residual));
    json_object_set_new(out, "worst_size", json_text(s->points[fit->worst_point].size));
    return out;
}

static json_t *sweep_point(const struct sweep_point *p)
{
    json_t *out = json_object();
    const double base = rate(p->base_bytes, p->base_ns), cand = rate(p->cand_bytes, p->cand_ns);
    json_object_set_new(out, "size", json_text(p->size));
    json_object_set_new(out, "bytes", json_number_or_null(p->base_bytes));
    json_object_set_new(out, "baseline_ns", json_number_or_null(p->base_ns));
    json_object_set_new(out, "baseline_bytes_per_s", json_number_or_null(base));
    json_object_set_new(out, "baseline_bus_bytes_per_s", json_number_or_null(base * p->base_bus_factor));
    json_object_set_new(out, "candidate_ns", json_number_or_null(p->cand_ns));
    json_object_set_new(out, "candidate_bytes_per_s", json_number_or_null(cand));
    json_object_set_new(out, "candidate_bus_bytes_per_s", json_number_or_null(cand * p->cand_bus_factor));
    json_object_set_new(out, "ratio", json_number_or_null(p->row ? p->row->ratio : NAN));
    return out;
}

static json_t *sweep_value(const struct sweep *s)
{
    json_t *out = json_object(), *points = json_array();
    for (size_t i = 0; i < s->count; i++)
        json_array_append_new(points, sweep_point(&s->points[i]));
    json_object_set_new(out, "baseline", json_text(s->baseline));
    json_object_set_new(out, "candidate", *s->candidate ? json_text(s->candidate) : json_null());
    json_object_set_new(out, "cache", json_text(s->cache));
    json_object_set_new(out, "parameters", json_text(s->parameters));
    json_object_set_new(out, "points", points);
    json_object_set_new(out, "average_ratio", s->averaged ? bounded_value(s->average) : json_null());
    json_object_set_new(out, "averaged", json_integer((json_int_t)s->averaged));
    json_object_set_new(out, "baseline_fit", s->has_fit ? sweep_fit(s, &s->base) : json_null());
    json_object_set_new(out, "candidate_fit", s->has_fit && *s->candidate ? sweep_fit(s, &s->cand) : json_null());
    json_object_set_new(out, "fixed_change_ns",
                        isfinite(s->fixed_change_ns.value) ? bounded_value(s->fixed_change_ns) : json_null());
    json_object_set_new(out, "bandwidth_factor",
                        isfinite(s->bandwidth_factor.value) ? bounded_value(s->bandwidth_factor) : json_null());
    return out;
}

static json_t *sweeps_value(const struct analysis *a)
{
    json_t *sweeps = json_array();
    for (size_t i = 0; i < a->sweeps.count; i++)
        json_array_append_new(sweeps, sweep_value(&a->sweeps.items[i]));
    return sweeps;
}

static json_t *caveat_texts(const struct caveat_list *caveats)
{
    json_t *texts = json_array();
    for (size_t i = 0; i < caveats->count; i++)
        json_array_append_new(texts, json_text(caveats->items[i].text));
    return texts;
}

static int add_witnesses(json_t *list, const struct analysis *a)
{
    return add_rows(list, &witness_columns, a->witnesses.items, a->witnesses.count, NULL);
}

struct member {
    const char *name;
    json_t *value;
};

/* The object with these members; NULL when one of them could not be made. */
static json_t *with_members(json_t *object, const struct member *members, size_t count, int failed)
{
    for (size_t i = 0; i < count; i++)
        failed |= json_object_set_new(object, members[i].name, members[i].value);
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

json_t *json_compare(const struct analysis *a)
{
    json_t *gates = json_array(), *witnesses = json_array(), *out = json_object();
    int failed = add_gates(gates, a) | add_witnesses(witnesses, a);
    const struct member members[] = {
        {"schema", json_string("cpprof.compare/1")},
        {"rows", ROWS(comparison_columns, a->comparisons)},
        {"gates", gates},
        {"witnesses", witnesses},
        {"caveats", caveat_texts(&a->bundle->caveats)},
        {"stops", json_pack("[o]", json_stop(a->bundle->manifest))},
        {"looks", json_integer(a->looks)},
        {"sweeps", sweeps_value(a)},
        {"findings", ROWS(finding_columns, a->findings)},
        {"transitions", ROWS(transition_columns, a->transitions)},
        {"signals", ROWS(signal_columns, a->signals)},
    };
    return with_members(out, members, sizeof members / sizeof members[0], failed);
}

/* Of two bundles the gates, caveats and stops are those of both, the baseline's first. */
json_t *json_compare_report(const struct compare_report *r)
{
    json_t *out = json_compare(r->verdicts);
    if (r->side_count == 1 || !out)
        return out;
    json_t *gates = json_array(), *witnesses = json_array(), *caveats = json_array(), *stops = json_array();
    int failed = 0;
    for (size_t i = 0; i < r->side_count; i++) {
        const struct analysis *a = r->sides[i].analysis;
        json_t *texts = caveat_texts(&a->bundle->caveats);
        failed |= add_gates(gates, a) | add_witnesses(witnesses, a);
        failed |= json_array_extend(caveats, texts);
        failed |= json_array_append_new(stops, json_stop(a->bundle->manifest));
        json_decref(texts);
    }
    const struct member members[] = {
        {"gates", gates},
        {"witnesses", witnesses},
        {"caveats", caveats},
        {"stops", stops},
        {"baseline_bundle", json_text(r->sides[0].path)},
        {"candidate_bundle", json_text(r->sides[1].path)},
    };
    return with_members(out, members, sizeof members / sizeof members[0], failed);
}
