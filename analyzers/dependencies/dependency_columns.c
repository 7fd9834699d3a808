/* Which columns has how much of a saving in a kernel reaches the program? */
#include <math.h>

#include "analyzers/bounded_cells.h"
#include "analyzers/columns.h"
#include "analyzers/dependencies/dependency_rows.h"
#include "core/base/units.h"
#include "core/trace/short_names.h"

const struct reason dependency_reasons[] = {DEPENDENCY_REASONS(REASON_ROW)};

static struct row_value status_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(causal_status_name(((const struct dependency_row *)row)->status));
}

static struct row_value name_of(const void *row, const void *context, struct str *scratch)
{
    (void)scratch;
    return row_text(short_names_full(context, ((const struct dependency_row *)row)->name));
}

static struct row_value short_name_of(const void *row, const void *context, struct str *scratch)
{
    (void)scratch;
    return row_text(short_names_text(context, ((const struct dependency_row *)row)->name));
}

static void add_range(struct str *out, struct bounded b)
{
    if (isfinite(b.value))
        str_addf(out, "%.2f to %.2f", b.low, b.high);
}

BOUNDED_OF(criticality_of, struct dependency_row, criticality)
BOUNDED_OF(step_of, struct dependency_row, step.median)
BOUNDED_OF(least_step_of, struct dependency_row, step.least)
SHOWN(show_criticality, struct dependency_row, criticality, add_range)

SHOWN_BOTH(show_step, struct dependency_row, step.median, step.least, add_shares)

#define AT(field) ROW_AT(struct dependency_row, field)

static const struct row_column columns[] = {
    {"share", AT(share), UNIT_RATIO, ROW_JSON | ROW_TABLE, ROW_TITLE("of the time"),
     "its time, of that from the first work to the end of the last"},
    {"launches", AT(launches), UNIT_COUNT, ROW_JSON | ROW_TABLE, ROW_TITLE("launches"), "its launches"},
    {"total_ns", AT(total_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "its time"},
    {"criticality", BOUNDED(criticality_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "how much of a tenth of its time reaches the program, when the recorded graph is run again: `low` if every wait "
     "that cannot be seen is there, `high` if not, `value` between them; or `null`"},
    {"criticality_shown", ROW_MADE(ROW_TEXT, show_criticality), UNIT_TEXT, ROW_TABLE, ROW_TITLE("criticality"), ""},
    {"step", BOUNDED(step_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "what goes of a step's time if a tenth of its own goes: of the median step; `null` without steps "
     "([profile](profile.md#of-a-step))"},
    {"step_least", BOUNDED(least_step_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "the same of the step of which least goes"},
    {"step_shown", ROW_MADE(ROW_TEXT, show_step), UNIT_TEXT, ROW_TABLE_2, ROW_TITLE("saved of a step (least)"), ""},
    {"status", ROW_MADE(ROW_TEXT, status_of), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("status"),
     "`critical`, `partly`, `hidden` or `inconclusive` ([profile](profile.md#by-the-recorded-graph))"},
    {"reason", ROW_REASON(struct dependency_row, reason, dependency_reasons), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "why it is inconclusive: `below_error`, `unseen_waits`; else `null`"},
    {"kernel", ROW_MADE(ROW_TEXT, name_of), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "its name"},
    {"short_name", ROW_MADE(ROW_TEXT, short_name_of), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE_CODE("kernel"),
     "the shortest text that tells it from the names of all others"},
};
const struct row_columns dependency_columns =
    ROW_COLUMNS("dependency", struct dependency_row, columns); /* context: short names */
