/* What does a spreadsheet read about comparisons? */
#include "analyzers/columns.h"
#include "reports/compare_report.h"
#include "reports/rows/row_formats.h"

int csv_compare(const struct compare_report *r, struct str *out, struct err *e)
{
    return row_csv(&comparison_columns, r->verdicts->comparisons.items, r->verdicts->comparisons.count, NULL, out, e);
}
