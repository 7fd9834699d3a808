/* launch_rows.h - what launches of an arm cost. */
#ifndef CPPROF_LAUNCH_ROWS_H
#define CPPROF_LAUNCH_ROWS_H

#include <stdint.h>

#include "core/run/arms.h"

/* What does it cost to launch it? All times from the traced process. */
struct launch_cost {
    const struct arm *arm;
    const char *variant, *config;
    int64_t launches;
    double first_ns, median_ns, mean_ns, max_ns; /* API call; first apart from the others */
    double queue_median_ns;                      /* kernel start minus API start */
    double kernel_median_ns;                     /* duration on the GPU */
    double interval_median_ns;                   /* start of one kernel to the start of the next */
    double gap_median_ns;                        /* device idle between two launches of the arm, ... */
    double copy_median_ns;                       /* ... copying meanwhile, ... */
    double other_median_ns;                      /* ... or running other work and copying nothing */
};

#endif
