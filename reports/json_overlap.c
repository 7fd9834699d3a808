/* The overlap of a trace for programs: cpprof.overlap/1, see docs/overlap.md. */
#include <math.h>

#include "base/demangle.h"
#include "reports/reports.h"

static json_t *integer_or_null(int value)
{
    return value < 0 ? json_null() : json_integer(value);
}

static json_t *ratio_or_null(double part, double whole)
{
    return json_number_or_null(whole > 0 ? part / whole : NAN);
}

static json_t *name_or_null(const struct strtab *strings, uint32_t id)
{
    if (!id)
        return json_null();
    struct str name;
    str_init(&name);
    demangle_full(&name, strtab_text(strings, id));
    json_t *out = json_text(str_text(&name));
    str_release(&name);
    return out;
}

static json_t *classes_of(const struct overlap_report *r, const struct timeline_device *device)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->class_count; i++) {
        const struct timeline_set *set = &device->sets[i];
        if (set->count)
            json_array_append_new(list,
                                  json_pack("{ss sI sI sI sI sI sI}", "class", event_class_name(r->classes[i]), "count",
                                            (json_int_t)set->count, "busy_ns", (json_int_t)set->busy_ns, "sum_ns",
                                            (json_int_t)set->sum_ns, "concurrency_max",
                                            (json_int_t)set->concurrency_max, "together_ns",
                                            (json_int_t)set->together_ns, "size_bytes", (json_int_t)set->size_bytes));
    }
    return list;
}

static json_t *pairs_of(const struct overlap_report *r, const struct timeline_device *device)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->query->pair_count; i++) {
        const size_t a = r->query->pairs[i].a, b = r->query->pairs[i].b;
        if (a >= r->class_count || b >= r->class_count || !device->sets[a].count || !device->sets[b].count)
            continue;
        const int64_t a_busy_ns = device->sets[a].busy_ns, b_busy_ns = device->sets[b].busy_ns;
        const int64_t overlap_ns = device->pairs[i].overlap_ns;
        json_array_append_new(list, json_pack("{ss ss sI sI sI so so}", "a", event_class_name(r->classes[a]), "b",
                                              event_class_name(r->classes[b]), "a_busy_ns", (json_int_t)a_busy_ns,
                                              "b_busy_ns", (json_int_t)b_busy_ns, "overlap_ns", (json_int_t)overlap_ns,
                                              "a_hidden_ratio", ratio_or_null((double)overlap_ns, (double)a_busy_ns),
                                              "b_hidden_ratio", ratio_or_null((double)overlap_ns, (double)b_busy_ns)));
    }
    return list;
}

static json_t *devices_of(const struct overlap_report *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->timeline->device_count; i++) {
        const struct timeline_device *device = &r->timeline->devices[i];
        if (!device->events)
            continue;
        const int64_t span_ns = device->last_end_ns - device->first_start_ns;
        json_array_append_new(list, json_pack("{so so sI sI sI so so so}", "rank", integer_or_null(device->rank),
                                              "device", integer_or_null(device->device), "events",
                                              (json_int_t)device->events, "span_ns", (json_int_t)span_ns, "busy_ns",
                                              (json_int_t)device->busy_ns, "idle_ratio",
                                              ratio_or_null((double)(span_ns - device->busy_ns), (double)span_ns),
                                              "classes", classes_of(r, device), "pairs", pairs_of(r, device)));
    }
    return list;
}

static json_t *counterexamples_of(const struct overlap_report *r, const struct rule_result *row)
{
    json_t *list = json_array();
    for (size_t i = 0; i < row->counterexample_count; i++) {
        const struct timeline_example *x = &row->counterexamples[i];
        json_t *entry = json_pack("{sI sI sI so}", "start_ns", (json_int_t)x->start_ns, "length_ns",
                                  (json_int_t)timeline_example_ns(x), "stream", (json_int_t)x->stream, "name",
                                  name_or_null(r->strings, x->name));
        if (x->other_name) {
            json_object_set_new(entry, "other_stream", json_integer(x->other_stream));
            json_object_set_new(entry, "other_name", name_or_null(r->strings, x->other_name));
        }
        json_array_append_new(list, entry);
    }
    return list;
}

/* A count or a time is an integer, unless a factor made it a fraction. */
static json_t *number(int unit, double value)
{
    const bool is_whole = unit != UNIT_RATIO && isfinite(value) && fabs(value) < 9e15 && value == floor(value);
    return is_whole ? json_integer((json_int_t)value) : json_number_or_null(value);
}

static json_t *assertions_of(const struct overlap_report *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->assertions->count; i++) {
        const struct rule_result *row = &r->assertions->items[i];
        json_array_append_new(
            list, json_pack("{so so so ss so so so ss so}", "rule", json_text(row->rule), "rank",
                            integer_or_null(row->rank), "device", integer_or_null(row->device), "status",
                            rule_status_name(row->status), "reason", json_text(row->reason), "value",
                            number(row->unit, row->value), "threshold", number(row->unit, row->threshold), "unit",
                            unit_name((enum unit)row->unit), "counterexamples", counterexamples_of(r, row)));
    }
    return list;
}

static json_t *caveats_of(const struct overlap_report *r)
{
    static const char *const kinds[] = {
        [CAVEAT_NOTE] = "note", [CAVEAT_WEAKENS] = "weakens", [CAVEAT_TRUNCATED] = "truncated"};
    json_t *list = json_array();
    for (size_t i = 0; i < r->caveats->count; i++)
        json_array_append_new(list, json_pack("{ss so}", "kind", kinds[r->caveats->items[i].kind], "text",
                                              json_text(r->caveats->items[i].text)));
    return list;
}

json_t *json_overlap(const struct overlap_report *r)
{
    return json_pack("{ss so so sI so so}", "schema", "cpprof.overlap/1", "source", json_text(r->source), "devices",
                     devices_of(r), "unfinished", (json_int_t)r->timeline->unfinished, "assertions", assertions_of(r),
                     "caveats", caveats_of(r));
}
