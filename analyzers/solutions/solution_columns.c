/* What does JSON say of a solution of a task? It has a row for hot caches and one for cold caches; a page has one row
 * for both (reports/run/solution_report.c). */
#include "analyzers/columns.h"
#include "analyzers/solutions/solution_rows.h"

#include <math.h>
#include <string.h>

static struct row_value status_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(verdict_status_name(((const struct solution *)row)->status));
}

#define AT(field) ROW_AT(struct solution, field)
static const struct row_column columns[] = {
    {"solution", AT(variant), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "task and solution"},
    {"shape", AT(config), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "where it was judged"},
    {"cache", AT(cache), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "`hot`, `rotated`, `cold`, or empty when it was not timed"},
    {"status", ROW_MADE(ROW_TEXT, status_of), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "`pass` when it ran, was right, its work was counted and its witnesses agree; `fail`, `inconclusive`"},
    {"time_ns", AT(time_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "typical over the processes"},
    {"verdict", AT(verdict), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "that of its comparison, `baseline`, or empty without one"},
    {"speedup", AT(speedup), UNIT_FACTOR, ROW_JSON, ROW_NO_TITLE, "over the baseline"},
    {"ci_low", AT(ci_low), UNIT_FACTOR, ROW_JSON, ROW_NO_TITLE, "lower end of the interval of the *speedup*"},
    {"ci_high", AT(ci_high), UNIT_FACTOR, ROW_JSON, ROW_NO_TITLE, "its upper end"},
    {"light", AT(light), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE,
     "share of its time that the task's least work needs at the highest known rate"},
    {"light_by", AT(light_by), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "what needs most: `l2`, with cold caches `dram`, or the precision of its operations"},
    {"copied", AT(copied), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE,
     "share of the GPU's time in its traced launches that copies take, such as those of what a function returns"},
    {"verified", AT(verified), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE,
     "right outputs of timed launches that were verified, over all processes"},
    {"unseen", AT(unseen), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE,
     "share of its launches that may be wrong all the same: 3 / `verified`, at most 1"},
    {"set_up_ns", AT(set_up_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE,
     "how long it packed the task's constant inputs, in the slowest process; no part of `time_ns`; empty: not at all"},
    {"judged", AT(judged), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "empty, or what the judge lacked: `inside` (its process is that of the solution), `on the host`, `without a gate`"},
    {"why", AT(why), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "why it does not pass; else empty"},
};

const struct row_columns solution_columns = ROW_COLUMNS("solution", struct solution, columns);
