/* thresholds.h - the numbers at which a verdict about a bound changes. One
 * table, printed with the verdict; docs/bounds.md says how each is used. */
#ifndef CPPROF_THRESHOLDS_H
#define CPPROF_THRESHOLDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/units.h"

enum threshold_id {
    THRESHOLD_LAUNCH_IDLE,
    THRESHOLD_LATENCY_SHARE,
    THRESHOLD_HIGH_SHARE,
    THRESHOLD_LEAD,
    THRESHOLD_DRAM_CEILING,
    THRESHOLD_DRAM_PREFERENCE,
    THRESHOLD_SHARED_PREFERENCE,
    THRESHOLD_TAIL_WAVES,
    THRESHOLD_TAIL_LAST_WAVE,
    THRESHOLD_NCU_LATENCY,
    THRESHOLD_NCU_HIGH,
    THRESHOLD_NCU_LEAD,
    THRESHOLD_NCU_WAVES,
    THRESHOLD_EXPOSED_STALL,
    THRESHOLD_HIDDEN_SHARE,
    THRESHOLD_HIDDEN_RISE,
    THRESHOLD_HIDDEN_WARPS,
    THRESHOLD_HIDDEN_MEMORY,
    THRESHOLD_RULE_OF_THUMB,
    THRESHOLD_SMALL_GAIN,
    THRESHOLD_AHEAD_COST,
    THRESHOLD_STAGE_COST,
    THRESHOLD_SIGNAL_CHANGE,
    THRESHOLD_SIGNAL_FLAT,
    THRESHOLD_MOVED_SHARE,
    THRESHOLD_MOVED_AMOUNT,
    THRESHOLD_MOVED_REGISTERS,
    THRESHOLD_COUNT
};

struct threshold {
    const char *name;
    double value;
    enum unit unit;
    const char *meaning;
};

const struct threshold *threshold_get(enum threshold_id id);
double threshold_value(enum threshold_id id);

/* value >= limit, with room for the rounding of sums and differences of
 * decimal shares: 0.70 - 0.60 reaches a limit of 0.10. */
bool threshold_reached(double value, double limit);

#endif
