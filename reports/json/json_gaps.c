/* What does `gaps` say to a program? */
#include "reports/gaps_report.h"
#include "trace/duration_groups.h"

static json_t *share_of(int64_t part_ns, int64_t whole_ns)
{
    return json_number_or_null(words_ratio((double)part_ns, (double)whole_ns));
}

static json_t *causes_of(const struct gaps_device *d)
{
    json_t *list = json_array();
    for (int cause = 0; cause < GAP_CAUSES; cause++)
        json_array_append_new(list,
                              json_pack("{ss sI sI so so}", "cause", gap_cause_key((enum gap_cause)cause), "ns",
                                        (json_int_t)d->cause_ns[cause], "count", (json_int_t)d->cause_count[cause],
                                        "no_kernel_ratio", share_of(d->cause_ns[cause], gaps_no_kernel_ns(d)),
                                        "span_ratio", share_of(d->cause_ns[cause], gaps_span_ns(d))));
    return list;
}

static json_t *neighbour_of(struct arena *arena, const struct strtab *strings, const struct gap_neighbour *n)
{
    if (!n->is_there)
        return json_null();
    return json_pack("{so sI}", "name", json_text(gap_neighbour_name(arena, strings, n, NAMES_FULL)), "stream",
                     (json_int_t)n->stream);
}

static json_t *call_of(struct arena *arena, const struct strtab *strings, uint32_t name, int64_t start_ns,
                       int64_t end_ns)
{
    return json_pack("{so sI sI}", "name", json_text(gap_call_name(arena, strings, name)), "start_ns",
                     (json_int_t)start_ns, "length_ns", (json_int_t)duration_ns(start_ns, end_ns));
}

static json_t *gap_of(struct arena *arena, const struct strtab *strings, const struct idle_gap *g)
{
    json_t *object =
        json_pack("{sI sI ss so so so}", "start_ns", (json_int_t)g->start_ns, "length_ns",
                  (json_int_t)duration_ns(g->start_ns, g->end_ns), "cause", gap_cause_key(g->cause), "before",
                  neighbour_of(arena, strings, &g->before), "after", neighbour_of(arena, strings, &g->after), "call",
                  g->has_call ? call_of(arena, strings, g->call_name, g->call_start_ns, g->call_end_ns) : json_null());
    if (g->cause == GAP_SYNC)
        json_object_set_new(object, "wait", call_of(arena, strings, g->wait_name, g->wait_start_ns, g->wait_end_ns));
    if (g->cause == GAP_COPY)
        json_object_set_new(object, "copy", neighbour_of(arena, strings, &g->copy));
    if (g->has_other) {
        json_t *other = neighbour_of(arena, strings, &g->other);
        json_object_set_new(other, "rank", json_integer_or_null(g->other_rank));
        json_object_set_new(other, "device", json_integer_or_null(g->other_device));
        json_object_set_new(object, "other_device", other);
    }
    json_object_set_new(object, "evidence", json_text(gap_evidence(arena, strings, g)));
    return object;
}

static json_t *device_of(struct arena *arena, const struct strtab *strings, const struct gaps_device *d)
{
    json_t *largest = json_array();
    for (size_t i = 0; i < d->largest_count; i++)
        json_array_append_new(largest, gap_of(arena, strings, &d->largest[i]));
    return json_pack("{so so sI sI sI sI sI so so}", "rank", json_integer_or_null(d->rank), "device",
                     json_integer_or_null(d->device), "operations", (json_int_t)d->operations, "span_ns",
                     (json_int_t)gaps_span_ns(d), "kernel_ns", (json_int_t)d->kernel_ns, "no_kernel_ns",
                     (json_int_t)gaps_no_kernel_ns(d), "idle_ns", (json_int_t)gaps_idle_ns(d), "causes", causes_of(d),
                     "largest", largest);
}

static json_t *trace_of(struct arena *arena, const struct gaps_report *r, size_t side)
{
    json_t *devices = json_array();
    for (size_t i = 0; i < r->gaps[side].count; i++)
        json_array_append_new(devices, device_of(arena, r->strings[side], &r->gaps[side].items[i]));
    return json_pack("{so sI so so}", "source", json_text(r->sides[side].source), "api_calls",
                     (json_int_t)r->gaps[side].calls, "devices", devices, "caveats",
                     json_trace_caveats(r->sides[side].caveats));
}

json_t *json_gaps(const struct gaps_report *r)
{
    struct arena arena;
    arena_init(&arena);
    json_t *traces = json_array();
    for (size_t i = 0; i < r->side_count; i++)
        json_array_append_new(traces, trace_of(&arena, r, i));
    arena_release(&arena);
    return json_pack("{ss so}", "schema", "cpprof.gaps/1", "traces", traces);
}
