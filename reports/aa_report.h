/* aa_report.h - what `aa` prints of a pool. */
#ifndef CPPROF_AA_REPORT_H
#define CPPROF_AA_REPORT_H

#include "base/err.h"
#include "base/json.h"
#include "model/aa_pool.h"
#include "model/caveat.h"
#include "reports/document.h"

struct aa_report {
    const char *source; /* the pool as given */
    const char *device; /* "" when the pool does not say */
    const struct aa_result *result;
    const struct caveat_list *caveats;
};

int report_aa(const struct aa_report *r, struct document *out, struct err *e);
json_t *json_aa(const struct aa_report *r); /* cpprof.aa/1, docs/json.md */

#endif
