/* What stands in the tables of kernels, copies and calls? */
#include "analyzers/capture/trace_statistics.h"
#include "analyzers/columns.h"

#define AT(field) ROW_AT(struct statistics_row, field)

/* Whole nanoseconds have no fraction in JSON. */
#define MAKE_NS(field)                                                                                                 \
    static struct row_value make_##field(const void *row, const void *context, struct str *scratch)                    \
    {                                                                                                                  \
        (void)context, (void)scratch;                                                                                  \
        return row_whole_or_number(((const struct statistics_row *)row)->durations.field);                             \
    }

MAKE_NS(mean_ns)
MAKE_NS(p50_ns)
MAKE_NS(p90_ns)
MAKE_NS(p99_ns)
MAKE_NS(std_ns)

static struct row_value make_count(const void *row, const void *context, struct str *scratch)
{
    const struct statistics_row *s = row;
    (void)context, (void)scratch;
    return row_integer(s->durations.count + s->unfinished);
}

static struct row_value make_min(const void *row, const void *context, struct str *scratch)
{
    const struct duration_summary *d = &((const struct statistics_row *)row)->durations;
    (void)context, (void)scratch;
    return d->count > 0 ? row_integer(d->min_ns) : row_unknown();
}

static struct row_value make_max(const void *row, const void *context, struct str *scratch)
{
    const struct duration_summary *d = &((const struct statistics_row *)row)->durations;
    (void)context, (void)scratch;
    return d->count > 0 ? row_integer(d->max_ns) : row_unknown();
}

static struct row_value make_idle(const void *row, const void *context, struct str *scratch)
{
    const struct statistics_row *s = row;
    (void)context, (void)scratch;
    return s->idle_ns >= 0 ? row_integer(s->idle_ns) : row_unknown();
}

static struct row_value make_bandwidth(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_number(statistics_bandwidth(row));
}

/* ROW_TABLE: kernels and calls, which have a distribution. ROW_TABLE_2: copies, which are few and have bytes.
 * ROW_TABLE_3 and ROW_TABLE_4: kernels and copies by owner. ROW_JSON_MORE: not in a row of two traces. */
#define TIMED (ROW_TABLE | ROW_TABLE_3)
#define SIZED (ROW_TABLE_2 | ROW_TABLE_4)
#define BOTH  (ROW_JSON | TIMED | SIZED)
#define NS(name, source, formats, title, description)                                                                  \
    {                                                                                                                  \
        name, source, UNIT_NS, formats, title, description                                                             \
    }
#define MADE(maker)   ROW_MADE(ROW_NUMBER, maker)
#define MADE_I(maker) ROW_MADE(ROW_INTEGER, maker)

static const struct row_column columns[] = {
    {"count", MADE_I(make_count), UNIT_COUNT, BOTH, ROW_TITLE("count"), "operations, unfinished ones included"},
    {"unfinished", AT(unfinished), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE,
     "operations that never ended; they have no time"},
    NS("total_ns", AT(durations.total_ns), BOTH, ROW_TITLE("total"), "sum of their durations"),
    NS("mean_ns", MADE(make_mean_ns), ROW_JSON, ROW_NO_TITLE, "mean"),
    NS("p50_ns", MADE(make_p50_ns), BOTH, ROW_TITLE("p50"), "median"),
    NS("p90_ns", MADE(make_p90_ns), BOTH, ROW_TITLE("p90"), "90th percentile"),
    NS("p99_ns", MADE(make_p99_ns), BOTH, ROW_TITLE("p99"), "99th percentile"),
    NS("std_ns", MADE(make_std_ns), BOTH, ROW_TITLE("std"), "standard deviation; unknown below two"),
    NS("min_ns", MADE_I(make_min), ROW_JSON | TIMED, ROW_TITLE("min"), "shortest"),
    NS("max_ns", MADE_I(make_max), BOTH, ROW_TITLE("max"), "longest"),
    {"size_bytes", AT(size_bytes), UNIT_BYTES, ROW_JSON | SIZED, ROW_TITLE("bytes"), "bytes copied or set"},
    {"bytes_per_s", MADE(make_bandwidth), UNIT_BYTES_PER_S, ROW_JSON | SIZED, ROW_TITLE("bandwidth"),
     "bytes over their time"},
    {"share_ratio", AT(share), UNIT_RATIO, ROW_JSON_MORE | TIMED | SIZED, ROW_TITLE("share"),
     "of the time of all GPU work, or of all calls; not in a row of two traces"},
    NS("idle_ns", MADE_I(make_idle), ROW_JSON_KNOWN | ROW_TABLE_3 | ROW_TABLE_4, ROW_TITLE("idle before"),
       "by owner: time in which a device ran nothing until work of the row began; not of calls"),
};

#define FIRST "share_ratio total_ns count"
const struct row_columns statistics_columns = ROW_COLUMNS_ORDERED(
    "statistics", struct statistics_row, columns, {ROW_TABLE, FIRST}, {ROW_TABLE_2, FIRST},
    {ROW_TABLE_3, "share_ratio total_ns idle_ns count"}, {ROW_TABLE_4, "share_ratio total_ns idle_ns count"});
