/* verdict_rows.h - the verdicts of a comparison for CI servers: runs, traces and benchmarks in the same words. */
#ifndef CPPROF_VERDICT_ROWS_H
#define CPPROF_VERDICT_ROWS_H

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/err.h"
#include "core/base/str.h"
#include "reports/benchmarks_report.h"
#include "reports/compare_report.h"
#include "reports/steps_report.h"

struct verdict_row {
    const char *name;    /* what was compared */
    const char *verdict; /* "slower"; "error" where nothing could be compared */
    const char *says;    /* the reason in a sentence */
    enum exit_status status;
};

struct verdict_rows {
    const char *source; /* what was given: "before.cpprof, after.cpprof" */
    ARRAY_OF(struct verdict_row) rows;
    struct arena arena; /* of all texts */
};

/* Each begins `out`: release it even after an error. */
int verdict_rows_of_runs(struct verdict_rows *out, const struct compare_report *r, struct err *e);
int verdict_rows_of_steps(struct verdict_rows *out, const struct steps_report *r, struct err *e);
int verdict_rows_of_benchmarks(struct verdict_rows *out, const struct benchmarks_report *r, struct err *e);
/* A comparison that could not be made; `second` is NULL of one input. */
int verdict_rows_of_failure(struct verdict_rows *out, const char *first, const char *second, const struct err *why,
                            struct err *e);
void verdict_rows_release(struct verdict_rows *r);

/* Adds a row when `status` is worse than that of each row, so that no reader sees a better result than the exit status.
 */
int verdict_rows_add_status(struct verdict_rows *r, enum exit_status status, struct err *e);

int junit_verdicts(const struct verdict_rows *r, struct str *out, struct err *e);
int github_verdicts(const struct verdict_rows *r, struct str *out, struct err *e);

#endif
