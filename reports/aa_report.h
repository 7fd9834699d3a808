/* aa_report.h - what `cpprof aa` prints: does the machine keep the limits, and how small a difference does it find? */
#ifndef CPPROF_AA_REPORT_H
#define CPPROF_AA_REPORT_H

#include "analyzers/compare/aa_comparisons.h"
#include "core/base/caveat.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "reports/document/document.h"

struct aa_report {
    const char *source; /* the pool as given */
    const char *device; /* "" when the pool does not say */
    const struct aa_result *result;
    const struct caveat_list *caveats;
};

int report_aa(const struct aa_report *r, struct document *out, struct err *e);
json_t *json_aa(const struct aa_report *r); /* cpprof.aa/1, docs/json.md */

#endif
