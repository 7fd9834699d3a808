/* sampled_units.h - which units of a chip can be watched together, in time steps of a microsecond, while programs run
 * undisturbed? CUPTI's names for samples are not those for ranges (core/gpu/metrics.h), and differ more between chips.
 */
#ifndef CPPROF_SAMPLED_UNITS_H
#define CPPROF_SAMPLED_UNITS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/gpu/chips.h"

enum sampled_unit_id {
    SAMPLED_ACTIVE,
    SAMPLED_TENSOR,
    SAMPLED_L1_REQUEST,
    SAMPLED_FMA,
    SAMPLED_L1_FILL,
    SAMPLED_ISSUE,
    SAMPLED_XU,
    SAMPLED_L2,
    SAMPLED_DRAM_READ,
    SAMPLED_SERIES_COUNT, /* the inside of a kernel takes the units so far: each one more is time that decoding takes */
    SAMPLED_DRAM = SAMPLED_SERIES_COUNT,
    SAMPLED_ALU,
    SAMPLED_FP64,
    SAMPLED_L1,
    SAMPLED_SHARED,
    SAMPLED_FMAHEAVY,
    SAMPLED_TEX,
    SAMPLED_LINK_SENT,
    SAMPLED_LINK_RECEIVED,
    SAMPLED_LINK_DATA_SENT, /* a rate */
    SAMPLED_LINK_DATA_RECEIVED,
    SAMPLED_UNIT_COUNT
};

struct sampled_unit {
    const char *id; /* "l1_fill" */
    /* CUPTI's names of its share of peak over elapsed cycles. The first that a chip knows is its counter; NULL after
     * the last. */
    const char *names[5];
    double one; /* the value that is a share of 1; 0: 100, as the counter is in percent */
};

/* What is no share is stored as one of this many bytes a second. */
#define SAMPLED_BYTES_PER_S 1e12

/* Returns the units in the order of their ids, the important ones first: what does not fit into one pass together with
 * those before it is left out. */
const struct sampled_unit *sampled_unit(enum sampled_unit_id id);

/* Does the unit's counter miss work on this chip? The samples of tensor cores do where tcgen05 exists: a share that is
 * too small is worse than none. NULL: an unknown chip. */
bool sampled_unit_misses_work(enum sampled_unit_id id, const struct chip *chip);

#endif
