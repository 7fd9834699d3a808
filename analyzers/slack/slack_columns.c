/* What stands in the formats of slack? */
#include <math.h>

#include "analyzers/columns.h"
#include "analyzers/slack/slack_rows.h"

/* A number with its interval in JSON, null where it is not known. */
#define BOUNDED_OF(name, type, field)                                                                                  \
    static size_t name(const void *row, const void *context, const void **items)                                       \
    {                                                                                                                  \
        const struct bounded *b = &((const type *)row)->field;                                                         \
        (void)context;                                                                                                 \
        *items = b;                                                                                                    \
        return isfinite(b->value) ? 1 : 0;                                                                             \
    }
#define BOUNDED(one) ROW_OBJECT_OF(one, &bounded_columns)

/* The same in a cell of a table. */
#define SHOWN(name, field, digits, unit)                                                                               \
    static struct row_value name(const void *row, const void *context, struct str *scratch)                            \
    {                                                                                                                  \
        const struct bounded *b = &((const struct slack *)row)->field;                                                 \
        (void)context;                                                                                                 \
        if (isfinite(b->value))                                                                                        \
            str_addf(scratch, "%." digits "f" unit, b->value);                                                         \
        if (isfinite(b->value) && isfinite(b->low) && isfinite(b->high))                                               \
            str_addf(scratch, " (%." digits "f to %." digits "f)", b->low, b->high);                                   \
        return row_text_or_unknown(str_text(scratch));                                                                 \
    }

/* Of what is hidden the largest dose is no more than a lower limit. */
static struct row_value show_slack(const void *row, const void *context, struct str *scratch)
{
    const struct bounded *b = &((const struct slack *)row)->ns;
    (void)context;
    if (isfinite(b->value) && !isfinite(b->high))
        str_addf(scratch, "%.0f or more", b->value);
    else if (isfinite(b->value))
        str_addf(scratch, "%.0f (%.0f to %.0f)", b->value, b->low, b->high);
    return row_text_or_unknown(str_text(scratch));
}

/* ---- doses ---- */

BOUNDED_OF(dose_ns_of, struct slack_dose, ns)
BOUNDED_OF(dose_cycles_of, struct slack_dose, cycles)

#define OF_DOSE(field) ROW_AT(struct slack_dose, field)

static const struct row_column dose_list[] = {
    {"asked_cycles", OF_DOSE(asked_cycles), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "what the mark was told to wait"},
    {"delay_cycles", OF_DOSE(delay_cycles), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "how much longer it really waits than the mark of the control"},
    {"cycles", BOUNDED(dose_cycles_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "by how much a tile becomes longer; `value`, `low`, `high`, or `null`"},
    {"ns", BOUNDED(dose_ns_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "by how much a launch becomes longer; the same"},
};
const struct row_columns slack_dose_columns = ROW_COLUMNS("slack dose", struct slack_dose, dose_list);

static size_t doses_of(const void *row, const void *context, const void **items)
{
    const struct slack *s = row;
    (void)context;
    *items = s->doses;
    return s->dose_count;
}

/* ---- marks ---- */

BOUNDED_OF(control_of, struct slack, control)
BOUNDED_OF(ns_of, struct slack, ns)
BOUNDED_OF(slope_of, struct slack, slope)
BOUNDED_OF(critical_of, struct slack, critical)
SHOWN(show_slope, slope, "2", "")
SHOWN(show_critical, critical, "2", "")

#define OF_SLACK(field) ROW_AT(struct slack, field)

static const struct row_column slack_list[] = {
    {"variant", OF_SLACK(variant), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE_CODE("variant"), "without marks"},
    {"shape", OF_SLACK(config), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("shape"), "its shape with its parameters"},
    {"role", OF_SLACK(role_name), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("role"),
     "who does it, as the kernel says"},
    {"phase", OF_SLACK(name), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("phase"),
     "what was delayed, as the kernel says"},
    {"role_number", OF_SLACK(role), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the role's number"},
    {"mark", OF_SLACK(mark), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the mark that waits, before the phase begins"},
    {"slack_ns", BOUNDED(ns_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "how much later it may begin for free: `value` where the line through the two largest doses meets no cost, `low` free "
     "for certain, `high` the latest that the intervals allow, `null` for no limit; `null` when it is not known"},
    {"slope", BOUNDED(slope_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "of that line: cycles a tile becomes longer for each cycle of delay; `null` for what is hidden"},
    {"critical", BOUNDED(critical_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the same at the smallest dose"},
    {"control", BOUNDED(control_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "by which share the build whose mark does not wait is slower than the one without marks"},
    {"tiles", OF_SLACK(tiles), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE,
     "that a launch goes through one after the other; 0: unknown"},
    {"cycles_per_ns", OF_SLACK(cycles_per_ns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "of the SMs' clock; `null`: unknown"},
    {"slack_shown", ROW_MADE(ROW_TEXT, show_slack), UNIT_TEXT, ROW_TABLE, ROW_TITLE("slack, ns"), ""},
    {"slope_shown", ROW_MADE(ROW_TEXT, show_slope), UNIT_TEXT, ROW_TABLE, ROW_TITLE("slope beyond"), ""},
    {"critical_shown", ROW_MADE(ROW_TEXT, show_critical), UNIT_TEXT, ROW_TABLE, ROW_TITLE("at the first dose"), ""},
    {"status", OF_SLACK(status), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("status"),
     "`hidden`, `critical`, `partly`, `unsteady` (a larger delay costs less, or less for each cycle, than a smaller one) or `inconclusive`"},
    {"reason", ROW_AT_OR_NULL(struct slack, reason), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "why it is inconclusive; `null` when it is not"},
    {"doses", ROW_LIST_OF(doses_of, &slack_dose_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "by delay"},
};
const struct row_columns slack_columns = ROW_COLUMNS("slack", struct slack, slack_list);
