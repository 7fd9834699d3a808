/* What stands in JSON of a kernel below its roofs? */
#include "analyzers/columns.h"
#include "analyzers/inner_rows.h"
#include "core/run/roofline.h"

#define OF_ROOF(field) ROW_AT(struct roof, field)

static const struct row_column precision_list[] = {
    {"precision", OF_ROOF(name), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "`fp32`, `tensor_fp16`, ..."},
    {"flop", OF_ROOF(amount), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "its operations in the launch"},
    {"flop_per_s", OF_ROOF(per_s), UNIT_FLOP_PER_S, ROW_JSON, ROW_NO_TITLE, "over the launch's duration"},
    {"peak_flop_per_s", OF_ROOF(peak), UNIT_FLOP_PER_S, ROW_JSON, ROW_NO_TITLE,
     "the most in theory, at the clocks of that launch"},
    {"measured_flop_per_s", OF_ROOF(measured), UNIT_FLOP_PER_S, ROW_JSON, ROW_NO_TITLE, "the most that was measured"},
};

const struct row_columns precision_columns = ROW_COLUMNS("precision", struct roof, precision_list);

static const struct row_column level_list[] = {
    {"level", OF_ROOF(name), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "`l1`, `l2`, `dram`"},
    {"bytes", OF_ROOF(amount), UNIT_BYTES, ROW_JSON, ROW_NO_TITLE, "that the launch moved there"},
    {"intensity", OF_ROOF(intensity), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "FLOP per byte"},
    {"bytes_per_s", OF_ROOF(per_s), UNIT_BYTES_PER_S, ROW_JSON, ROW_NO_TITLE, "over the launch's duration"},
    {"peak_bytes_per_s", OF_ROOF(peak), UNIT_BYTES_PER_S, ROW_JSON, ROW_NO_TITLE,
     "the most in theory, at the clocks of that launch"},
    {"measured_bytes_per_s", OF_ROOF(measured), UNIT_BYTES_PER_S, ROW_JSON, ROW_NO_TITLE, "the most that was measured"},
};

const struct row_columns level_columns = ROW_COLUMNS("level", struct roof, level_list);

LIST_OF(precisions_of, struct roofline, precisions, precision_count)
ALL_OF(levels_of, struct roofline, levels)

#define AT(field) ROW_AT(struct roofline, field)

static const struct row_column columns[] = {
    {"duration_ns", AT(duration_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "of the launch that was counted"},
    {"flop", AT(flop), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "all its operations"},
    {"flop_per_s", AT(flop_per_s), UNIT_FLOP_PER_S, ROW_JSON, ROW_NO_TITLE, "over that duration"},
    {"precisions", ROW_LIST_OF(precisions_of, &precision_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "a roof for each precision that it has operations of, those that need most time first"},
    {"levels", ROW_LIST_OF(levels_of, &level_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "a roof for each level of memory"},
    {"nearest", ROW_AT_OR_NULL(struct roofline, nearest), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "the roof that would take most of the time; `null` when no height is known"},
    {"nearest_share", AT(nearest_share), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE, "of its height"},
    {"nearest_is_measured", AT(nearest_is_measured), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "the height is what was measured, else theory"},
    {"beaten", ROW_AT_OR_NULL(struct roofline, beaten), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "heights that are not credible, because the launch did more than they allow: `l2 measured`; they are left out. Or "
     "`null`"},
    {"uncounted", ROW_AT_OR_NULL(struct roofline, uncounted), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "precisions whose operations have no counter, or `null`"},
};

const struct row_columns roofline_columns = ROW_COLUMNS("roofline", struct roofline, columns);
