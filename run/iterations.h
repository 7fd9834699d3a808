/* iterations.h - the iterations of programs, gathered by variant: what each did and
 * when the next one began. */
#ifndef CPPROF_ITERATIONS_H
#define CPPROF_ITERATIONS_H

#include <stddef.h>

#include "base/err.h"
#include "run/arm_table.h"

/* Medians over all iterations of all processes; NAN without any. Most and fewest
 * of what should be the same each time. */
struct iteration_summary {
    size_t count;
    double busy_ns, span_ns, interval_ns, idle_ns;
    double kernels, kernels_min, kernels_max;
    double copies, copies_min, copies_max;
    double bytes, bytes_min, bytes_max;
};

/* From BUNDLE_ITERATIONS. */
int iterations_summarise(struct iteration_summary *out, const struct arm_table *iterations, const struct arm *arm,
                         struct err *e);

#endif
