/* What stands in JSON of two witnesses? */
#include "analyzers/columns.h"
#include "analyzers/witness/witness_rows.h"

static struct row_value status_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(witness_status_name(((const struct witness_check *)row)->status));
}

static struct row_value unit_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(unit_name(((const struct witness_check *)row)->unit));
}

#define AT(field) ROW_AT(struct witness_check, field)

static const struct row_column columns[] = {
    {"variant", AT(variant), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "the variant of the arm"},
    {"shape", AT(config), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "its case"},
    {"witness", AT(witness), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "which [witness](witnesses.md)"},
    {"status", ROW_MADE(ROW_TEXT, status_of), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "`agrees`, `contradicted`, `not checked`"},
    {"claimed", AT(claimed), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "what one says, in `unit`"},
    {"seen", AT(seen), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "what the other says"},
    {"unit", ROW_MADE(ROW_TEXT, unit_of), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "the unit of both"},
    {"detail", AT(detail), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "of a contradiction both numbers in a sentence, of what is not checked the reason"},
};

const struct row_columns witness_columns = ROW_COLUMNS("witness", struct witness_check, columns);
