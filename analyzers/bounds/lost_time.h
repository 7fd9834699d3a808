/* lost_time.h - the whole time from one launch of a kernel to the next, cut into
 * parts that add up to 1: nobody launched, SMs without work, the busiest unit at
 * work, and warps that wait, by what they wait for. docs/bounds.md says how. */
#ifndef CPPROF_LOST_TIME_H
#define CPPROF_LOST_TIME_H

#include "analyzers/bounds/bound_inputs.h"

enum { LOST_PARTS_MAX = 40 };

/* Fills `parts`, the largest of each kind first, kinds in the order of enum
 * lost_kind; what is less than half a percent of stalls is summed up. Returns how
 * many; 0 without the counters that it needs. Shares are >= 0 and add up to 1.
 * Names are static. */
size_t lost_time_split(const struct bound_inputs *in, struct lost_part parts[LOST_PARTS_MAX]);

const char *lost_kind_name(enum lost_kind kind); /* "host", "small-grid", "tail", "unit", "stall", "synchronisation" */

#endif
