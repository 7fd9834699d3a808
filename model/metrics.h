/* metrics.h - the counters that we know by role: what CUPTI calls them, what
 * unit they have, and which set collects them. */
#ifndef CPPROF_METRICS_H
#define CPPROF_METRICS_H

#include <stddef.h>

#include "base/units.h"

enum metric_role {
    METRIC_PLAIN,     /* evidence, not a share of a peak */
    METRIC_COMPUTE,   /* share of peak of a compute pipe, over elapsed cycles */
    METRIC_MEMORY,    /* share of peak of a memory unit, over elapsed cycles */
    METRIC_STALL      /* warps stalled for this reason per issued instruction */
};

struct metric {
    const char *id;    /* ours: "dram_share" */
    const char *name;  /* CUPTI's: "dram__throughput.avg.pct_of_peak_sustained_elapsed" */
    enum unit unit;    /* after conversion to base units (percent becomes a ratio) */
    enum metric_role role;
    const char *group; /* compute, memory: the unit's name in a verdict ("fma", "dram"); stalls: the reason */
    const char *meaning;
};

/* The default set of `run`, in one config image. Ends where count says. */
const struct metric *metrics_default(size_t *count);
const struct metric *metric_by_id(const char *id);
const struct metric *metric_by_name(const char *cupti_name); /* NULL when unknown */

/* CUPTI's counters that a name of ours or CUPTI's stands for: one, or those
 * whose sum it is ("dram_bytes"). A name that nobody knows stands for itself. */
enum { METRIC_PARTS_MAX = 2 };
size_t metric_parts(const char *name, const char *parts[METRIC_PARTS_MAX]);

/* CUPTI's value of a metric in base units: names with .pct are divided by 100. */
double metric_to_base(const char *cupti_name, double value);
enum unit metric_unit(const char *cupti_name); /* for names outside the table: from the name's ending */

#endif
