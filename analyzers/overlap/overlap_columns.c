/* What stands in the tables of devices whose work overlaps? */
#include "analyzers/columns.h"
#include "analyzers/inner_rows.h"
#include "analyzers/overlap/overlap_rows.h"

#define BOTH          (ROW_JSON | ROW_TABLE)
#define MADE(maker)   ROW_MADE(ROW_NUMBER, maker)
#define MADE_I(maker) ROW_MADE(ROW_INTEGER, maker)

/* ---- classes ---- */

#define OF_CLASS(field) ROW_AT(struct overlap_class, field)

static const struct row_column classes[] = {
    {"class", OF_CLASS(name), UNIT_TEXT, BOTH, ROW_TITLE("class"), "which events"},
    {"count", OF_CLASS(count), UNIT_COUNT, BOTH, ROW_TITLE("count"), "how many, unfinished ones included"},
    {"busy_ns", OF_CLASS(busy_ns), UNIT_NS, BOTH, ROW_TITLE("busy"), "length of their union"},
    {"sum_ns", OF_CLASS(sum_ns), UNIT_NS, BOTH, ROW_TITLE("sum"), "sum of their durations"},
    {"concurrency_max", OF_CLASS(concurrency_max), UNIT_COUNT, BOTH, ROW_TITLE("at once"),
     "most of them at one moment"},
    {"together_ns", OF_CLASS(together_ns), UNIT_NS, BOTH, ROW_TITLE("two or more"), "time with two or more of them"},
    {"size_bytes", OF_CLASS(size_bytes), UNIT_BYTES, BOTH, ROW_TITLE("bytes"), "bytes copied or set"},
};
const struct row_columns overlap_class_columns = ROW_COLUMNS("overlap class", struct overlap_class, classes);

/* ---- pairs ---- */

static struct row_value make_a_alone(const void *row, const void *context, struct str *scratch)
{
    const struct overlap_pair *p = row;
    (void)context, (void)scratch;
    return row_integer(p->a_busy_ns - p->overlap_ns);
}

static struct row_value make_a_hidden(const void *row, const void *context, struct str *scratch)
{
    const struct overlap_pair *p = row;
    (void)context, (void)scratch;
    return row_ratio((double)p->overlap_ns, (double)p->a_busy_ns);
}

static struct row_value make_b_hidden(const void *row, const void *context, struct str *scratch)
{
    const struct overlap_pair *p = row;
    (void)context, (void)scratch;
    return row_ratio((double)p->overlap_ns, (double)p->b_busy_ns);
}

#define OF_PAIR(field) ROW_AT(struct overlap_pair, field)

