/* What does `launch` say to a program? */
#include "reports/launch_report.h"

#include <math.h>

static json_t *durations_of(const struct duration_summary *d)
{
    const bool any = d->count > 0;
    return json_pack("{sI sI so so so so so}", "count", (json_int_t)d->count, "total_ns", (json_int_t)d->total_ns,
                     "mean_ns", json_ns(d->mean_ns), "p50_ns", json_ns(d->p50_ns), "p99_ns", json_ns(d->p99_ns),
                     "min_ns", any ? json_integer(d->min_ns) : json_null(), "max_ns",
                     any ? json_integer(d->max_ns) : json_null());
}

static json_t *numbers_of(const struct launch_row *row)
{
    return json_pack("{sI sI sI so so so sI so}", "launches", (json_int_t)row->launches, "first_ns",
                     (json_int_t)row->first_ns, "api_ns", (json_int_t)row->api_ns, "api", durations_of(&row->api),
                     "queue", durations_of(&row->queue), "kernel", durations_of(&row->kernel), "longer",
                     (json_int_t)row->longer, "longer_ratio",
                     json_number_or_null(words_ratio((double)row->longer, (double)row->kernels)));
}

static json_t *identity_of(const struct launch_report *r, const struct launch_row *row)
{
    static const char *const kinds[] = {"kernel", "call", "call_without_kernel"};
    json_t *object = json_pack("{so ss}", "name", json_text(short_names_full(r->names, row->name)), "kind",
                               kinds[row->is_call + row->no_kernel]);
    if (!row->is_call && r->style != NAMES_MANGLED)
        json_object_set_new(object, "short_name", json_text(short_names_text(r->names, row->name)));
    return object;
}

static json_t *rows_of(const struct launch_report *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->launches[0].count && (!r->top || i < r->top); i++) {
        json_t *object = identity_of(r, &r->launches[0].items[i]), *numbers = numbers_of(&r->launches[0].items[i]);
        json_object_update(object, numbers);
        json_decref(numbers);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *pairs_of(const struct launch_report *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->pairs->count && (!r->top || i < r->top); i++) {
        const struct launch_pair *p = &r->pairs->items[i];
        json_t *object = identity_of(r, p->a ? p->a : p->b);
        const bool both = p->a && p->b;
        json_object_set_new(object, "a", p->a ? numbers_of(p->a) : json_null());
        json_object_set_new(object, "b", p->b ? numbers_of(p->b) : json_null());
        json_object_set_new(object, "only_in", both ? json_null() : json_string(p->a ? "a" : "b"));
        json_object_set_new(object, "p50_factor",
                            json_number_or_null(both ? words_ratio(p->b->api.p50_ns, p->a->api.p50_ns) : NAN));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *waits_of(const struct launch_report *r, const struct kernel_launch_costs *t)
{
    json_t *list = json_array();
    for (size_t i = 0; i < t->waits.count; i++) {
        json_t *row = json_pack("{so}", "name", json_text(short_names_full(r->names, t->waits.items[i].name)));
        json_t *durations = durations_of(&t->waits.items[i].waits);
        json_object_update(row, durations);
        json_decref(durations);
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *devices_of(const struct idle_gaps *g)
{
    json_t *list = json_array();
    for (size_t i = 0; i < g->count; i++) {
        const struct gaps_device *d = &g->items[i];
        const double idle_ns = (double)gaps_idle_ns(d);
        json_array_append_new(
            list, json_pack("{so so sI sI sI so so}", "rank", json_integer_or_null(d->rank), "device",
                            json_integer_or_null(d->device), "span_ns", (json_int_t)gaps_span_ns(d), "idle_ns",
                            (json_int_t)gaps_idle_ns(d), "starved_ns", (json_int_t)d->starved_ns, "starved_ratio",
                            json_number_or_null(words_ratio((double)d->starved_ns, idle_ns)), "known_call_ratio",
                            json_number_or_null(words_ratio((double)d->answered_ns, idle_ns))));
    }
    return list;
}

static json_t *trace_of(const struct launch_report *r, size_t side)
{
    const struct kernel_launch_costs *t = &r->launches[side];
    return json_pack(
        "{so sI sI so so so so so}", "source", json_text(r->sides[side].source), "kernels", (json_int_t)t->kernels,
        "kernels_without_call", (json_int_t)t->kernels_unmatched, "total", numbers_of(&t->total), "devices",
        devices_of(&r->gaps[side]), "sync", t->has_waits ? durations_of(&t->all_waits) : json_null(), "sync_calls",
        t->has_waits ? waits_of(r, t) : json_null(), "caveats", json_trace_caveats(r->sides[side].caveats));
}

json_t *json_launch(const struct launch_report *r)
{
    json_t *traces = json_array();
    for (size_t i = 0; i < r->side_count; i++)
        json_array_append_new(traces, trace_of(r, i));
    return json_pack("{ss so so}", "schema", "cpprof.launch/1", "traces", traces, "launches",
                     r->side_count == 1 ? rows_of(r) : pairs_of(r));
}
