/* What stands in the formats of an ablation? */
#include <math.h>

#include "analyzers/ablation/ablation_rows.h"
#include "analyzers/bounded_cells.h"
#include "analyzers/columns.h"
#include "analyzers/inner_rows.h"

/* ---- the receipt ---- */

#define OF_RECEIPT(field) ROW_AT(struct ablation_receipt, field)

static const struct row_column receipt_list[] = {
    {"copy_counters", OF_RECEIPT(copy_counters), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE,
     "exact counters of copies that were compared and are not 0, of the variant and of the build without math"},
    {"math_counters", OF_RECEIPT(math_counters), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE,
     "counters of operations that were compared and are not 0, of the variant and of the build without copies"},
    {"differs", ROW_AT_OR_NULL(struct ablation_receipt, differs), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "the first counter that differs by more than 1%, bytes in L2 by more than 5%; `null` for none"},
    {"expected", OF_RECEIPT(expected), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "its value of the variant"},
    {"got", OF_RECEIPT(got), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "and of the build"},
};
const struct row_columns ablation_receipt_columns =
    ROW_COLUMNS("ablation receipt", struct ablation_receipt, receipt_list);

/* ---- the row ---- */

BOUNDED_OF(copy_of, struct ablation, copy_ns)
BOUNDED_OF(compute_of, struct ablation, compute_ns)
BOUNDED_OF(hidden_of, struct ablation, hidden_ns)
BOUNDED_OF(h_of, struct ablation, h)
BOUNDED_OF(e_of, struct ablation, e)
BOUNDED_OF(recorder_of, struct ablation, recorder_e)
SHOWN(show_copy, struct ablation, copy_ns, add_amount)
SHOWN(show_compute, struct ablation, compute_ns, add_amount)
SHOWN(show_hidden, struct ablation, hidden_ns, add_amount)
SHOWN(show_h, struct ablation, h, add_percent)
SHOWN(show_e, struct ablation, e, add_percent)
SHOWN(show_recorder, struct ablation, recorder_e, add_percent)

PART_OF(receipt_of, struct ablation, receipt)

static struct row_value status_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(((const struct ablation *)row)->is_ok ? "ok" : "inconclusive");
}

#define AT(field) ROW_AT(struct ablation, field)

static const struct row_column columns[] = {
    {"variant", AT(variant), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE_CODE("variant"), "the variant"},
    {"shape", AT(config), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("shape"), "the case"},
    {"ns", AT(ns[LEFT_OUT_NOTHING]), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "a launch of the variant"},
    {"ns_without_copy", AT(ns[LEFT_OUT_COPY]), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "of its build without copies"},
    {"ns_without_math", AT(ns[LEFT_OUT_MATH]), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "of its build without math"},
    {"ns_without_both", AT(ns[LEFT_OUT_BOTH]), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "of its build without either"},
    {"copy_ns", BOUNDED(copy_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "copies alone, of a launch: without math, less without either; `value`, `low`, `high`, or `null`"},
    {"compute_ns", BOUNDED(compute_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "math alone; the same"},
    {"hidden_ns", BOUNDED(hidden_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "both at once; the same"},
    {"copy_shown", ROW_MADE(ROW_TEXT, show_copy), UNIT_TEXT, ROW_TABLE, ROW_TITLE("copy alone, ns"), ""},
    {"compute_shown", ROW_MADE(ROW_TEXT, show_compute), UNIT_TEXT, ROW_TABLE, ROW_TITLE("math alone, ns"), ""},
    {"hidden_shown", ROW_MADE(ROW_TEXT, show_hidden), UNIT_TEXT, ROW_TABLE, ROW_TITLE("both at once, ns"), ""},
    {"h", BOUNDED(h_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "part of the copy that is hidden; the same"},
    {"e", BOUNDED(e_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "part of what could be hidden; the same"},
    {"h_shown", ROW_MADE(ROW_TEXT, show_h), UNIT_TEXT, ROW_TABLE, ROW_TITLE("H"), ""},
    {"e_shown", ROW_MADE(ROW_TEXT, show_e), UNIT_TEXT, ROW_TABLE, ROW_TITLE("E"), ""},
    {"recorder_e", BOUNDED(recorder_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "E of the recorder, against which it is held; `null` for none"},
    {"recorder_shown", ROW_MADE(ROW_TEXT, show_recorder), UNIT_TEXT, ROW_TABLE, ROW_TITLE("E of the recorder"), ""},
    {"recorder_scope", ROW_AT_OR_NULL(struct ablation, recorder_scope), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "the scope of that one"},
    {"receipt", ROW_OBJECT_OF(receipt_of, &ablation_receipt_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "is what a build left in the work of the variant?"},
    {"status", ROW_MADE(ROW_TEXT, status_of), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("status"),
     "`ok` or `inconclusive`"},
    {"reason", ROW_AT_OR_NULL(struct ablation, reason), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "why it is inconclusive; `null` when it is not"},
};
const struct row_columns ablation_columns = ROW_COLUMNS("ablation", struct ablation, columns);
