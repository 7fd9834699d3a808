/* sequential_looks.h - a group sequential design: after which rounds may a run look at its data and stop? Looking after
 * each process and stopping at will errs more often than the interval states. So the looks are few, fixed beforehand,
 * and the intervals are corrected for their number (docs/statistics.md). */
#ifndef CPPROF_SEQUENTIAL_LOOKS_H
#define CPPROF_SEQUENTIAL_LOOKS_H

#include "core/base/json.h"
#include "core/base/reason.h"

enum { ROUNDS_MAX = 100 }; /* timing processes of an arm */

/* Looks come after `first` rounds, then each time after twice as many, and last after ROUNDS_MAX. */
long sequential_looks_next(long rounds);
int sequential_looks_planned(long first);

/* Returns how many looks a bundle's run had planned; 1 for a fixed number of processes. */
int sequential_looks_of_manifest(const json_t *manifest);

/* Why were no more processes timed? The manifest has the key. */
#define STOP_REASONS(X)                                                                                                \
    X(STOP_UNFINISHED, "", "")                                                                                         \
    X(STOP_PROCESSES, "processes", "as many as were asked for")                                                        \
    X(STOP_WIDTH, "width", "no comparison was open for want of more processes")                                        \
    X(STOP_BUDGET, "budget", "the budget had no time left for more")

enum stop_reason { STOP_REASONS(REASON_CODE) STOP_OTHER };
extern const struct reason stop_reasons[STOP_OTHER];

#endif
