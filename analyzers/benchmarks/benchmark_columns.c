/* What stands in the table of benchmarks that are compared? */
#include <math.h>

#include "analyzers/benchmarks/benchmark_rows.h"
#include "analyzers/columns.h"

const struct reason benchmark_reasons[] = {BENCHMARK_REASONS(REASON_ROW)};

#define BOTH      (ROW_JSON | ROW_TABLE | ROW_CSV)
#define DATA      (ROW_JSON | ROW_CSV)
#define AT(field) ROW_AT(struct benchmark_comparison, field)

#define MADE_NUMBER(maker) ROW_MADE(ROW_NUMBER, maker)

static struct row_value make_verdict(const void *row, const void *context, struct str *scratch)
{
    const struct benchmark_comparison *c = row;
    (void)context, (void)scratch;
    return row_text(comparison_verdict_name(c->verdict));
}

static struct row_value make_detail(const void *row, const void *context, struct str *scratch)
{
    const struct benchmark_comparison *c = row;
    (void)context, (void)scratch;
    return row_text_or_unknown(c->detail);
}

/* Times alone give a ratio, too, but no interval. */
static struct row_value make_ratio(const void *row, const void *context, struct str *scratch)
{
    const struct benchmark_comparison *c = row;
    (void)context, (void)scratch;
    return isfinite(c->interval.ratio) ? row_number(c->interval.ratio) : row_ratio(c->after_ns, c->before_ns);
}

static const struct row_column columns[] = {
    {"benchmark", AT(name), UNIT_TEXT, BOTH, ROW_TITLE_CODE("benchmark"),
     "its name with arguments, of nvbench with axis values"},
    {"before_ns", AT(before_ns), UNIT_NS, BOTH, ROW_TITLE("before"),
     "of the first side: [typical](statistics.md#the-ratio) over its processes, each of which is the median of its "
     "repetitions or samples, or the mean that its file states where it has none; of one process over its blocks"},
    {"after_ns", AT(after_ns), UNIT_NS, BOTH, ROW_TITLE("after"), "of the second side"},
    {"ratio", MADE_NUMBER(make_ratio), UNIT_FACTOR, BOTH, ROW_TITLE("after / before"),
     "of the two times; with an interval where there are enough values"},
    {"low", AT(interval.low), UNIT_FACTOR, BOTH, ROW_TITLE("from"),
     "the 95% interval of the ratio; `null` without one"},
    {"high", AT(interval.high), UNIT_FACTOR, BOTH, ROW_TITLE("to"), "the same"},
    {"verdict", ROW_MADE(ROW_TEXT, make_verdict), UNIT_TEXT, BOTH, ROW_TITLE("verdict"),
     "`faster`, `slower`, `equivalent`, `inconclusive` or `unusable`"},
    {"reason", ROW_REASON(struct benchmark_comparison, reason, benchmark_reasons), UNIT_TEXT, BOTH,
     ROW_TITLE_CODE("reason"), "why; [compare.md](compare.md#results-of-google-benchmark-and-nvbench) has all"},
    {"detail", ROW_MADE(ROW_TEXT, make_detail), UNIT_TEXT, DATA, ROW_NO_TITLE,
     "of `failed`: the tool's own words; `null` otherwise"},
    {"replicates", AT(has_replicates), UNIT_NONE, DATA, ROW_NO_TITLE,
     "are the processes replicates? Otherwise nothing is decided"},
    {"before_processes", AT(before_processes), UNIT_COUNT, DATA, ROW_NO_TITLE, "files of the first side that have it"},
    {"after_processes", AT(after_processes), UNIT_COUNT, DATA, ROW_NO_TITLE, "of the second one"},
    {"before_values", AT(before_values), UNIT_COUNT, DATA, ROW_NO_TITLE, "repetitions or samples of the first side"},
    {"after_values", AT(after_values), UNIT_COUNT, DATA, ROW_NO_TITLE, "of the second one"},
    {"p_value", AT(p_value), UNIT_NONE, DATA, ROW_NO_TITLE,
     "that they are no more than the margin apart; `null` without replicates"},
    {"p_adjusted", AT(p_adjusted), UNIT_NONE, DATA, ROW_NO_TITLE, "the same for all benchmarks together (Holm)"},
};
const struct row_columns benchmark_columns = ROW_COLUMNS("benchmark", struct benchmark_comparison, columns);
