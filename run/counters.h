/* counters.h - what the counters say about one kernel of one arm of a run. */
#ifndef CPPROF_COUNTERS_H
#define CPPROF_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "gpu/metrics.h"
#include "run/arm_table.h"

enum { COUNTERS_METRICS_MAX = 128 };

/* Means over the launches that were counted, in base units; NAN where the
 * counter is missing. The texts are the table's. */
struct counters {
    const struct arm *arm; /* NULL of launches that another tool counted */
    const char *variant, *config, *kernel;
    double values[COUNTERS_METRICS_MAX]; /* in the order of metrics_known; those of other_units at the end, backwards */
    size_t first_row;
    size_t first_repeat, repeat_count; /* in the list's `repeats`; 0 of a repeat itself */
};

struct counters_repeats {
    struct counters *items;
    size_t count, capacity;
};

struct counters_list {
    struct counters *items; /* in the order of their first rows */
    size_t count, capacity;
    struct counters_repeats repeats; /* each launch that was counted for itself, those of a kernel in their order */
    struct arm_index index;          /* of the items */
};

void counters_list_init(struct counters_list *list);
void counters_list_release(struct counters_list *list);

/* The GPU that a row's `kernel` names, "gpu 1", instead of a kernel: what it counted of a whole launch on several GPUs.
 * -1: it names none. */
int counters_gpu(const char *kernel);

/* Fills an initialised list from a bundle's metrics table. Counters without an
 * id are passed over, and so are those of a GPU: they are no kernel's, and their shares hold the time around it. */
int counters_read(struct counters_list *out, const struct arm_table *metrics, struct err *e);

double counters_value(const struct counters *c, const char *metric_id);

/* The place in `values` of a counter of metrics_known or of other_units. */
size_t counters_index(const struct metric *metric);

/* The units of a side (METRIC_COMPUTE or METRIC_MEMORY) one after the other, from *at = 0; NULL behind the last. The
 * issue slots, which every instruction needs, come last of the compute side. */
const struct metric *counters_next_unit(enum metric_role side, size_t *at);

/* Was any counter of this unit ("fma") read? Those of other_units see a part of theirs and are not enough. */
bool counters_unit_measured(const struct counters *c, const char *unit);

/* A share of a peak, or NAN when it is missing or no share at all (negative,
 * or far above 1). */
double counters_share(const struct counters *c, const struct metric *metric);

/* The busiest unit of a side (METRIC_COMPUTE or METRIC_MEMORY); NULL when no
 * counter of that side is there. The first of them wins a tie. */
const struct metric *counters_busiest(const struct counters *c, enum metric_role side, double *share);
/* The same of the execution pipes alone, without the issue slots. */
const struct metric *counters_busiest_pipe(const struct counters *c, double *share);

/* The busiest of both sides and of the issue slots, which every instruction
 * needs: no kernel gets faster than 1 / *share. NULL when a side is missing. */
const struct metric *counters_busiest_of_all(const struct counters *c, double *share);

/* Do both calculate the same? Each kind of floating-point operation that was counted
 * in both agrees within 1%. */
bool counters_same_operations(const struct counters *a, const struct counters *b);

/* The counters of one arm; NULL when it was not counted. */
const struct counters *counters_find(const struct counters_list *list, const struct arm *arm);

/* How many kernels of the arm were counted. */
size_t counters_kernels(const struct counters_list *list, const struct arm *arm);

/* The reason that warps wait for most, other than for their turn to issue
 * (not_selected); NULL when no stall counter is there. */
const struct metric *counters_leading_stall(const struct counters *c);

/* A stall's share of all cycles of a warp; NAN when unknown. */
double counters_stall_share(const struct counters *c, const struct metric *stall);

#endif
