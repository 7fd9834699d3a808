/* step_comparison.h - is the step of one trace faster than that of another, and where? */
#ifndef CPPROF_STEP_COMPARISON_H
#define CPPROF_STEP_COMPARISON_H

#include "analyzers/spread_decision.h"
#include "analyzers/steps/step_rows.h"
#include "analyzers/steps/trace_steps.h"
#include "core/base/caveat.h"
#include "core/base/err.h"
#include "core/base/json.h"

enum { STEPS_MIN = SPREAD_VALUES_MIN, STEP_BLOCKS_MAX = SPREAD_BLOCKS_MAX };

/* What is compared; nothing is owned. */
struct step_input {
    const struct trace_steps *steps;
    const struct caveat_list *caveats; /* of the trace, and of the capture */
    const json_t *manifest;            /* of a capture; NULL: another trace */
};

/* Compares two traces. `across` names what differs on purpose, as for arms (device, driver); NULL: nothing. `out` keeps
 * no pointer into the traces. Release it even after an error. */
int step_comparison_make(struct step_comparison *out, const struct step_input *before, const struct step_input *after,
                         double margin, const char *across, struct err *e);
void step_comparison_release(struct step_comparison *c);

#endif
