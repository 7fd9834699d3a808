/* What does `launch` say to a program? */
#include "analyzers/columns.h"
#include "reports/launch_report.h"
#include "reports/rows/row_formats.h"

static json_t *identity_of(const struct launch_report *r, const struct launch_row *row)
{
    const bool has_short_name = !row->is_call && r->style != NAMES_MANGLED;
    return row_json(&launch_name_columns, has_short_name ? ROW_JSON_MORE : 0, row, r->names);
}

static size_t rows_written(const struct launch_report *r, size_t count)
{
    return r->top && r->top < count ? r->top : count;
}

static json_t *rows_of(const struct launch_report *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < rows_written(r, r->launches[0].count); i++) {
        const struct launch_row *row = &r->launches[0].items[i];
        json_array_append_new(list,
                              row_json_joined(identity_of(r, row), row_json(&launch_number_columns, 0, row, NULL)));
    }
    return list;
}

static json_t *pairs_of(const struct launch_report *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < rows_written(r, r->pairs->count); i++) {
        const struct launch_pair *p = &r->pairs->items[i];
        json_array_append_new(
            list, row_json_joined(identity_of(r, p->a ? p->a : p->b), row_json(&launch_pair_columns, 0, p, NULL)));
    }
    return list;
}

static json_t *waits_of(const struct launch_report *r, const struct kernel_launch_costs *t)
{
    json_t *list = json_array();
    for (size_t i = 0; i < t->waits.count; i++) {
        const struct wait_row *row = &t->waits.items[i];
        json_array_append_new(list, row_json_joined(row_json(&wait_name_columns, 0, row, r->names),
                                                    row_json(&duration_columns, 0, &row->waits, NULL)));
    }
    return list;
}

static json_t *trace_of(const struct launch_report *r, size_t side)
{
    const struct kernel_launch_costs *t = &r->launches[side];
    const struct idle_gaps *gaps = &r->gaps[side];
    return json_pack("{so sI sI so so so so so}", "source", json_text(r->sides[side].source), "kernels",
                     (json_int_t)t->kernels, "kernels_without_call", (json_int_t)t->kernels_unmatched, "total",
                     row_json(&launch_number_columns, 0, &t->total, NULL), "devices",
                     row_json_array(&launch_device_columns, 0, gaps->items, gaps->count, NULL), "sync",
                     t->has_waits ? row_json(&duration_columns, 0, &t->all_waits, NULL) : json_null(), "sync_calls",
                     t->has_waits ? waits_of(r, t) : json_null(), "caveats",
                     json_trace_caveats(r->sides[side].caveats));
}

json_t *json_launch(const struct launch_report *r)
{
    json_t *traces = json_array();
    for (size_t i = 0; i < r->side_count; i++)
        json_array_append_new(traces, trace_of(r, i));
    return json_pack("{ss so so}", "schema", "cpprof.launch/1", "traces", traces, "launches",
                     r->side_count == 1 ? rows_of(r) : pairs_of(r));
}
