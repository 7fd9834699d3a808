/* What stands in the formats of slack? */
#include <math.h>

#include "analyzers/bounded_cells.h"
#include "analyzers/columns.h"
#include "analyzers/inner_rows.h"
#include "analyzers/slack/slack_rows.h"
#include "core/base/units.h"

/* ---- doses ---- */

BOUNDED_OF(cost_ns_of, struct slack_dose, cost_ns)
BOUNDED_OF(cost_cycles_of, struct slack_dose, cost_cycles)
SHOWN(show_cost_cycles, struct slack_dose, cost_cycles, add_amount)
SHOWN(show_cost_ns, struct slack_dose, cost_ns, add_amount)

#define OF_DOSE(field) ROW_AT(struct slack_dose, field)

static const struct row_column dose_list[] = {
    {"asked_cycles", OF_DOSE(asked_cycles), UNIT_COUNT, ROW_JSON | ROW_TABLE, ROW_TITLE("asked cycles"),
     "cycles that the mark was asked to wait"},
    {"delay_cycles", OF_DOSE(delay_cycles), UNIT_CYCLES, ROW_JSON | ROW_TABLE, ROW_TITLE("delay"),
     "by which it really waits longer than in the control"},
    {"cost_cycles", BOUNDED(cost_cycles_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "by which a tile takes longer than in the control; `value`, `low`, `high`, or `null`"},
    {"cost_cycles_shown", ROW_MADE(ROW_TEXT, show_cost_cycles), UNIT_TEXT, ROW_TABLE, ROW_TITLE("costs cycles a tile"),
     ""},
    {"cost_ns", BOUNDED(cost_ns_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the same of a launch, in ns"},
    {"cost_ns_shown", ROW_MADE(ROW_TEXT, show_cost_ns), UNIT_TEXT, ROW_TABLE, ROW_TITLE("ns a launch"), ""},
};
const struct row_columns slack_dose_columns = ROW_COLUMNS("slack dose", struct slack_dose, dose_list);

/* ---- the mark ---- */

static void add_factor(struct str *out, struct bounded b)
{
    if (!isfinite(b.value))
        return;
    str_addf(out, "%.2f", b.value);
    if (isfinite(b.low) && isfinite(b.high))
        str_addf(out, " (%.2f to %.2f)", b.low, b.high);
    else if (isfinite(b.low))
        str_addf(out, " (%.2f or more)", b.low);
}

static void add_slack(struct str *out, struct bounded b)
{
    char value[UNITS_TEXT_BYTES], low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    if (!isfinite(b.value))
        return;
    str_addf(out, "%s%s", isfinite(b.high) ? "" : "at least ", unit_format(value, UNIT_NS, b.value));
    if (isfinite(b.high))
        str_addf(out, " (%s to %s)", unit_format(low, UNIT_NS, b.low), unit_format(high, UNIT_NS, b.high));
}

BOUNDED_OF(slope_of, struct slack, slope)
BOUNDED_OF(criticality_of, struct slack, criticality)
BOUNDED_OF(slack_cycles_of, struct slack, slack_cycles)
BOUNDED_OF(slack_ns_of, struct slack, slack_ns)
BOUNDED_OF(control_of, struct slack, control_change)
SHOWN(show_slope, struct slack, slope, add_factor)
SHOWN(show_criticality, struct slack, criticality, add_factor)
SHOWN(show_slack, struct slack, slack_ns, add_slack)
SHOWN(show_control, struct slack, control_change, add_percent)

LIST_OF(doses_of, struct slack, doses, dose_count)

static struct row_value status_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(slack_status_name(((const struct slack *)row)->status));
}

#define AT(field) ROW_AT(struct slack, field)

static const struct row_column columns[] = {
    {"variant", AT(variant), UNIT_TEXT, ROW_JSON | ROW_TABLE | SLACK_MARK, ROW_TITLE_CODE("variant"),
     "the variant without marks"},
    {"shape", AT(config), UNIT_TEXT, ROW_JSON | ROW_TABLE | SLACK_MARK, ROW_TITLE("shape"), "the case"},
    {"role", AT(role_name), UNIT_TEXT, ROW_JSON | ROW_TABLE | SLACK_MARK, ROW_TITLE("role"),
     "who waits, as the kernel says"},
    {"name", AT(name), UNIT_TEXT, ROW_JSON | ROW_TABLE | SLACK_MARK, ROW_TITLE("phase"),
     "the phases that begin at the mark, as the kernel says"},
    {"role_number", AT(role), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the role's number"},
    {"mark", AT(mark), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the number of its mark"},
    {"slack_ns", BOUNDED(slack_ns_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "how much later the phase may begin for free; `value`, `low`, `high` (`null` where no delay costs), or `null`"},
    {"slack_shown", ROW_MADE(ROW_TEXT, show_slack), UNIT_TEXT, ROW_TABLE, ROW_TITLE("slack"), ""},
    {"slack_cycles", BOUNDED(slack_cycles_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the same in cycles"},
    {"free_up_to_ns", AT(free_up_to_ns), UNIT_NS, ROW_JSON | ROW_TABLE, ROW_TITLE("costs 10 cycles at"),
     "the delay at which a tile takes 10 cycles longer, by straight lines between the delays, or the largest one that "
     "was tried; without tiles: at which a launch takes 0.5% longer"},
    {"free_up_to_cycles", AT(free_up_to_cycles), UNIT_CYCLES, ROW_JSON, ROW_NO_TITLE, "the same in cycles"},
    {"slope", BOUNDED(slope_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "cycles that a tile takes longer for each cycle of delay behind the slack; `value`, `low`, `high` (`null` where "
     "only one delay costs), or `null`"},
    {"slope_shown", ROW_MADE(ROW_TEXT, show_slope), UNIT_TEXT, ROW_TABLE, ROW_TITLE("slope"), ""},
    {"criticality", BOUNDED(criticality_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "cost of the smallest delay over that delay: 0 hidden, 1 critical"},
    {"criticality_shown", ROW_MADE(ROW_TEXT, show_criticality), UNIT_TEXT, ROW_TABLE, ROW_TITLE("at first"), ""},
    {"doses", ROW_LIST_OF(doses_of, &slack_dose_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "one for each delay"},
    {"control", BOUNDED(control_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "time that the control, whose mark does not wait, takes more than the variant, as a share, or `null`"},
    {"control_shown", ROW_MADE(ROW_TEXT, show_control), UNIT_TEXT, ROW_TABLE, ROW_TITLE("control"), ""},
    {"control_ns", AT(control_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "time of a launch of the control"},
    {"tiles", AT(tiles), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE,
     "tiles that follow each other in a launch: those of a block, times the waves"},
    {"ring", AT(ring), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "tiles that may be under way at once, as the build that records says; 0 when that is not known"},
    {"cycles_per_ns", AT(cycles_per_ns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the SM clock"},
    {"clock", ROW_AT_OR_NULL(struct slack, clock), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("clock by"),
     "how it is known: `record` (cycles and ns of the build that records), `counter` (`sm_clock` of the variant) or "
     "`timing` (what the driver said while its builds were timed); `null` when it is not"},
    {"status", ROW_MADE(ROW_TEXT, status_of), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("status"),
     "`hidden`, `partly`, `critical`, `unsteady` or `inconclusive` ([inside.md](inside.md#how-to-read-a-slack))"},
    {"reason", ROW_REASON(struct slack, reason, slack_reasons), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "why it is inconclusive; `null` when it is not"},
};
const struct row_columns slack_columns = ROW_COLUMNS("slack", struct slack, columns);
