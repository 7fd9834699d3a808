/* compare_report.h - what `compare` prints, of one bundle or of two. */
#ifndef CPPROF_COMPARE_REPORT_H
#define CPPROF_COMPARE_REPORT_H

#include "analyzers/analysis.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/str.h"
#include "reports/document/document.h"

struct compare_side {
    const char *path; /* as given */
    const struct analysis *analysis;
};

struct compare_report {
    const struct analysis *verdicts; /* of one bundle that of the side itself */
    struct compare_side sides[2];    /* baseline, candidate */
    size_t side_count;
};

/* The verdict, what is to be known before it, the table by size with its average,
 * what each verdict rests on, how to read it, where it comes from. */
int report_compare(const struct compare_report *r, struct document *out, struct err *e);
json_t *json_compare_report(const struct compare_report *r);                     /* cpprof.compare/1 */
int csv_compare(const struct compare_report *r, struct str *out, struct err *e); /* one row a comparison */

#endif
