/* steps_report.h - what `compare` prints of two captures or traces. */
#ifndef CPPROF_STEPS_REPORT_H
#define CPPROF_STEPS_REPORT_H

#include "analyzers/steps/step_comparison.h"
#include "reports/trace_words.h"

struct steps_report {
    struct trace_side sides[TRACE_SIDES];     /* before, after */
    const struct step_comparison *comparison; /* not owned */
};

int report_steps(const struct steps_report *r, struct document *out, struct err *e);
json_t *json_steps(const struct steps_report *r); /* cpprof.steps/1, docs/json.md */

#endif
