/* What stands in the formats of expected changes and of what became different? */
#include "analyzers/changes/change_rows.h"
#include "analyzers/columns.h"
#include "core/gpu/expected_change.h"

static struct row_value verdict_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(expected_change_verdict_name(((const struct expected_change_result *)row)->status));
}

static struct row_value unit_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(unit_name((enum unit)((const struct expected_change_result *)row)->unit));
}

/* The unit is the row's. */
static void show_value(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    const struct expected_change_result *s = row;
    char text[UNITS_TEXT_BYTES];
    (void)context;
    str_add(out, value->type == ROW_IS_NUMBER ? unit_format(text, (enum unit)s->unit, value->number) : "n/a");
}

#define OF_EXPECTED_CHANGE(field) ROW_AT(struct expected_change_result, field)
enum { JSON = ROW_JSON, PLAIN = SIGNALS_OF_BASELINE, AGAINST = SIGNALS_AGAINST };

static const struct row_column expected_change_list[] = {
    {"variant", OF_EXPECTED_CHANGE(variant), UNIT_TEXT, JSON | PLAIN | AGAINST, ROW_TITLE_CODE("variant"),
     "which variant"},
    {"baseline", OF_EXPECTED_CHANGE(baseline), UNIT_TEXT, JSON | AGAINST, ROW_TITLE_CODE("against"),
     "what it was held against: the variant that it [improves on](rules.md#of-a-variant), else its baseline"},
    {"shape", OF_EXPECTED_CHANGE(config), UNIT_TEXT, JSON | PLAIN | AGAINST, ROW_TITLE("shape"), "at which case"},
    {"signal", OF_EXPECTED_CHANGE(expected_change), UNIT_TEXT, JSON | PLAIN | AGAINST, ROW_TITLE_CODE("expected"),
     "as the variant declared it"},
    {"verdict", ROW_MADE(ROW_TEXT, verdict_of), UNIT_TEXT, JSON | PLAIN | AGAINST, ROW_TITLE("verdict"),
     "`confirmed`, `refuted`, `unknown`"},
    {"baseline_value", OF_EXPECTED_CHANGE(baseline_value), UNIT_NONE, JSON | PLAIN, ROW_SHOWN("baseline", show_value),
     "what the counter was there, in `unit`"},
    {"value_there", OF_EXPECTED_CHANGE(baseline_value), UNIT_NONE, AGAINST, ROW_SHOWN("value there", show_value), ""},
    {"value", OF_EXPECTED_CHANGE(value), UNIT_NONE, JSON | PLAIN | AGAINST, ROW_SHOWN("variant", show_value),
     "the same of the variant"},
    {"unit", ROW_MADE(ROW_TEXT, unit_of), UNIT_TEXT, JSON, ROW_NO_TITLE, "the unit of both values"},
    {"change", OF_EXPECTED_CHANGE(change), UNIT_TEXT, JSON | PLAIN | AGAINST, ROW_TITLE("change"),
     "`up 60.1%`; of one that is not known the reason"},
};

const struct row_columns expected_change_columns = ROW_COLUMNS_ORDERED(
    "signal", struct expected_change_result, expected_change_list,
    {PLAIN | AGAINST, "variant shape signal baseline baseline_value value_there value change verdict"});

#define OF_TRANSITION(field) ROW_AT(struct transition, field)

static const struct row_column transition_list[] = {
    {"baseline", OF_TRANSITION(baseline), UNIT_TEXT, JSON, ROW_NO_TITLE, "what the candidate is held against"},
    {"candidate", OF_TRANSITION(candidate), UNIT_TEXT, JSON, ROW_NO_TITLE, "which variant"},
    {"shape", OF_TRANSITION(config), UNIT_TEXT, JSON, ROW_NO_TITLE, "at which case"},
    {"text", OF_TRANSITION(text), UNIT_TEXT, JSON, ROW_NO_TITLE, "one sentence of what became different materially"},
};

const struct row_columns transition_columns = ROW_COLUMNS("transition", struct transition, transition_list);
