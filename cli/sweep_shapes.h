/* sweep_shapes.h - the shapes that --sweep and --shape together mean. */
#ifndef CPPROF_SWEEP_SHAPES_H
#define CPPROF_SWEEP_SHAPES_H

#include "cli/record/run_session.h"
#include "core/base/err.h"

/* Every size of the sweep with every one of `shapes`, which are dimensions such as H=8, or alone where there are none.
 * The texts of `out` are the caller's: sweep_shapes_release. */
int sweep_shapes(struct run_texts *out, const char *sweep, const struct run_texts *shapes, struct err *e);
void sweep_shapes_release(struct run_texts *texts);

#endif
