/* metrics.h - the counters that we know by role: what CUPTI calls them, what
 * unit they have, and which set collects them. */
#ifndef CPPROF_METRICS_H
#define CPPROF_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/units.h"

enum metric_role {
    METRIC_PLAIN,   /* evidence, not a share of a peak */
    METRIC_COMPUTE, /* share of peak of a compute pipe, over elapsed cycles */
    METRIC_MEMORY,  /* share of peak of a memory unit, over elapsed cycles */
    METRIC_STALL,   /* warps stalled for this reason per issued instruction */
    METRIC_FLOP,    /* operations of a precision: metric_flop floating-point ones each */
    METRIC_PEAK     /* most bytes or operations a second, at the clocks of the run */
};

/* What `run` can collect in one go; gpu/metric_sets.h tells about each. */
enum metric_set_id {
    METRIC_SET_BOUND, /* of a run that names none */
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
    unsigned sets;     /* 1u << METRIC_SET_... */
    const char *group; /* compute, memory: the unit's name in a verdict ("fma", "dram"); stalls: the reason;
                          flop: the precision ("fp32", "tensor_bf16"); peak: what group it is the ceiling of */
    const char *meaning;
};

const char *metric_role_name(enum metric_role role); /* "compute"; "" of METRIC_PLAIN */

/* All counters with an id; which set collects them: gpu/metric_sets.h. */
const struct metric *metrics_known(size_t *count);
const struct metric *metric_by_id(const char *id);
const struct metric *metric_by_name(const char *cupti_name); /* any name of it; NULL when unknown */

/* CUPTI's names of a counter in the order of preference, from 0; NULL ends them.
 * A chip has at most one of them. */
enum { METRIC_NAMES_MAX = 3 };
const char *metric_name(const struct metric *metric, size_t preference);
double metric_flop(const struct metric *metric); /* of METRIC_FLOP and of the ceilings of such; 0 of others */
bool metric_has_others(const char *cupti_name);  /* has the counter other names on other chips? */

/* CUPTI's counters that a name of ours or CUPTI's stands for: one, or those
 * whose sum it is ("dram_bytes"). A name that nobody knows stands for itself. */
enum { METRIC_PARTS_MAX = 2 };
size_t metric_parts(const char *name, const char *parts[METRIC_PARTS_MAX]);
const char *metric_sum_id(size_t i); /* the words that stand for several; NULL behind the last */

/* CUPTI's value of a metric in base units: names with .pct are divided by 100. */
double metric_to_base(const char *cupti_name, double value);
enum unit metric_unit(const char *cupti_name); /* for names outside the table: from the name's ending */

/* What must not be 0 of a launch on several GPUs that was counted as a whole: else nothing was counted. */
#define COLLECTIVE_WITNESS "smsp__inst_executed.sum"

#endif
