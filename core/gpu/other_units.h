/* other_units.h - units that none of our sets counts but that files of other tools have: units of later chips, and
 * parts of a unit whose own counter is missing there. */
#ifndef CPPROF_OTHER_UNITS_H
#define CPPROF_OTHER_UNITS_H

#include "core/gpu/metrics.h"

#define OTHER_UNIT_L1_DATA "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed"

/* Returns shares of peak over elapsed cycles, METRIC_COMPUTE or METRIC_MEMORY. Their ids differ from those of
 * metrics_known. */
const struct metric *other_units(size_t *count);
const struct metric *other_unit_by_name(const char *cupti_name); /* NULL when it is not one of them */

#endif
