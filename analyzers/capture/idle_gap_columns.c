/* What stands in the tables of gaps, of their causes and of the devices that have them? */
#include "analyzers/capture/gap_words.h"
#include "analyzers/columns.h"
#include "analyzers/inner_rows.h"
#include "core/trace/duration_groups.h"

#define BOTH          (ROW_JSON | ROW_TABLE)
#define TEXT(maker)   ROW_MADE(ROW_TEXT, maker)
#define MADE(maker)   ROW_MADE(ROW_NUMBER, maker)
#define MADE_I(maker) ROW_MADE(ROW_INTEGER, maker)

/* ---- operations and calls beside a gap ---- */

static struct row_value neighbour_name(const struct gap_context *c, const struct gap_neighbour *n,
                                       enum name_style style)
{
    return row_text(gap_neighbour_name(c->arena, c->strings, n, style));
}

static struct row_value make_neighbour(const void *row, const void *context, struct str *scratch)
{
    (void)scratch;
    return neighbour_name(context, row, NAMES_FULL);
}

static struct row_value make_stream(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_integer(((const struct gap_neighbour *)row)->stream);
}

static const struct row_column neighbours[] = {
    {"name", TEXT(make_neighbour), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "the kernel, the copy, or the memset"},
    {"stream", MADE_I(make_stream), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "where it ran"},
};
const struct row_columns gap_neighbour_columns = ROW_COLUMNS("gap neighbour", struct gap_neighbour, neighbours);

static struct row_value make_other(const void *row, const void *context, struct str *scratch)
{
    (void)scratch;
    return neighbour_name(context, &((const struct idle_gap *)row)->other, NAMES_FULL);
}

static struct row_value make_other_stream(const void *row, const void *context, struct str *scratch)
{
    return make_stream(&((const struct idle_gap *)row)->other, context, scratch);
}

#define OF_GAP(field) ROW_AT(struct idle_gap, field)

