/* other_units.h - units that no set of ours counts, as files of other tools have them: of chips that came later, and
 * parts of a unit whose own counter is missing there. */
#ifndef CPPROF_OTHER_UNITS_H
#define CPPROF_OTHER_UNITS_H

#include "gpu/metrics.h"

/* Shares of a peak over elapsed cycles, METRIC_COMPUTE or METRIC_MEMORY; their ids are none of metrics_known. */
const struct metric *other_units(size_t *count);
const struct metric *other_unit_by_name(const char *cupti_name); /* NULL when it is none of them */

#endif
