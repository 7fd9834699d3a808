/* delay_schedule.h - which launch is delayed by which dose?
 *
 * Time is divided into blocks. A block belongs to one target and one dose: it lasts for at least 40 ms and 16 launches
 * of the target, and ends where the target is launched again. All pairs of a target and a dose have a block in random
 * order, then in another one. Targets that were never launched have no turn, and one that stays away for 250 ms while
 * others are launched loses its turn. Nothing here locks. */
#ifndef CPPROF_DELAY_SCHEDULE_H
#define CPPROF_DELAY_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/causal_plan.h"

struct delay_schedule {
    size_t targets, doses;
    uint64_t random;
    unsigned char order[CAUSAL_TARGETS_MAX * CAUSAL_DOSES_MAX]; /* target * doses + dose */
    size_t position;                                            /* of the block that goes on */
    bool has_begun, is_seen[CAUSAL_TARGETS_MAX];
    int64_t began_ns, last_ns; /* of its launches */
    int64_t launches, blocks;
};

/* The same seed gives the same order. */
void delay_schedule_init(struct delay_schedule *s, size_t targets, size_t doses, uint64_t seed);

/* A target is launched now. Returns the dose of this launch: an index, or CAUSAL_OUT_OF_TURN. */
size_t delay_schedule_take(struct delay_schedule *s, size_t target, int64_t now_ns);

#endif
