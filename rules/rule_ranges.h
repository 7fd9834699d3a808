/* rule_ranges.h - between which values does the answer of a function lie when times are rounded?
 *
 * Every start and end is off by time_error_ns at most. Sets of intervals only grow
 * with their events, so that the trace with all events at their shortest and
 * the one with all at their longest bound what is measured in between. */
#ifndef CPPROF_RULE_RANGES_H
#define CPPROF_RULE_RANGES_H

#include "core/trace/timeline.h"

/* What a function is evaluated on: its operands on one device. */
struct rule_scope {
    const struct timeline_set *a, *b;     /* b: functions of two operands */
    const struct timeline_pair *pair;     /* only where wants_pair */
    const struct timeline_device *device; /* NULL: all of them */
};

/* The same operands with rounded times as they are told, and with every event
 * as short and as long as the rounding allows. */
struct rule_motion {
    const struct rule_scope *told, *narrow, *wide;
    double time_error_ns;
};

typedef void rule_range(const struct rule_motion *m, double *low, double *high);

rule_range range_overlap, range_overlap_ns, range_exposed, range_busy, range_idle, range_gap_max, range_concurrency,
    range_alternations, range_serial, range_before;
rule_range range_length; /* a duration, or what lies between two starts */

#endif