static const struct row_column others[] = {
    {"name", TEXT(make_other), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "the last work of it that ended in the gap"},
    {"stream", MADE_I(make_other_stream), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "where it ran"},
    {"rank", ROW_AT_OR_NULL(struct idle_gap, other_rank), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "`null` when unknown"},
    {"device", ROW_AT_OR_NULL(struct idle_gap, other_device), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the same"},
};
const struct row_columns gap_other_columns = ROW_COLUMNS("gap other device", struct idle_gap, others);

static struct row_value make_call(const void *row, const void *context, struct str *scratch)
{
    const struct gap_context *c = context;
    (void)scratch;
    return row_text(gap_call_name(c->arena, c->strings, ((const struct gap_call *)row)->name));
}

static struct row_value make_call_length(const void *row, const void *context, struct str *scratch)
{
    const struct gap_call *call = row;
    (void)context, (void)scratch;
    return row_integer(duration_ns(call->start_ns, call->end_ns));
}

static const struct row_column calls[] = {
    {"name", TEXT(make_call), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "of the function"},
    {"start_ns", ROW_AT(struct gap_call, start_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "on the trace's clock"},
    {"length_ns", MADE_I(make_call_length), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "how long it took"},
};
const struct row_columns gap_call_columns = ROW_COLUMNS("gap call", struct gap_call, calls);

/* ---- a gap ---- */

static struct row_value make_since_start(const void *row, const void *context, struct str *scratch)
{
    const struct gap_context *c = context;
    int64_t from_ns;
    (void)scratch;
    if (!c->starts || !rank_starts_get(c->starts, c->rank, &from_ns))
        return row_unknown();
    return row_integer(duration_ns(from_ns, ((const struct idle_gap *)row)->start_ns));
}

static void show_moment(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    char text[UNITS_TEXT_BYTES];
    (void)row, (void)context;
    str_add(out, value->type == ROW_UNKNOWN ? "unknown" : unit_format_moment(text, value->integer));
}

static struct row_value make_length(const void *row, const void *context, struct str *scratch)
{
    const struct idle_gap *g = row;
    (void)context, (void)scratch;
    return row_integer(duration_ns(g->start_ns, g->end_ns));
}

static struct row_value make_cause(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(gap_cause_key(((const struct idle_gap *)row)->cause));
}

static void show_cause(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    (void)value, (void)context;
    str_add(out, gap_cause_name(((const struct idle_gap *)row)->cause));
}

static struct row_value make_before(const void *row, const void *context, struct str *scratch)
{
    const struct gap_context *c = context;
    (void)scratch;
    return neighbour_name(c, &((const struct idle_gap *)row)->before, c->style);
}

static struct row_value make_after(const void *row, const void *context, struct str *scratch)
{
    const struct gap_context *c = context;
    (void)scratch;
    return neighbour_name(c, &((const struct idle_gap *)row)->after, c->style);
}

static struct row_value make_evidence(const void *row, const void *context, struct str *scratch)
{
    const struct gap_context *c = context;
    (void)scratch;
    return row_text(gap_evidence(c->arena, c->strings, row));
}

/* An object that is there where `condition` of the gap `g` holds. */
#define PART_OF_GAP(part, condition)                                                                                   \
    static size_t part##_of(const void *row, const void *context, const void **items)                                  \
    {                                                                                                                  \
        const struct idle_gap *g = row;                                                                                \
        (void)context;                                                                                                 \
        *items = &g->part;                                                                                             \
        return (condition) ? 1 : 0;                                                                                    \
    }

PART_OF_GAP(before, g->before.is_there)
PART_OF_GAP(after, g->after.is_there)
/* What ran, under the name of its class. */
#define WORK_OF_GAP(class_, cause_)                                                                                    \
    static size_t class_##_of(const void *row, const void *context, const void **items)                                \
    {                                                                                                                  \
        const struct idle_gap *g = row;                                                                                \
        (void)context;                                                                                                 \
        *items = &g->work;                                                                                             \
        return g->cause == (cause_) ? 1 : 0;                                                                           \
    }

WORK_OF_GAP(copy, GAP_COPY)
WORK_OF_GAP(memset, GAP_MEMSET)
WORK_OF_GAP(migration, GAP_MIGRATION)
PART_OF_GAP(call, g->has_call)
PART_OF_GAP(wait, g->cause == GAP_SYNC)

static size_t other_of(const void *row, const void *context, const void **items)
{
    (void)context;
    *items = row;
    return ((const struct idle_gap *)row)->has_other ? 1 : 0;
}

#define NEIGHBOUR(one) ROW_OBJECT_OF(one, &gap_neighbour_columns)
#define CALL(one)      ROW_OBJECT_OF(one, &gap_call_columns)

static const struct row_column gaps[] = {
    {"start_ns", OF_GAP(start_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "on the trace's clock"},
    {"since_start_ns", MADE_I(make_since_start), UNIT_NS, ROW_TABLE, ROW_SHOWN("since start", show_moment), ""},
    {"length_ns", MADE_I(make_length), UNIT_NS, BOTH, ROW_TITLE("length"), "how long it is"},
    {"cause", TEXT(make_cause), UNIT_TEXT, BOTH, ROW_SHOWN("cause", show_cause), "a key, as in `causes`"},
    {"before", NEIGHBOUR(before_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "the operation that ended last before it; `name` and `stream`, or `null`"},
    {"before_name", TEXT(make_before), UNIT_TEXT, ROW_TABLE, ROW_TITLE_CODE("operation before"), ""},
    {"after", NEIGHBOUR(after_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the operation that ends it; the same"},
    {"after_name", TEXT(make_after), UNIT_TEXT, ROW_TABLE, ROW_TITLE_CODE("operation after"), ""},
    {"call", CALL(call_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "the call that started that operation; `null` when it is not known"},
    {"wait", CALL(wait_of), UNIT_NONE, ROW_JSON_KNOWN, ROW_NO_TITLE,
     "the call in which the thread waited, where the cause is `synchronisation`"},
    {"copy", NEIGHBOUR(copy_of), UNIT_NONE, ROW_JSON_KNOWN, ROW_NO_TITLE,
     "the operation that started last, where the cause is `copy`"},
    {"memset", NEIGHBOUR(memset_of), UNIT_NONE, ROW_JSON_KNOWN, ROW_NO_TITLE, "the same, where it is `memset`"},
    {"migration", NEIGHBOUR(migration_of), UNIT_NONE, ROW_JSON_KNOWN, ROW_NO_TITLE,
     "the same, where it is `migration`"},
    {"other_device", ROW_OBJECT_OF(other_of, &gap_other_columns), UNIT_NONE, ROW_JSON_KNOWN, ROW_NO_TITLE,
     "the device whose work ended in the gap, where the cause is `dependency` and there is one"},
    {"evidence", TEXT(make_evidence), UNIT_TEXT, BOTH, ROW_TITLE("evidence"), "why the cause is what it is"},
};
const struct row_columns gap_columns = ROW_COLUMNS("gap", struct idle_gap, gaps);

/* ---- causes ---- */

static struct row_value share_of_no_kernel(const void *row, const void *context, struct str *scratch)
{
    const struct gap_share *s = row;
    (void)context, (void)scratch;
    return row_ratio((double)s->ns, (double)s->no_kernel_ns);
}

static struct row_value share_of_span(const void *row, const void *context, struct str *scratch)
{
    const struct gap_share *s = row;
    (void)context, (void)scratch;
    return row_ratio((double)s->ns, (double)s->span_ns);
}

static void show_share(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    (void)value, (void)context;
    str_add(out, ((const struct gap_share *)row)->name);
}

#define OF_SHARE(field) ROW_AT(struct gap_share, field)

static const struct row_column shares[] = {
    {"cause", OF_SHARE(key), UNIT_TEXT, BOTH, ROW_SHOWN("cause", show_share),
     "`host_late`, `synchronisation`, `dependency`, `copy`, `migration`, `memset`, `unknown`"},
    {"ns", OF_SHARE(ns), UNIT_NS, BOTH, ROW_TITLE("time"), "time in its gaps"},
    {"count", OF_SHARE(count), UNIT_COUNT, BOTH, ROW_TITLE("gaps"), "its gaps"},
    {"no_kernel_ratio", MADE(share_of_no_kernel), UNIT_RATIO, BOTH, ROW_TITLE("of these"),
     "of the time without a kernel; `null` without such time"},
    {"span_ratio", MADE(share_of_span), UNIT_RATIO, BOTH, ROW_TITLE("of the span"), "of the span"},
};
const struct row_columns gap_share_columns =
    ROW_COLUMNS_ORDERED("gap cause", struct gap_share, shares, {ROW_TABLE, "cause ns no_kernel_ratio span_ratio"});

static struct row_value make_difference(const void *row, const void *context, struct str *scratch)
{
    const struct gap_share_pair *p = row;
    (void)context, (void)scratch;
    return row_integer(duration_ns(p->a.ns, p->b.ns));
}

static struct row_value make_factor(const void *row, const void *context, struct str *scratch)
{
    const struct gap_share_pair *p = row;
    (void)context, (void)scratch;
    return row_ratio((double)p->b.ns, (double)p->a.ns);
}

static struct row_value make_span_a(const void *row, const void *context, struct str *scratch)
{
    return share_of_span(&((const struct gap_share_pair *)row)->a, context, scratch);
}

static struct row_value make_span_b(const void *row, const void *context, struct str *scratch)
{
    return share_of_span(&((const struct gap_share_pair *)row)->b, context, scratch);
}

#define OF_PAIR(field) ROW_AT(struct gap_share_pair, field)

static const struct row_column share_pairs[] = {
    {"cause", OF_PAIR(a.name), UNIT_TEXT, ROW_TABLE, ROW_TITLE("cause"), ""},
    {"ns_a", OF_PAIR(a.ns), UNIT_NS, ROW_TABLE, ROW_TITLE("A"), ""},
    {"ns_b", OF_PAIR(b.ns), UNIT_NS, ROW_TABLE, ROW_TITLE("B"), ""},
    {"difference", MADE_I(make_difference), UNIT_NS, ROW_TABLE, ROW_TITLE_SIGNED("B - A"), ""},
    {"factor", MADE(make_factor), UNIT_FACTOR, ROW_TABLE, ROW_TITLE("B / A"), ""},
    {"span_ratio_a", MADE(make_span_a), UNIT_RATIO, ROW_TABLE, ROW_TITLE("of the span A"), ""},
    {"span_ratio_b", MADE(make_span_b), UNIT_RATIO, ROW_TABLE, ROW_TITLE("of the span B"), ""},
};
const struct row_columns gap_share_pair_columns = ROW_COLUMNS("gap cause pair", struct gap_share_pair, share_pairs);

/* ---- devices ---- */

static struct row_value make_span(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_integer(gaps_span_ns(row));
}

static struct row_value make_no_kernel(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_integer(gaps_no_kernel_ns(row));
}

static struct row_value make_idle(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_integer(gaps_idle_ns(row));
}

static size_t causes_of(const void *row, const void *context, const void **items)
{
    struct gap_share *rows = arena_alloc(((const struct gap_context *)context)->arena, GAP_CAUSES * sizeof *rows);
    for (int cause = 0; rows && cause < GAP_CAUSES; cause++)
        rows[cause] = gaps_share(row, (enum gap_cause)cause);
    *items = rows;
    return GAP_CAUSES;
}

LIST_OF(largest_of, struct gaps_device, largest, largest_count)

#define OF_DEVICE(field) ROW_AT(struct gaps_device, field)

static const struct row_column devices[] = {
    {"rank", ROW_AT_OR_NULL(struct gaps_device, rank), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "`null` when unknown"},
    {"device", ROW_AT_OR_NULL(struct gaps_device, device), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the same"},
    {"operations", OF_DEVICE(operations), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "its finished work"},
    {"span_ns", MADE_I(make_span), UNIT_NS, ROW_JSON, ROW_NO_TITLE,
     "first start to last end of it, without time between stretches that `--when` recorded"},
    {"kernel_ns", OF_DEVICE(kernel_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "time in which a kernel runs"},
    {"no_kernel_ns", MADE_I(make_no_kernel), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "the rest of the span"},
    {"idle_ns", MADE_I(make_idle), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "the part of it in which nothing runs"},
    {"causes", ROW_LIST_OF(causes_of, &gap_share_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "each cause, also when it is 0; they add up to the time without a kernel"},
    {"largest", ROW_LIST_OF(largest_of, &gap_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "the ten longest gaps, the longest first"},
};
const struct row_columns gap_device_columns = ROW_COLUMNS("gap device", struct gaps_device, devices);
