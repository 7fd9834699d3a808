/* What stands in the table of all solutions of a task? */
#include "analyzers/columns.h"
#include "analyzers/solutions/solution_rows.h"

#include <math.h>
#include <string.h>

static void show_case(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    const bool is_cold = !strcmp(((const struct solution *)row)->cache, "cold");
    (void)context;
    str_addf(out, "%s%s", value->text, is_cold ? ", cold L2" : "");
}

/* The interval stands behind it. */
static void show_speedup(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    const struct solution *s = row;
    (void)context;
    if (value->type != ROW_IS_NUMBER)
        return;
    str_addf(out, "%.3fx", value->number);
    if (isfinite(s->ci_low) && isfinite(s->ci_high))
        str_addf(out, " [%.3f, %.3f]", s->ci_low, s->ci_high);
}

static void show_light(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    const struct solution *s = row;
    (void)context;
    if (value->type == ROW_IS_NUMBER)
        str_addf(out, "%.1f%% (%s)", 100 * value->number, s->light_by);
}

static struct row_value status_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(verdict_status_name(((const struct solution *)row)->status));
}

#define AT(field) ROW_AT(struct solution, field)
enum { BOTH = ROW_JSON | ROW_TABLE };

static const struct row_column columns[] = {
    {"solution", AT(variant), UNIT_TEXT, BOTH, ROW_TITLE_CODE("solution"), "task and solution"},
    {"shape", AT(config), UNIT_TEXT, BOTH, ROW_SHOWN("shape", show_case), "where it was judged"},
    {"cache", AT(cache), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "`hot`, `cold`, or empty when it was not timed"},
    {"status", ROW_MADE(ROW_TEXT, status_of), UNIT_TEXT, BOTH, ROW_TITLE("status"),
     "`pass` when it ran, was right, its work was counted and its witnesses agree; `fail`, `inconclusive`"},
    {"time_ns", AT(time_ns), UNIT_NS, BOTH, ROW_TITLE("time"), "typical over the processes"},
    {"verdict", AT(verdict), UNIT_TEXT, BOTH, ROW_TITLE("verdict"),
     "that of its comparison, `baseline`, or empty without one"},
    {"speedup", AT(speedup), UNIT_FACTOR, BOTH, ROW_SHOWN("speedup [95%]", show_speedup), "over the baseline"},
    {"ci_low", AT(ci_low), UNIT_FACTOR, ROW_JSON, ROW_NO_TITLE, "lower end of the interval of the *speedup*"},
    {"ci_high", AT(ci_high), UNIT_FACTOR, ROW_JSON, ROW_NO_TITLE, "its upper end"},
    {"light", AT(light), UNIT_RATIO, BOTH, ROW_SHOWN("of light", show_light),
     "share of its time that the task's least work needs at the highest known rate"},
    {"light_by", AT(light_by), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "what needs most: `l2`, with cold caches `dram`, or the precision of its operations"},
    {"why", AT(why), UNIT_TEXT, BOTH, ROW_TITLE("why not"), "why it does not pass; else empty"},
};

const struct row_columns solution_columns = ROW_COLUMNS("solution", struct solution, columns);
