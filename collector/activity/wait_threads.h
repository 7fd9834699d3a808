/* wait_threads.h - CUPTI tells of a wait and of the call that waited: which thread was it?
 *
 * Only the call's record has the thread; the two come close together, the wait
 * first as a rule. A wait is held back until its call comes, for a round of
 * decoding at most. */
#ifndef CPPROF_WAIT_THREADS_H
#define CPPROF_WAIT_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "cpprof/event.h"

enum { WAIT_SLOTS = 256 }; /* by correlation; an older one makes room */

struct wait_threads {
    struct wait_slot {
        uint32_t call_correlation, call_thread; /* the last call here; correlation 0: none */
        bool waits;
        unsigned round;
        struct cpprof_event wait;
    } slots[WAIT_SLOTS];
    unsigned round;
};

/* A wait: true when `wait` holds one to write now, itself or one that makes room. */
bool wait_threads_hold(struct wait_threads *w, struct cpprof_event *wait);

/* A call: true when `wait` is the held one that it was, with its thread. */
bool wait_threads_call(struct wait_threads *w, const struct cpprof_event *call, struct cpprof_event *wait);

/* At the end of a round: those held since the round before, one after another,
 * then false and the next round has begun; with `all`, every one. */
bool wait_threads_next_old(struct wait_threads *w, bool all, struct cpprof_event *wait);

#endif
