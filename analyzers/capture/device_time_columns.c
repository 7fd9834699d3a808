/* Which columns has the time of a device? */
#include "analyzers/capture/device_time.h"
#include "analyzers/columns.h"

static struct row_value share_of_span(const void *row, const void *context, struct str *scratch)
{
    const struct time_part *p = row;
    (void)context, (void)scratch;
    return row_ratio((double)p->ns, (double)p->span_ns);
}

static void show_name(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    (void)value, (void)context;
    str_add(out, ((const struct time_part *)row)->name);
}

#define OF_PART(field) ROW_AT(struct time_part, field)

static const struct row_column parts[] = {
    {"part", OF_PART(key), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_SHOWN("where the time went", show_name),
     "`compute` (kernels), `communication` (only kernels and copies that communicate), `copy_pageable`, `copy` (only copies: "
     "from or to pageable memory, others), `memset` (only memsets), `migration` (only migrations), and nothing runs: `host_late`, `synchronisation`, `dependency`, "
     "`unknown`"},
    {"ns", OF_PART(ns), UNIT_NS, ROW_JSON | ROW_TABLE, ROW_TITLE("time"), "time in it"},
    {"span_ratio", ROW_MADE(ROW_NUMBER, share_of_span), UNIT_RATIO, ROW_JSON | ROW_TABLE, ROW_TITLE("of the span"),
     "of the span"},
};
const struct row_columns time_part_columns = ROW_COLUMNS("time part", struct time_part, parts);

static size_t parts_of(const void *row, const void *context, const void **items)
{
    struct time_part *list = arena_alloc(((const struct time_context *)context)->arena, TIME_PARTS * sizeof *list);
    if (list)
        time_parts_of(row, list);
    *items = list;
    return TIME_PARTS;
}

static const struct row_column devices[] = {
    {"rank", ROW_AT_OR_NULL(struct device_time, rank), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "`null` when unknown"},
    {"device", ROW_AT_OR_NULL(struct device_time, device), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the same"},
    {"span_ns", ROW_AT(struct device_time, span_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE,
     "from the first start of its work to the last end, without time between stretches that `--when` recorded"},
    {"parts", ROW_LIST_OF(parts_of, &time_part_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "each part, also when it is 0; they add up to the span"},
};
const struct row_columns device_time_columns = ROW_COLUMNS("device time", struct device_time, devices);
