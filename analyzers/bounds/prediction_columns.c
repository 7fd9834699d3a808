/* What stands in the formats of a prediction? */
#include "analyzers/bounds/bound_rows.h"
#include "analyzers/columns.h"
#include "analyzers/inner_rows.h"

#define OF_OUTCOME(field) ROW_AT(struct prediction_outcome, field)

static const struct row_column outcome_list[] = {
    {"with", OF_OUTCOME(with), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "a candidate, or `ctas_per_sm=8`"},
    {"gain", OF_OUTCOME(gain), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE, "the gain that was measured"},
    {"inside", OF_OUTCOME(inside), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "is it inside the predicted interval?"},
};
const struct row_columns outcome_columns = ROW_COLUMNS("outcome", struct prediction_outcome, outcome_list);

LIST_OF(outcomes_of, struct prediction, outcomes, outcome_count)

static const char *percent(char *text, double share)
{
    return unit_format(text, UNIT_RATIO, share);
}

static void show_interval(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    const struct prediction *p = row;
    char low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    (void)value, (void)context;
    str_addf(out, "%s to %s", percent(low, p->gain_low), percent(high, p->gain_high));
}

static void show_measured(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    const struct prediction *p = row;
    char gain[UNITS_TEXT_BYTES];
    (void)value, (void)context;
    for (size_t i = 0; i < p->outcome_count; i++)
        str_addf(out, "%s%s with %s: %s", i ? "; " : "", percent(gain, p->outcomes[i].gain), p->outcomes[i].with,
                 p->outcomes[i].inside ? "inside" : "OUTSIDE");
    if (!p->outcome_count)
        str_add(out, "not in this run");
}

#define AT(field) ROW_AT(struct prediction, field)
enum { JSON = ROW_JSON, TABLE = ROW_TABLE };

static const struct row_column columns[] = {
    {"variant", AT(variant), UNIT_TEXT, JSON | TABLE, ROW_TITLE_CODE("variant"), "the variant"},
    {"shape", AT(config), UNIT_TEXT, JSON | TABLE, ROW_TITLE("shape"), "the case"},
    {"id", AT(id), UNIT_TEXT, JSON, ROW_NO_TITLE,
     "`launch-gap`, `small-grid`, `tail`, `memory-traffic`, `compute-work`, `load-ahead`, `load-further`, `stage` or `blocks`"},
    {"change", AT(change), UNIT_TEXT, JSON | TABLE, ROW_TITLE("change"), "the same for people"},
    {"gain_low", AT(gain_low), UNIT_RATIO, JSON | TABLE, ROW_SHOWN("predicted gain", show_interval),
     "lower end of the interval of the gain, 1 - t_after / t_before; may be negative"},
    {"gain_high", AT(gain_high), UNIT_RATIO, JSON, ROW_NO_TITLE, "its upper end"},
    {"because", AT(because), UNIT_TEXT, JSON | TABLE, ROW_TITLE("because"), "the numbers, in one sentence"},
    {"assumption", AT(assumption), UNIT_TEXT, JSON, ROW_NO_TITLE, "what is assumed of the change, in one sentence"},
    {"measured", ROW_LIST_OF(outcomes_of, &outcome_columns), UNIT_NONE, JSON | TABLE,
     ROW_SHOWN("measured", show_measured), "list of `with`, `gain`, `inside`; empty when the run holds no such change"},
};

const struct row_columns prediction_columns = ROW_COLUMNS_ORDERED(
    "prediction", struct prediction, columns, {TABLE, "variant shape change gain_low measured because"});
