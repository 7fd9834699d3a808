/* What does `stats` say to a program? */
#include <math.h>

#include "analyzers/columns.h"
#include "reports/rows/row_formats.h"
#include "reports/stats_report.h"

static const char *const section_names[STATISTICS_SECTIONS] = {"kernels", "memory", "memsets", "migrations", "api"};

static json_t *numbers_of(const struct statistics_row *row)
{
    return row_json(&statistics_columns, 0, row, NULL);
}

/* What a row is of: names, and by stream or device the place. */
static json_t *identity_of(const struct stats_report *r, const struct statistics_row *row)
{
    const enum statistics_by by = r->statistics[0].by;
    const bool is_api = row->section == STATISTICS_API;
    json_t *object = json_pack("{so}", "name", json_text(short_names_full(r->names, row->name)));
    if (by == STATISTICS_BY_NAME && row->section == STATISTICS_KERNELS && r->style != NAMES_MANGLED)
        json_object_set_new(object, "short_name", json_text(short_names_text(r->names, row->name)));
    if (by == STATISTICS_BY_STEP)
        json_object_set_new(object, "rank", json_integer_or_null(row->rank));
    if (by == STATISTICS_BY_STREAM || by == STATISTICS_BY_DEVICE) {
        json_object_set_new(object, "rank", json_integer_or_null(row->rank));
        if (!is_api)
            json_object_set_new(object, "device", json_integer_or_null(row->device));
    }
    if (by == STATISTICS_BY_STREAM && !is_api)
        json_object_set_new(object, "context", json_integer(row->context));
    if (by == STATISTICS_BY_STREAM)
        json_object_set_new(object, is_api ? "thread" : "stream", json_integer(row->stream));
    return object;
}

static json_t *row_of(const struct stats_report *r, const struct statistics_row *row)
{
    return row_json_joined(identity_of(r, row), row_json(&statistics_columns, ROW_JSON_MORE, row, NULL));
}

static json_t *rows_of(const struct stats_report *r, enum statistics_section section)
{
    const struct trace_statistics *s = &r->statistics[0];
    json_t *list = json_array();
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].section == section && (!r->top || json_array_size(list) < r->top))
            json_array_append_new(list, row_of(r, &s->items[i]));
    return list;
}

static double total_of(const struct statistics_row *row)
{
    return row ? (double)row->durations.total_ns : 0;
}

static json_int_t count_of(const struct statistics_row *row)
{
    return row ? (json_int_t)(row->durations.count + row->unfinished) : 0;
}

static double quotient(double b, double a)
{
    return a > 0 ? b / a : NAN;
}

/* Ratios and differences are of B to A; null where one of them has no such row. */
static json_t *pair_of(const struct stats_report *r, const struct statistics_pair *p)
{
    const bool both = p->a && p->b;
    json_t *object = identity_of(r, p->a ? p->a : p->b);
    json_object_set_new(object, "a", p->a ? numbers_of(p->a) : json_null());
    json_object_set_new(object, "b", p->b ? numbers_of(p->b) : json_null());
    json_object_set_new(object, "only_in", both ? json_null() : json_string(p->a ? "a" : "b"));
    json_object_set_new(object, "count_difference", json_integer(count_of(p->b) - count_of(p->a)));
    json_object_set_new(object, "total_difference_ns", json_ns(total_of(p->b) - total_of(p->a)));
    json_object_set_new(object, "total_factor",
                        json_number_or_null(both ? quotient(total_of(p->b), total_of(p->a)) : NAN));
    json_object_set_new(object, "mean_factor",
                        json_number_or_null(both ? quotient(p->b->durations.mean_ns, p->a->durations.mean_ns) : NAN));
    json_object_set_new(object, "p50_factor",
                        json_number_or_null(both ? quotient(p->b->durations.p50_ns, p->a->durations.p50_ns) : NAN));
    return object;
}

static json_t *pairs_of(const struct stats_report *r, enum statistics_section section)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->pairs->count; i++) {
        const struct statistics_pair *p = &r->pairs->items[i];
        if ((p->a ? p->a : p->b)->section == section && (!r->top || json_array_size(list) < r->top))
            json_array_append_new(list, pair_of(r, p));
    }
    return list;
}

static json_t *totals_of(const struct stats_report *r, size_t side)
{
    const struct trace_statistics *s = &r->statistics[side];
    return json_pack(
        "{so sI sI sI sI sI so}", "source", json_text(r->sides[side].source), "gpu_ns", (json_int_t)s->gpu_ns,
        "gpu_count", (json_int_t)s->gpu_count, "kernel_count", (json_int_t)s->section_count[STATISTICS_KERNELS],
        "api_ns", (json_int_t)s->section_ns[STATISTICS_API], "api_count", (json_int_t)s->section_count[STATISTICS_API],
        "caveats", json_trace_caveats(r->sides[side].caveats));
}

json_t *json_stats(const struct stats_report *r)
{
    static const char *const by_names[] = {"name", "stream", "device", "op", "module", "frame", "range", "step"};
    json_t *object = json_pack("{ss ss}", "schema", "cpprof.stats/1", "by", by_names[r->statistics[0].by]);
    json_t *traces = json_array();
    for (size_t i = 0; i < r->side_count; i++)
        json_array_append_new(traces, totals_of(r, i));
    json_object_set_new(object, "traces", traces);
    for (int section = 0; section < STATISTICS_SECTIONS; section++)
        json_object_set_new(object, section_names[section],
                            r->side_count == 1 ? rows_of(r, (enum statistics_section)section)
                                               : pairs_of(r, (enum statistics_section)section));
    return object;
}
