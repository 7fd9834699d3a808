/* sequential_looks.h - a group sequential design: after which rounds may a run look at its data and stop? Looking after
 * each process and stopping at will errs more often than the interval states. So the looks are few, fixed beforehand,
 * and the intervals are corrected for their number (docs/statistics.md). */
#ifndef CPPROF_SEQUENTIAL_LOOKS_H
#define CPPROF_SEQUENTIAL_LOOKS_H

#include "core/base/json.h"

enum { ROUNDS_MAX = 100 }; /* timing processes of an arm */

/* Looks come after `first` rounds, then each time after twice as many, and last after ROUNDS_MAX. */
long sequential_looks_next(long rounds);
int sequential_looks_planned(long first);

/* Returns how many looks a bundle's run had planned; 1 for a fixed number of processes. */
int sequential_looks_of_manifest(const json_t *manifest);

#endif
