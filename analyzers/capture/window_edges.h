/* window_edges.h - whose is a sample in which one kernel ends and another one begins? What was counted belongs to each
 * by its rate in samples of it alone, times its time in this one. So a kernel that uses no tensor cores gets nothing of
 * what its neighbour did with them. */
#ifndef CPPROF_WINDOW_EDGES_H
#define CPPROF_WINDOW_EDGES_H

#include "core/gpu/sampled_units.h"

struct kernel_rates {
    double shares[SAMPLED_UNIT_COUNT]; /* NAN where it is not known */
};

/* Returns the part of the earlier kernel, from 0 to 1; NAN where a rate is not known. The clocks of samples and kernels
 * may differ, so both are near when only one of them has time in the sample. */
double window_edge_part(double earlier_share, double earlier_ns, double later_share, double later_ns);

#endif
