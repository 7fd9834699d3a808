/* sweep_fit.h - latency or bandwidth: the lines of one or two arms over sizes,
 * and what the second changed, with intervals (docs/statistics.md). */
#ifndef CPPROF_SWEEP_FIT_H
#define CPPROF_SWEEP_FIT_H

#include "analyzers/analysis.h"
#include "core/base/err.h"

/* Medians of the processes that measured every size, or of rounds of processes that did together. */
struct sweep_series {
    const double *bytes; /* one a size */
    const double *ns;    /* size after size, `processes` each */
    size_t processes;
};

struct sweep_times {
    size_t sizes;
    struct sweep_series base, cand; /* cand of no processes: one arm alone */
    bool paired;                    /* process i of both is the same one */
    int looks; /* after any of which the run may have stopped (core/stats/sequential_looks.h); 1 for a fixed number */
};

/* A line that misses a point by more than a tenth of its time is refused. */
bool sweep_fit_holds(const struct sweep_fit *fit);

/* Fills has_fit, the fits and the changes of `out`. */
int sweep_fit_times(struct sweep *out, const struct sweep_times *times, struct err *e);

#endif
