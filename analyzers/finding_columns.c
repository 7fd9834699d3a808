/* What stands in the formats of a finding, and of the evidence of any claim? */
#include "analyzers/columns.h"
#include "analyzers/finding.h"

static struct row_value unit_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(unit_name((enum unit)((const struct evidence *)row)->unit));
}

static void show_value(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    const struct evidence *evidence = row;
    char text[UNITS_TEXT_BYTES];
    (void)value, (void)context;
    str_add(out, unit_format(text, (enum unit)evidence->unit, evidence->value));
}

#define OF_EVIDENCE(field) ROW_AT(struct evidence, field)

static const struct row_column evidence_list[] = {
    {"metric", OF_EVIDENCE(metric), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE_CODE("metric"), "CUPTI's name, or ours"},
    {"value", OF_EVIDENCE(value), UNIT_NONE, ROW_JSON | ROW_TABLE, ROW_SHOWN("value", show_value), "in `unit`"},
    {"unit", ROW_MADE(ROW_TEXT, unit_of), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "the unit of the value"},
};

const struct row_columns evidence_columns = ROW_COLUMNS("evidence", struct evidence, evidence_list);

#define OF_FINDING(field) ROW_AT(struct finding, field)

static const struct row_column finding_list[] = {
    {"id", OF_FINDING(id), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "which claim it is, the same in every run"},
    {"variant", OF_FINDING(variant), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "the variant that it is about; empty when it is about the whole bundle"},
    {"shape", OF_FINDING(config), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "the case that it is about"},
    {"claim", OF_FINDING(claim), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "one sentence"},
};

const struct row_columns finding_columns = ROW_COLUMNS("finding", struct finding, finding_list);
