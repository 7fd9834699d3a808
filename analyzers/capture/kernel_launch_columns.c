/* What stands in the tables of launches and waits in a trace? */
#include "analyzers/capture/idle_gaps.h"
#include "analyzers/capture/kernel_launch_costs.h"
#include "analyzers/columns.h"
#include "analyzers/inner_rows.h"

#define MADE(maker) ROW_MADE(ROW_NUMBER, maker)

/* ---- durations ---- */

/* Whole nanoseconds have no fraction in JSON. */
#define MAKE_NS(field)                                                                                                 \
    static struct row_value make_##field(const void *row, const void *context, struct str *scratch)                    \
    {                                                                                                                  \
        (void)context, (void)scratch;                                                                                  \
        return row_whole_or_number(((const struct duration_summary *)row)->field);                                     \
    }

MAKE_NS(mean_ns)
MAKE_NS(p50_ns)
MAKE_NS(p99_ns)

static struct row_value extreme(const struct duration_summary *d, int64_t ns)
{
    return d->count > 0 ? row_integer(ns) : row_unknown();
}

static struct row_value make_min(const void *row, const void *context, struct str *scratch)
{
    const struct duration_summary *d = row;
    (void)context, (void)scratch;
    return extreme(d, d->min_ns);
}

static struct row_value make_max(const void *row, const void *context, struct str *scratch)
{
    const struct duration_summary *d = row;
    (void)context, (void)scratch;
    return extreme(d, d->max_ns);
}

#define BOTH         (ROW_JSON | ROW_TABLE)
#define OF_D(field)  ROW_AT(struct duration_summary, field)
#define MADE_I(make) ROW_MADE(ROW_INTEGER, make)