static const struct row_column pairs[] = {
    {"a", OF_PAIR(a), UNIT_TEXT, BOTH, ROW_TITLE("a"), "one class"},
    {"b", OF_PAIR(b), UNIT_TEXT, BOTH, ROW_TITLE("b"), "the other one"},
    {"a_busy_ns", OF_PAIR(a_busy_ns), UNIT_NS, BOTH, ROW_TITLE("a busy"), "length of the union of a"},
    {"b_busy_ns", OF_PAIR(b_busy_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "of b"},
    {"overlap_ns", OF_PAIR(overlap_ns), UNIT_NS, BOTH, ROW_TITLE("together"), "time with both"},
    {"a_alone_ns", MADE_I(make_a_alone), UNIT_NS, ROW_TABLE, ROW_TITLE("a alone"), ""},
    {"a_hidden_ratio", MADE(make_a_hidden), UNIT_RATIO, BOTH, ROW_TITLE("a hidden"),
     "part of the time of a in which b runs, too"},
    {"b_hidden_ratio", MADE(make_b_hidden), UNIT_RATIO, BOTH, ROW_TITLE("b hidden"), "part of the time of b"},
};
const struct row_columns overlap_pair_columns = ROW_COLUMNS("overlap pair", struct overlap_pair, pairs);

/* ---- operations at once ---- */

static void show_operations(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    (void)context;
    str_addf(out, "%d%s", (int)value->integer, ((const struct overlap_level *)row)->or_more ? " or more" : "");
}

static struct row_value make_level_ratio(const void *row, const void *context, struct str *scratch)
{
    const struct overlap_level *l = row;
    (void)context, (void)scratch;
    return row_ratio((double)l->time_ns, (double)l->span_ns);
}

static const struct row_column levels[] = {
    {"operations", ROW_AT(struct overlap_level, operations), UNIT_COUNT, ROW_TABLE,
     ROW_SHOWN("at once", show_operations), ""},
    {"time_ns", ROW_AT(struct overlap_level, time_ns), UNIT_NS, ROW_TABLE, ROW_TITLE("time"), ""},
    {"span_ratio", MADE(make_level_ratio), UNIT_RATIO, ROW_TABLE, ROW_TITLE("share of span"), ""},
};
const struct row_columns overlap_level_columns = ROW_COLUMNS("overlap level", struct overlap_level, levels);

/* ---- several devices ---- */

static struct row_value make_line_idle(const void *row, const void *context, struct str *scratch)
{
    const struct overlap_line *l = row;
    (void)context, (void)scratch;
    return row_ratio(l->span_ns - l->busy_ns, l->span_ns);
}

static struct row_value make_copies_hidden(const void *row, const void *context, struct str *scratch)
{
    const struct overlap_line *l = row;
    (void)context, (void)scratch;
    return row_ratio(l->copies.hidden_ns, l->copies.busy_ns);
}

static struct row_value make_comm_hidden(const void *row, const void *context, struct str *scratch)
{
    const struct overlap_line *l = row;
    (void)context, (void)scratch;
    return row_ratio(l->comm.hidden_ns, l->comm.busy_ns);
}

#define OF_LINE(field) ROW_AT(struct overlap_line, field)

static const struct row_column lines[] = {
    {"where", OF_LINE(where), UNIT_TEXT, ROW_TABLE, ROW_TITLE("where"), ""},
    {"events", OF_LINE(events), UNIT_COUNT, ROW_TABLE, ROW_TITLE("events"), ""},
    {"span_ns", OF_LINE(span_ns), UNIT_NS, ROW_TABLE, ROW_TITLE("span"), ""},
    {"busy_ns", OF_LINE(busy_ns), UNIT_NS, ROW_TABLE, ROW_TITLE("busy"), ""},
    {"idle_ratio", MADE(make_line_idle), UNIT_RATIO, ROW_TABLE, ROW_TITLE("idle"), ""},
    {"copies_hidden", MADE(make_copies_hidden), UNIT_RATIO, ROW_TABLE, ROW_TITLE("copies hidden"), ""},
    {"comm_hidden", MADE(make_comm_hidden), UNIT_RATIO, ROW_TABLE, ROW_TITLE("comm hidden"), ""},
};
const struct row_columns overlap_line_columns = ROW_COLUMNS("overlap line", struct overlap_line, lines);

/* ---- a device ---- */

/* Kernels that begin before the one before them on their stream has ended. */
static const struct row_column same_stream[] = {
    {"count", ROW_AT(struct timeline_set, serial_violations), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "how many"},
    {"sum_ns", ROW_AT(struct timeline_set, violation_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "time of these overlaps"},
};
const struct row_columns overlap_same_stream_columns =
    ROW_COLUMNS("overlap on one stream", struct timeline_set, same_stream);

static const struct row_column pageable[] = {
    {"count", ROW_AT(struct timeline_device, pageable), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "how many"},
    {"sum_ns", ROW_AT(struct timeline_device, pageable_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "sum of their durations"},
};
const struct row_columns overlap_pageable_columns = ROW_COLUMNS("overlap pageable", struct timeline_device, pageable);

static size_t same_stream_of(const void *row, const void *context, const void **items)
{
    const struct overlap_context *c = context;
    for (size_t i = 0; i < c->class_count; i++)
        if (c->classes[i] == CLASS_KERNEL) {
            *items = &((const struct timeline_device *)row)->sets[i];
            return 1;
        }
    return 0;
}

static size_t pageable_of(const void *row, const void *context, const void **items)
{
    (void)context;
    *items = row;
    return 1;
}

ALL_OF(levels_of, struct timeline_device, level_ns)

/* Only classes and pairs of classes that occur. */
static size_t classes_of(const void *row, const void *context, const void **items)
{
    const struct timeline_device *device = row;
    const struct overlap_context *c = context;
    struct overlap_class *rows = arena_alloc(c->arena, c->class_count * sizeof *rows);
    size_t count = 0;
    for (size_t i = 0; rows && i < c->class_count; i++)
        if (device->sets[i].count)
            rows[count++] = overlap_class_of(c, device, i);
    *items = rows;
    return rows ? count : 1;
}

static bool pair_occurs(const struct overlap_context *c, const struct timeline_device *device, size_t pair)
{
    return overlap_pair_has_classes(c, pair) && device->sets[c->query->pairs[pair].a].count &&
           device->sets[c->query->pairs[pair].b].count;
}

static size_t pairs_of(const void *row, const void *context, const void **items)
{
    const struct timeline_device *device = row;
    const struct overlap_context *c = context;
    struct overlap_pair *rows = arena_alloc(c->arena, c->query->pair_count * sizeof *rows);
    size_t count = 0;
    for (size_t i = 0; rows && i < c->query->pair_count; i++)
        if (pair_occurs(c, device, i))
            rows[count++] = overlap_pair_of(c, device, i);
    *items = rows;
    return rows ? count : 1;
}

static struct row_value make_from(const void *row, const void *context, struct str *scratch)
{
    const struct overlap_context *c = context;
    int64_t from_ns;
    (void)scratch;
    const bool is_known = rank_starts_get(c->starts, ((const struct timeline_device *)row)->rank, &from_ns);
    return is_known ? row_integer(from_ns) : row_unknown();
}

static struct row_value make_span(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_integer(overlap_span_ns(row));
}

static struct row_value make_idle(const void *row, const void *context, struct str *scratch)
{
    const int64_t span_ns = overlap_span_ns(row);
    (void)context, (void)scratch;
    return row_ratio((double)(span_ns - ((const struct timeline_device *)row)->busy_ns), (double)span_ns);
}

#define OF_DEVICE(field) ROW_AT(struct timeline_device, field)

static const struct row_column devices[] = {
    {"rank", ROW_AT_OR_NULL(struct timeline_device, rank), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "`null` when unknown"},
    {"device", ROW_AT_OR_NULL(struct timeline_device, device), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the same"},
    {"from_ns", MADE_I(make_from), UNIT_NS, ROW_JSON, ROW_NO_TITLE,
     "first event of the rank on its clock, from which windows count; `null` when unknown"},
    {"events", OF_DEVICE(events), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "GPU work, unfinished work included"},
    {"span_ns", MADE_I(make_span), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "first start to last end of it"},
    {"busy_ns", OF_DEVICE(busy_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "time with any of it"},
    {"idle_ratio", MADE(make_idle), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE,
     "part of the span without; `null` without a span"},
    {"at_once_ns", ROW_LIST_OF_INTEGERS(levels_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "time with 0, 1, 2, 3, and 4 or more operations at once, in ns"},
    {"same_stream", ROW_OBJECT_OF(same_stream_of, &overlap_same_stream_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "kernels that begin before the one before them on their stream has ended; `count`, `sum_ns`"},
    {"classes", ROW_LIST_OF(classes_of, &overlap_class_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "one for each class of events that occurs"},
    {"pairs", ROW_LIST_OF(pairs_of, &overlap_pair_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "one for each pair of classes that occur"},
    {"pageable", ROW_OBJECT_OF(pageable_of, &overlap_pageable_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "copies known to be from or to pageable memory; `count`, `sum_ns`"},
};
const struct row_columns overlap_device_columns = ROW_COLUMNS("overlap device", struct timeline_device, devices);
