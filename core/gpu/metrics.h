/* metrics.h - the counters that have a role: their names in CUPTI, their units, and the sets that collect them. */
#ifndef CPPROF_METRICS_H
#define CPPROF_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/units.h"

enum metric_role {
    METRIC_PLAIN,   /* evidence, not a share of a peak */
    METRIC_COMPUTE, /* share of peak of a compute pipe, over elapsed cycles */
    METRIC_MEMORY,  /* share of peak of a memory unit, over elapsed cycles */
    METRIC_STALL,   /* warps stalled for this reason per issued instruction */
    METRIC_FLOP,    /* operations of a precision; each counts as metric_flop floating-point operations */
    METRIC_PEAK     /* highest rate of bytes or operations, at the clocks of the run */
};

/* What `run` can collect at once; core/gpu/metric_sets.h describes each. */
enum metric_set_id {
    METRIC_SET_BOUND, /* the default of a run */
    METRIC_SET_STALLS,
    METRIC_SET_MEMORY,
    METRIC_SET_FLOPS,
    METRIC_SET_NVLINK,
    METRIC_SET_NONE,
    METRIC_SET_COUNT
};

struct metric {
    const char *id;   /* ours: "dram_share" */
    const char *name; /* CUPTI's: "dram__throughput.avg.pct_of_peak_sustained_elapsed" */
    enum unit unit;   /* after conversion to base units (percent becomes a ratio) */
    enum metric_role role;
    unsigned sets; /* 1u << METRIC_SET_... */
    /* The unit's name in a verdict for compute and memory ("fma", "dram"), the reason for stalls, the precision for
     * flop ("fp32", "tensor_bf16"), the group that it is the ceiling of for peak. */
    const char *group;
    const char *meaning;
};

const char *metric_role_name(enum metric_role role); /* "compute"; "" for METRIC_PLAIN */

/* Returns all counters that have an id. core/gpu/metric_sets.h has the sets that collect them. */
const struct metric *metrics_known(size_t *count);
const struct metric *metric_by_id(const char *id);
const struct metric *metric_by_name(const char *cupti_name); /* by any of its names; NULL when unknown */

/* Returns CUPTI's names of a counter in the order of preference, from 0; NULL after the last. A chip knows at most one
 * of them. */
enum { METRIC_NAMES_MAX = 4 };
const char *metric_name(const struct metric *metric, size_t preference);
double metric_flop(const struct metric *metric);        /* for METRIC_FLOP and its ceilings; 0 for others */
bool metric_is_of_tcgen05(const struct metric *metric); /* a unit that only chips with tcgen05 have, none of whose work
                                                           another counter of its group sees */
bool metric_has_others(const char *cupti_name);         /* does the counter have other names on other chips? */

/* Gives CUPTI's counters that a name of ours or CUPTI's stands for: one, those that it is the sum of ("dram_bytes"), or
 * those of which the largest that the chip has counts ("tensor_cycles"). Returns how many. An unknown name stands for
 * itself. */
enum { METRIC_PARTS_MAX = 2 };
size_t metric_parts(const char *name, const char *parts[METRIC_PARTS_MAX]);
bool metric_is_largest(const char *name); /* of its parts, which may count the same work; else it is their sum */
const char *metric_sum_id(size_t i);      /* the ids of sums, from 0; NULL after the last */

/* Converts CUPTI's value of a metric to base units: a name with .pct is divided by 100. */
double metric_to_base(const char *cupti_name, double value);
enum unit metric_unit(const char *cupti_name); /* for unknown names: derived from the end of the name */

/* A counter that is never 0 for a launch on several GPUs that was counted as a whole. 0 means that nothing was
 * counted. */
#define COLLECTIVE_WITNESS "smsp__inst_executed.sum"

#endif