static const struct row_column durations[] = {
    {"count", OF_D(count), UNIT_COUNT, BOTH, ROW_TITLE("count"), "how many there are"},
    {"total_ns", OF_D(total_ns), UNIT_NS, BOTH, ROW_TITLE("total"), "their sum"},
    {"mean_ns", MADE(make_mean_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "mean; `null` without any, as the next ones"},
    {"p50_ns", MADE(make_p50_ns), UNIT_NS, BOTH, ROW_TITLE("p50"), "median"},
    {"p99_ns", MADE(make_p99_ns), UNIT_NS, BOTH, ROW_TITLE("p99"), "99th percentile"},
    {"min_ns", MADE_I(make_min), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "shortest"},
    {"max_ns", MADE_I(make_max), UNIT_NS, BOTH, ROW_TITLE("max"), "longest"},
};
const struct row_columns duration_columns =
    ROW_COLUMNS_ORDERED("durations", struct duration_summary, durations, {ROW_TABLE, "total_ns count"});

/* ---- a row of launches ---- */

static struct row_value make_name(const void *row, const void *context, struct str *scratch)
{
    (void)scratch;
    return row_text(short_names_full(context, ((const struct launch_row *)row)->name));
}

static struct row_value make_short_name(const void *row, const void *context, struct str *scratch)
{
    (void)scratch;
    return row_text(short_names_text(context, ((const struct launch_row *)row)->name));
}

static struct row_value make_kind(const void *row, const void *context, struct str *scratch)
{
    static const char *const kinds[] = {"kernel", "call", "call_without_kernel"};
    const struct launch_row *l = row;
    (void)context, (void)scratch;
    return row_text(kinds[l->is_call + l->no_kernel]);
}

static const struct row_column names[] = {
    {"name", ROW_MADE(ROW_TEXT, make_name), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "the kernel, or the call"},
    {"kind", ROW_MADE(ROW_TEXT, make_kind), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "`kernel`, `call`: it started several, or `call_without_kernel`"},
    {"short_name", ROW_MADE(ROW_TEXT, make_short_name), UNIT_TEXT, ROW_JSON_MORE, ROW_NO_TITLE,
     "of a kernel whose name is not mangled"},
};
const struct row_columns launch_name_columns = ROW_COLUMNS("launch name", struct launch_row, names);

PART_OF(api_of, struct launch_row, api)
PART_OF(queue_of, struct launch_row, queue)
PART_OF(kernel_of, struct launch_row, kernel)

static struct row_value make_api_max(const void *row, const void *context, struct str *scratch)
{
    return make_max(&((const struct launch_row *)row)->api, context, scratch);
}

static struct row_value make_longer_ratio(const void *row, const void *context, struct str *scratch)
{
    const struct launch_row *l = row;
    (void)context, (void)scratch;
    return row_ratio((double)l->longer, (double)l->kernels);
}

#define OF_L(field) ROW_AT(struct launch_row, field)
#define OBJECT(one) ROW_OBJECT_OF(one, &duration_columns)
#define CELL(name, source, title)                                                                                      \
    {                                                                                                                  \
        name, source, UNIT_NS, ROW_TABLE, ROW_TITLE(title), ""                                                         \
    }

static const struct row_column numbers[] = {
    {"launches", OF_L(launches), UNIT_COUNT, BOTH, ROW_TITLE("count"), "launches"},
    {"first_ns", OF_L(first_ns), UNIT_NS, BOTH, ROW_TITLE("first"),
     "time in the first call of each process for each device, summed"},
    {"api_ns", OF_L(api_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "time in all calls"},
    {"api", OBJECT(api_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "time in calls, without the first of each process for each device: [durations](#durations)"},
    CELL("api_p50_ns", OF_L(api.p50_ns), "p50"),
    CELL("api_mean_ns", OF_L(api.mean_ns), "mean"),
    CELL("api_p99_ns", OF_L(api.p99_ns), "p99"),
    CELL("api_max_ns", MADE_I(make_api_max), "max"),
    {"queue", OBJECT(queue_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "from the start of the call to the start of the kernel, where that is not before; the same"},
    CELL("queue_p50_ns", OF_L(queue.p50_ns), "queue"),
    CELL("queue_p99_ns", OF_L(queue.p99_ns), "queue p99"),
    {"kernel", OBJECT(kernel_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "how long the kernel ran; the same"},
    CELL("kernel_p50_ns", OF_L(kernel.p50_ns), "kernel time"),
    {"longer", OF_L(longer), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "launches whose call took longer than their kernel"},
    {"longer_ratio", MADE(make_longer_ratio), UNIT_RATIO, BOTH, ROW_TITLE("longer"),
     "of the launches with a kernel; `null` without any"},
};
const struct row_columns launch_number_columns = ROW_COLUMNS("launch numbers", struct launch_row, numbers);

/* ---- the same row of two traces ---- */

static size_t a_of(const void *row, const void *context, const void **items)
{
    (void)context;
    *items = ((const struct launch_pair *)row)->a;
    return *items ? 1 : 0;
}

static size_t b_of(const void *row, const void *context, const void **items)
{
    (void)context;
    *items = ((const struct launch_pair *)row)->b;
    return *items ? 1 : 0;
}

static struct row_value make_only_in(const void *row, const void *context, struct str *scratch)
{
    const struct launch_pair *p = row;
    (void)context, (void)scratch;
    return p->a && p->b ? row_unknown() : row_text(p->a ? "a" : "b");
}

static struct row_value make_factor(const void *row, const void *context, struct str *scratch)
{
    const struct launch_pair *p = row;
    (void)context, (void)scratch;
    return p->a && p->b ? row_ratio(p->b->api.p50_ns, p->a->api.p50_ns) : row_unknown();
}

static void show_factor(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    const struct launch_pair *p = row;
    char text[UNITS_TEXT_BYTES];
    (void)context;
    if (!p->a || !p->b)
        str_addf(out, "only in %s", p->a ? "A" : "B");
    else
        str_add(out, value->type == ROW_UNKNOWN ? "n/a" : unit_format(text, UNIT_FACTOR, value->number));
}

/* A trace that has no such row shows "-", which is not "n/a". */
#define OF_SIDE(make, side, field)                                                                                     \
    static struct row_value make(const void *row, const void *context, struct str *scratch)                            \
    {                                                                                                                  \
        const struct launch_row *l = ((const struct launch_pair *)row)->side;                                          \
        (void)context, (void)scratch;                                                                                  \
        return l ? row_number((double)l->field) : row_text("-");                                                       \
    }

OF_SIDE(make_launches_a, a, launches)
OF_SIDE(make_launches_b, b, launches)
OF_SIDE(make_p50_a, a, api.p50_ns)
OF_SIDE(make_p50_b, b, api.p50_ns)
OF_SIDE(make_mean_a, a, api.mean_ns)
OF_SIDE(make_mean_b, b, api.mean_ns)
OF_SIDE(make_queue_a, a, queue.p50_ns)
OF_SIDE(make_queue_b, b, queue.p50_ns)

#define NUMBERS(one) ROW_OBJECT_OF(one, &launch_number_columns)

static const struct row_column pairs[] = {
    {"a", NUMBERS(a_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "numbers of the first trace, as of a row of one; or `null`"},
    {"b", NUMBERS(b_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "of the second"},
    {"only_in", ROW_MADE(ROW_TEXT, make_only_in), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "`a` or `b`; `null` when it is in both"},
    {"launches_a", MADE(make_launches_a), UNIT_COUNT, ROW_TABLE, ROW_TITLE("count A"), ""},
    {"launches_b", MADE(make_launches_b), UNIT_COUNT, ROW_TABLE, ROW_TITLE("count B"), ""},
    CELL("p50_a", MADE(make_p50_a), "p50 A"),
    CELL("p50_b", MADE(make_p50_b), "p50 B"),
    {"p50_factor", MADE(make_factor), UNIT_FACTOR, BOTH, ROW_SHOWN("B / A", show_factor),
     "medians of the calls, B over A; `null` unless both are known"},
    CELL("mean_a", MADE(make_mean_a), "mean A"),
    CELL("mean_b", MADE(make_mean_b), "mean B"),
    CELL("queue_a", MADE(make_queue_a), "queue A"),
    CELL("queue_b", MADE(make_queue_b), "queue B"),
};
const struct row_columns launch_pair_columns = ROW_COLUMNS("launch pair", struct launch_pair, pairs);

/* ---- waits ---- */

static struct row_value make_wait_name(const void *row, const void *context, struct str *scratch)
{
    (void)scratch;
    return row_text(short_names_full(context, ((const struct wait_row *)row)->name));
}

static const struct row_column wait_names[] = {
    {"name", ROW_MADE(ROW_TEXT, make_wait_name), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "the call; its [durations](#durations) follow"},
};
const struct row_columns wait_name_columns = ROW_COLUMNS("wait", struct wait_row, wait_names);

/* The sum of waits, or their number: 0 where there are none, unknown where they were not recorded. */
#define OF_WAITS(make, side, has, field)                                                                               \
    static struct row_value make(const void *row, const void *context, struct str *scratch)                            \
    {                                                                                                                  \
        const struct wait_pair *p = row;                                                                               \
        (void)context, (void)scratch;                                                                                  \
        if (p->side)                                                                                                   \
            return row_number((double)p->side->waits.field);                                                           \
        return p->has ? row_number(0) : row_unknown();                                                                 \
    }
#define OF_MEDIAN(make, side)                                                                                          \
    static struct row_value make(const void *row, const void *context, struct str *scratch)                            \
    {                                                                                                                  \
        const struct wait_pair *p = row;                                                                               \
        (void)context, (void)scratch;                                                                                  \
        return p->side ? row_number(p->side->waits.p50_ns) : row_unknown();                                            \
    }

OF_WAITS(make_total_a, a, has_a, total_ns)
OF_WAITS(make_total_b, b, has_b, total_ns)
OF_WAITS(make_count_a, a, has_a, count)
OF_WAITS(make_count_b, b, has_b, count)
OF_MEDIAN(make_median_a, a)
OF_MEDIAN(make_median_b, b)

static struct row_value make_difference(const void *row, const void *context, struct str *scratch)
{
    const struct row_value a = make_total_a(row, context, scratch), b = make_total_b(row, context, scratch);
    const bool is_known = a.type == ROW_IS_NUMBER && b.type == ROW_IS_NUMBER;
    return is_known ? row_number(b.number - a.number) : row_unknown();
}

static const struct row_column wait_pairs[] = {
    CELL("total_a", MADE(make_total_a), "total A"),
    CELL("total_b", MADE(make_total_b), "total B"),
    {"difference", MADE(make_difference), UNIT_NS, ROW_TABLE, ROW_TITLE_SIGNED("B - A"), ""},
    {"count_a", MADE(make_count_a), UNIT_COUNT, ROW_TABLE, ROW_TITLE("count A"), ""},
    {"count_b", MADE(make_count_b), UNIT_COUNT, ROW_TABLE, ROW_TITLE("count B"), ""},
    CELL("p50_a", MADE(make_median_a), "p50 A"),
    CELL("p50_b", MADE(make_median_b), "p50 B"),
};
const struct row_columns wait_pair_columns = ROW_COLUMNS("wait pair", struct wait_pair, wait_pairs);

/* ---- does the device wait for launches? ---- */

static struct row_value make_span(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_integer(gaps_span_ns(row));
}

static struct row_value make_idle(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_integer(gaps_idle_ns(row));
}

static struct row_value make_starved_ratio(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_ratio((double)((const struct gaps_device *)row)->starved_ns, (double)gaps_idle_ns(row));
}

static struct row_value make_starved_of_span(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_ratio((double)((const struct gaps_device *)row)->starved_ns, (double)gaps_span_ns(row));
}

static struct row_value make_known_ratio(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_ratio((double)((const struct gaps_device *)row)->answered_ns, (double)gaps_idle_ns(row));
}

static const struct row_column devices[] = {
    {"rank", ROW_AT_OR_NULL(struct gaps_device, rank), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "`null` when unknown"},
    {"device", ROW_AT_OR_NULL(struct gaps_device, device), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the same"},
    {"span_ns", MADE_I(make_span), UNIT_NS, ROW_JSON, ROW_NO_TITLE,
     "first start to last end of its work, as in `gaps`"},
    {"idle_ns", MADE_I(make_idle), UNIT_NS, BOTH, ROW_TITLE("idle"), "time in which it runs nothing"},
    {"starved_ns", ROW_AT(struct gaps_device, starved_ns), UNIT_NS, BOTH, ROW_TITLE("starved by the host"),
     "part of it before the call that started the next operation had returned"},
    {"starved_ratio", MADE(make_starved_ratio), UNIT_RATIO, BOTH, ROW_TITLE("of idle"), "of the idle time"},
    {"starved_of_span", MADE(make_starved_of_span), UNIT_RATIO, ROW_TABLE, ROW_TITLE("of the span"), ""},
    {"known_call_ratio", MADE(make_known_ratio), UNIT_RATIO, BOTH, ROW_TITLE("call known"),
     "part of the idle time whose next operation has a recorded call"},
};
const struct row_columns launch_device_columns = ROW_COLUMNS("launch device", struct gaps_device, devices);
