/* What stands in the table of the times of each arm? */
#include "analyzers/columns.h"
#include "analyzers/compare/comparison_words.h"

static void show_case(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    (void)context;
    case_words_add(out, value->text, ((const struct timing_summary *)row)->cache);
}

/* Operations have no unit of their own here: the title carries it. */
static void show_tera(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    (void)row, (void)context;
    if (value->type == ROW_IS_NUMBER)
        str_addf(out, "%.3f", value->number / 1e12);
    else
        str_add(out, "n/a");
}

#define AT(field) ROW_AT(struct timing_summary, field)

static const struct row_column columns[] = {
    {"variant", AT(variant), UNIT_TEXT, ROW_TABLE, ROW_TITLE_CODE("variant"), ""},
    {"shape", AT(config), UNIT_TEXT, ROW_TABLE, ROW_SHOWN("shape", show_case), ""},
    {"p50_ns", AT(p50_ns), UNIT_NS, ROW_TABLE, ROW_TITLE("p50"), ""},
    {"p90_ns", AT(p90_ns), UNIT_NS, ROW_TABLE, ROW_TITLE("p90"), ""},
    {"p99_ns", AT(p99_ns), UNIT_NS, ROW_TABLE, ROW_TITLE("p99"), ""},
    {"mean_ns", AT(mean_ns), UNIT_NS, ROW_TABLE, ROW_TITLE("mean"), ""},
    {"std_ns", AT(std_ns), UNIT_NS, ROW_TABLE, ROW_TITLE("std"), ""},
    {"min_ns", AT(min_ns), UNIT_NS, ROW_TABLE, ROW_TITLE("min"), ""},
    {"processes", AT(processes), UNIT_COUNT, ROW_TABLE, ROW_TITLE("processes"), ""},
    {"samples", AT(samples), UNIT_COUNT, ROW_TABLE, ROW_TITLE("samples"), ""},
    {"flops_per_s", AT(flops_per_s), UNIT_FLOP_PER_S, ROW_TABLE, ROW_SHOWN("TFLOP/s", show_tera), ""},
    {"bytes_per_s", AT(bytes_per_s), UNIT_BYTES_PER_S, ROW_TABLE, ROW_TITLE("bytes/s"), ""},
};

const struct row_columns timing_columns = ROW_COLUMNS("timing", struct timing_summary, columns);
