/* wait_threads.h - CUPTI records a wait and the call that waited: on which thread was it?
 *
 * Only the call's record has the thread. The two records come close together, usually the wait first. A wait is held
 * back until its call comes, for at most one round of decoding. */
#ifndef CPPROF_WAIT_THREADS_H
#define CPPROF_WAIT_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "cpprof/event.h"

enum { WAIT_SLOTS = 256 }; /* by correlation; a new wait replaces an older one in its slot */

struct wait_threads {
    struct wait_slot {
        uint32_t call_correlation, call_thread; /* the last call in this slot; correlation 0: none */
        bool waits;
        unsigned round;
        struct cpprof_event wait;
    } slots[WAIT_SLOTS];
    unsigned round;
};

/* Takes a wait. Returns true when `wait` is now an event to write: itself, or the one that it replaces. */
bool wait_threads_hold(struct wait_threads *w, struct cpprof_event *wait);

/* Takes a call. Returns true when `wait` is now the held wait of this call, with its thread. */
bool wait_threads_call(struct wait_threads *w, const struct cpprof_event *call, struct cpprof_event *wait);

/* At the end of a round: gives the waits that were held since the round before, one by one. Returns false when there
 * are no more and the next round has begun. With `all` it gives every wait. */
bool wait_threads_next_old(struct wait_threads *w, bool all, struct cpprof_event *wait);

#endif
