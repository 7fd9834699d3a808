/* rule_ranges.h - between which values does the answer of a function lie when times are rounded?
 *
 * Every start and end is off by slack_ns at most. Sets of intervals only grow
 * with their events, so that the trace with all events at their shortest and
 * the one with all at their longest bound what is measured in between. */
#ifndef CPPROF_RULE_RANGES_H
#define CPPROF_RULE_RANGES_H

#include "model/rule_functions.h"

typedef void rule_range(const struct rule_motion *m, double *low, double *high);

rule_range range_overlap, range_overlap_ns, range_exposed, range_busy, range_idle, range_gap_max, range_concurrency,
    range_alternations, range_serial, range_before;
rule_range range_length; /* a duration, or what lies between two starts */

#endif
