/* The overlap of a trace for programs: cpprof.overlap/1, see docs/overlap.md. */
#include <math.h>

#include "reports/rule_rows.h"

static json_t *integer_or_null(int value)
{
    return value < 0 ? json_null() : json_integer(value);
}

static json_t *ratio_or_null(double part, double whole)
{
    return json_number_or_null(whole > 0 ? part / whole : NAN);
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

/* Time with 0, 1, 2, 3, and 4 or more operations at once. */
static json_t *levels_of(const struct timeline_device *device)
{
    json_t *list = json_array();
    for (size_t i = 0; i < TIMELINE_LEVELS; i++)
        json_array_append_new(list, json_integer(device->level_ns[i]));
    return list;
}

/* Kernels that begin before the one before them on their stream has ended. */
static json_t *same_stream_of(const struct overlap_report *r, const struct timeline_device *device)
{
    for (size_t i = 0; i < r->class_count; i++)
        if (r->classes[i] == CLASS_KERNEL)
            return json_pack("{sI sI}", "count", (json_int_t)device->sets[i].serial_violations, "sum_ns",
                             (json_int_t)device->sets[i].violation_ns);
    return json_null();
}

/* Where windows count from on a rank. */
static json_t *start_of(const struct overlap_report *r, int rank)
{
    int64_t from_ns;
    return rank_starts_get(r->starts, rank, &from_ns) ? json_integer((json_int_t)from_ns) : json_null();
}

static json_t *devices_of(const struct overlap_report *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->timeline->device_count; i++) {
        const struct timeline_device *device = &r->timeline->devices[i];
        if (!device->events)
            continue;
        const int64_t span_ns = device->last_end_ns - device->first_start_ns;
        json_array_append_new(list,
                              json_pack("{so so so sI sI sI so so so so so so}", "rank", integer_or_null(device->rank),
                                        "device", integer_or_null(device->device), "from_ns", start_of(r, device->rank),
                                        "events", (json_int_t)device->events, "span_ns", (json_int_t)span_ns, "busy_ns",
                                        (json_int_t)device->busy_ns, "idle_ratio",
                                        ratio_or_null((double)(span_ns - device->busy_ns), (double)span_ns),
                                        "at_once_ns", levels_of(device), "same_stream", same_stream_of(r, device),
                                        "classes", classes_of(r, device), "pairs", pairs_of(r, device), "pageable",
                                        json_pack("{sI sI}", "count", (json_int_t)device->pageable, "sum_ns",
                                                  (json_int_t)device->pageable_ns)));
    }
    return list;
}

json_t *json_overlap(const struct overlap_report *r)
{
    const struct check_report rules = check_report_of(r);
    json_t *out = json_pack("{ss so so sI so so}", "schema", "cpprof.overlap/1", "source", json_text(r->source),
                            "devices", devices_of(r), "unfinished", (json_int_t)r->timeline->unfinished, "assertions",
                            json_assertions(&rules), "caveats", json_caveats(&rules));
    int64_t from_ns;
    if (out && rank_starts_get_only(r->starts, &from_ns))
        json_object_set_new(out, "from_ns", json_integer((json_int_t)from_ns));
    return out;
}
