/* What stands in the table of what was verified, and in its gates? The context is the analysis. */
#include "analyzers/analysis.h"
#include "analyzers/columns.h"

static struct row_value rule_of(const void *row, const void *context, struct str *scratch)
{
    const struct correctness *c = row;
    (void)context;
    str_addf(scratch, "correctness: %s, %s", c->variant, c->config);
    return row_text(str_text(scratch));
}

static struct row_value status_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(verdict_status_name(((const struct correctness *)row)->status));
}

static struct row_value detail_of(const void *row, const void *context, struct str *scratch)
{
    const struct correctness *c = row;
    if (c->checks)
        str_addf(scratch, "%lld of %lld checks failed", (long long)c->failed, (long long)c->checks);
    else if (analysis_is_uncompared(context, c->arm))
        str_addf(scratch, "results not compared%s",
                 analysis_accepts_uncompared(context) ? ", which --unverified accepts" : "");
    else
        str_add(scratch, "no output was checked");
    return row_text(str_text(scratch));
}

/* The baseline itself has nothing to be equal to. */
static struct row_value bitwise_of(const void *row, const void *context, struct str *scratch)
{
    const struct correctness *c = row;
    (void)scratch;
    if (c->bitwise_equal >= 0)
        return row_text(c->bitwise_equal ? "yes" : "no");
    return row_text(*analysis_baseline_of(context, c->variant) ? "unknown" : "-");
}

static void show_status(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    const char *failure = analysis_failure(context, row);
    str_addf(out, "%s%s%s%s", value->text, *failure ? " (" : "", failure, *failure ? ")" : "");
}

static void show_error(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    const struct correctness *c = row;
    (void)value, (void)context;
    if (c->checks)
        str_addf(out, "%.3g", c->max_abs_err);
    else
        str_add(out, "n/a");
}

#define AT(field) ROW_AT(struct correctness, field)

static const struct row_column columns[] = {
    {"rule", ROW_MADE(ROW_TEXT, rule_of), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "`selection: VARIANT, SHAPE` or `correctness: VARIANT, SHAPE`"},
    {"variant", AT(variant), UNIT_TEXT, ROW_TABLE, ROW_TITLE_CODE("variant"), ""},
    {"shape", AT(config), UNIT_TEXT, ROW_TABLE, ROW_TITLE("shape"), ""},
    {"status", ROW_MADE(ROW_TEXT, status_of), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_SHOWN("status", show_status),
     "`pass`, `fail` or `inconclusive`"},
    {"checks", AT(checks), UNIT_COUNT, ROW_TABLE, ROW_TITLE("checks"), ""},
    {"failed", AT(failed), UNIT_COUNT, ROW_TABLE, ROW_TITLE("failed"), ""},
    {"max_abs_err", AT(max_abs_err), UNIT_NONE, ROW_TABLE, ROW_SHOWN("largest error", show_error), ""},
    {"bad_ratio", AT(bad_ratio), UNIT_RATIO, ROW_TABLE, ROW_TITLE("wrong values"), ""},
    {"bitwise_equal", ROW_MADE(ROW_TEXT, bitwise_of), UNIT_TEXT, ROW_TABLE, ROW_TITLE("bitwise equal to the baseline"),
     ""},
    {"detail", ROW_MADE(ROW_TEXT, detail_of), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "one sentence with the numbers"},
};

const struct row_columns correctness_columns = ROW_COLUMNS("gate", struct correctness, columns);
