/* ncu_names.h - what the pages of Nsight Compute call the numbers that a bound
 * is decided by. The raw page and --metrics have CUPTI's names, the details page
 * names for people. */
#ifndef CPPROF_NCU_NAMES_H
#define CPPROF_NCU_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/units.h"
#include "run/counters.h"

/* Numbers that are no counter of gpu/metrics.c. */
enum ncu_fact {
    NCU_L1_ACTIVE_SHARE, /* of the L1 cache, over active cycles */
    NCU_MEMORY_PIPES,    /* busiest of the pipes between SM and L1, over elapsed cycles; LSU is one of them */
    NCU_GRID_BLOCKS,
    NCU_BLOCK_THREADS,
    NCU_REGISTERS,
    NCU_SHARED_STATIC,
    NCU_SHARED_DYNAMIC,
    NCU_OCCUPANCY, /* that the launch allows */
    NCU_WAVES,
    NCU_SM_COUNT,
    NCU_FACTS
};

/* Where a number goes: a counter, in the order of metrics_known, or behind them a fact. */
enum { NCU_SLOTS = COUNTERS_METRICS_MAX + NCU_FACTS };

struct ncu_slot {
    size_t at;
    enum unit unit;
    bool by_own_name; /* CUPTI's name of the counter itself: goes before what it may also be called */
};

/* `section` is "" on the raw page. False when nothing is decided by this number. */
bool ncu_slot_find(const char *section, const char *name, struct ncu_slot *out);

size_t ncu_slot_of(const char *metric_id); /* an id of gpu/metrics.c */

#endif
