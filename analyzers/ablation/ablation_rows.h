/* ablation_rows.h - is the copying of a kernel hidden, by the times of builds without copies, without math and without
 * either (docs/inside.md)? */
#ifndef CPPROF_ABLATION_ROWS_H
#define CPPROF_ABLATION_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzers/compare/sweep_rows.h"
#include "bundle/bundle_tables.h"
#include "run/arms.h"
#include "run/instrumented_arm.h"

/* What a build leaves out must be all in which it differs. */
struct ablation_receipt {
    int64_t copy_counters, math_counters; /* that count something: of the build without math, of that without copies */
    const char *differs;                  /* the first that is not equal; "" for none */
    double expected, got;                 /* its values of the variant and of the build; NAN: unknown */
};

struct ablation {
    const struct arm *arms[LEFT_OUT_COUNT]; /* by what they leave out, the variant first; NULL: the run has none */
    const char *variant, *config;           /* of the variant that leaves out nothing */
    double ns[LEFT_OUT_COUNT];              /* of a launch; NAN: unknown */
    struct bounded copy_ns, compute_ns, hidden_ns; /* of a launch: either alone, and how long both run at once */
    struct bounded h, e;
    struct ablation_receipt receipt;
    struct bounded recorder_e;  /* the same of the recorder, in `recorder_scope`; NAN: nothing to hold it against */
    const char *recorder_scope; /* "" without */
    bool is_ok;
    const char *reason; /* why not; "" when it is */
    const char *why;    /* the same in words, as half a sentence */
};

#endif
