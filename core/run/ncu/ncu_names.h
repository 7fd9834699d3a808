/* ncu_names.h - which names do the pages of Nsight Compute give the numbers that decide a bound? The raw page and
 * --metrics have CUPTI's names, the details page has names for people. */
#ifndef CPPROF_NCU_NAMES_H
#define CPPROF_NCU_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/units.h"
#include "core/run/counters.h"

/* Numbers that are not counters of core/gpu/metrics.c. */
enum ncu_fact {
    NCU_L1_ACTIVE_SHARE, /* of the L1 cache, over active cycles */
    NCU_MEMORY_PIPES,    /* the busiest pipe between SM and L1, over elapsed cycles; LSU is one of them */
    NCU_GRID_BLOCKS,
    NCU_BLOCK_THREADS,
    NCU_REGISTERS,
    NCU_SHARED_STATIC,
    NCU_SHARED_DYNAMIC,
    NCU_OCCUPANCY, /* as the launch allows */
    NCU_WAVES,
    NCU_SM_COUNT,
    NCU_FACTS
};

/* The place of a number: a counter, in the order of metrics_known, or after these a fact. */
enum { NCU_SLOTS = COUNTERS_METRICS_MAX + NCU_FACTS };

struct ncu_slot {
    size_t at;
    enum unit unit;
    bool by_own_name; /* CUPTI's name of the counter itself, which takes precedence over its other names */
};

/* Finds the place of a number. `section` is "" on the raw page. Returns false when the number is not used. */
bool ncu_slot_find(const char *section, const char *name, struct ncu_slot *out);

/* Is it the name of a number in a section, which names it no further? */
bool ncu_name_needs_section(const char *name);

struct ncu_slot ncu_fact_slot(enum ncu_fact fact);

/* Can it be this number, in base units? No counter is below 0, and a launch takes more than 0 and at most a day;
 * whether a share is beyond its peak is not asked here. */
bool ncu_slot_allows(const struct ncu_slot *slot, double value);
/* Can it be this share? True for what is no share. A share that decides no verdict may be no number where nothing
 * happened, such as a hit rate without accesses. */
bool ncu_slot_allows_share(const struct ncu_slot *slot, double value);
const char *ncu_slot_range(const struct ncu_slot *slot); /* "a whole number from 1 to 1024" */

/* Is this counter a share of a unit, or a throughput: what a verdict is made of? `at` is its place. */
bool ncu_counter_decides(size_t at);

size_t ncu_slot_of(const char *metric_id); /* an id of core/gpu/metrics.c */

#endif
