/* counters.h - the values of all counters of one kernel of one arm. */
#ifndef CPPROF_COUNTERS_H
#define CPPROF_COUNTERS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"
#include "core/gpu/chips.h"
#include "core/run/arm_table.h"

enum { COUNTERS_METRICS_MAX = 128 };

/* Shares of a peak, and rates over a roof, exceed 1 by no more: they are of several passes. The largest share in the
 * bundles of examples/ is 1. */
#define PEAK_ROUNDING 1.02

/* Means over the launches that were counted, in base units. The table owns the texts. */
struct counters {
    const struct arm *arm; /* NULL for launches that another tool counted */
    const char *variant, *config, *kernel;
    /* In the order of metrics_known; those of other_units are at the end, in reverse. As they were read: NAN is a
     * missing counter, COUNTERS_NO_NUMBER one whose value says nothing, and others may be what no counter can be. */
    double values[COUNTERS_METRICS_MAX];
    size_t first_row;
    size_t first_repeat, repeat_count; /* indices into the list's `repeats`; 0 in a repeat itself */
};

/* "nan", "inf", or a number in a unit that is none of the counter: there was a value, and it says nothing. */
#define COUNTERS_NO_NUMBER (-INFINITY)

struct counters_repeats {
    struct counters *items;
    size_t count, capacity;
};

struct counters_list {
    struct counters *items; /* in the order of their first rows */
    size_t count, capacity;
    struct counters_repeats repeats; /* single launches that were counted; those of a kernel in their order */
    struct arm_index index;          /* of the items */
};

void counters_list_init(struct counters_list *list);
void counters_list_release(struct counters_list *list);

/* Returns the GPU when a row's `kernel` is a GPU, "gpu 1": it counted a whole launch on several GPUs. -1 for the name
 * of a kernel. */
int counters_gpu(const char *kernel);

/* Fills an initialised list from a bundle's metrics table. It skips counters without an id, and counters of a GPU:
 * these belong to no kernel, and their shares include time around the kernel. */
int counters_read(struct counters_list *out, const struct arm_table *metrics, struct err *e);

double counters_value(const struct counters *c, const char *metric_id); /* NAN when it is missing or not credible */

/* Returns the index in `values` of a counter of metrics_known or other_units. */
size_t counters_index(const struct metric *metric);

/* Returns the units of a side (METRIC_COMPUTE or METRIC_MEMORY) one after the other, from *at = 0; NULL after the last.
 * The issue slots, which every instruction needs, come last on the compute side. */
const struct metric *counters_next_unit(enum metric_role side, size_t *at);

/* Is it known how busy this unit is? A counter of its group was read that sees the unit; those of other_units see only
 * a part of one. A unit that the chip does not have is known. A chip of which nothing is known (NULL) may have all. */
bool counters_unit_known(const struct counters *c, const struct chip *chip, const struct metric *unit);

/* Returns the share of time in which tensor cores are busy, with tcgen05 or without; NAN when neither was counted. */
double counters_tensor_busy(const struct counters *c);

/* Is it more of a peak than there can be? Then the peak or the count is wrong, and the value says nothing. `name` is
 * CUPTI's. The largest of a unit's instances (.max) may well be above the peak of their mean. */
bool counters_exceeds_peak(const char *name, double value);
/* Was it read, but as what it cannot be: no number, below 0, or a share beyond the peak? One such reading of several is
 * enough. */
bool counters_is_incredible(const struct counters *c, const struct metric *metric);

/* Returns a share of a peak; NAN when it is missing or not credible. */
double counters_share(const struct counters *c, const struct metric *metric);

/* Returns the busiest unit of a side (METRIC_COMPUTE or METRIC_MEMORY); NULL when no counter of that side is there. Of
 * equal ones the first is returned. */
const struct metric *counters_busiest(const struct counters *c, enum metric_role side, double *share);
/* Does the same for the execution pipes alone, without the issue slots. */
const struct metric *counters_busiest_pipe(const struct counters *c, double *share);

/* Returns the busiest of both sides and the issue slots, which every instruction needs: no kernel gets faster than 1 /
 * *share. NULL when a side is missing, or a share is beyond its peak. */
const struct metric *counters_busiest_of_all(const struct counters *c, double *share);

/* Do both compute the same? Each kind of floating-point operation that was counted in both must agree within 1%. */
bool counters_same_operations(const struct counters *a, const struct counters *b);

/* Returns the counters of one arm; NULL when it was not counted. */
const struct counters *counters_find(const struct counters_list *list, const struct arm *arm);

/* Returns how many kernels of the arm were counted. */
size_t counters_kernels(const struct counters_list *list, const struct arm *arm);

/* Returns the main reason that warps wait, apart from waiting for their turn to issue (not_selected); NULL when no
 * stall counter is there. */
const struct metric *counters_leading_stall(const struct counters *c);

/* Returns a stall's share of all cycles of a warp; NAN when unknown. */
double counters_stall_share(const struct counters *c, const struct metric *stall);

#endif
