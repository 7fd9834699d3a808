/* What stands in the table of what was launched, and in its gates? */
#include "analyzers/columns.h"
#include "analyzers/selection/selection_rows.h"

const struct reason selection_reasons[] = {SELECTION_REASONS(REASON_ROW)};

static struct row_value rule_of(const void *row, const void *context, struct str *scratch)
{
    const struct selection_check *check = row;
    (void)context;
    str_addf(scratch, "selection: %s, %s", check->variant, check->config);
    return row_text(str_text(scratch));
}

static struct row_value status_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(verdict_status_name(((const struct selection_check *)row)->status));
}

#define AT(field) ROW_AT(struct selection_check, field)

static const struct row_column columns[] = {
    {"rule", ROW_MADE(ROW_TEXT, rule_of), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "`selection: VARIANT, SHAPE` or `correctness: VARIANT, SHAPE`"},
    {"variant", AT(variant), UNIT_TEXT, ROW_TABLE, ROW_TITLE_CODE("variant"), ""},
    {"shape", AT(config), UNIT_TEXT, ROW_TABLE, ROW_TITLE("shape"), ""},
    {"status", ROW_MADE(ROW_TEXT, status_of), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("status"),
     "`pass`, `fail` or `inconclusive`"},
    {"reason", ROW_REASON(struct selection_check, reason, selection_reasons), UNIT_TEXT, ROW_TABLE, ROW_TITLE("reason"),
     ""},
    {"meant", AT(meant), UNIT_TEXT, ROW_TABLE, ROW_TITLE_CODE("meant"), ""},
    {"ran", AT(ran), UNIT_TEXT, ROW_TABLE, ROW_TITLE_CODE("ran"), ""},
    {"launches", AT(launches), UNIT_COUNT, ROW_TABLE, ROW_TITLE("launches"), ""},
    {"detail", AT(detail), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("evidence"), "one sentence with the numbers"},
};

const struct row_columns selection_columns = ROW_COLUMNS("gate", struct selection_check, columns);
