/* iterations.h - the iterations of programs, summarised by variant: what each did, and when the next one began. */
#ifndef CPPROF_ITERATIONS_H
#define CPPROF_ITERATIONS_H

#include <stddef.h>

#include "core/base/err.h"
#include "core/run/arm_table.h"

/* Medians over all iterations of all processes; NAN when there are none. The minima and maxima are for counts that
 * should be the same each time. */
struct iteration_summary {
    size_t count;
    double busy_ns, span_ns, interval_ns, idle_ns;
    double kernels, kernels_min, kernels_max;
    double copies, copies_min, copies_max; /* and memsets */
    double memsets;                        /* of these, where all iterations have as many; NAN: not told apart */
    double bytes, bytes_min, bytes_max;
};

/* Summarises the rows of an arm in BUNDLE_ITERATIONS; BUNDLE_WORK tells memsets from copies. `tables` are those of the
 * run. */
int iterations_summarise(struct iteration_summary *out, const struct arm_table *tables, const struct arm *arm,
                         struct err *e);

#endif
