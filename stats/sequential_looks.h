/* sequential_looks.h - a group sequential design: after which rounds is the growing data looked at, so that a run may
 * stop? Who looks after each process and stops when they please is wrong more often than the interval says; so the
 * looks are few, fixed before the first, and their number pays for itself (docs/statistics.md). */
#ifndef CPPROF_SEQUENTIAL_LOOKS_H
#define CPPROF_SEQUENTIAL_LOOKS_H

#include "base/json.h"

enum { ROUNDS_MAX = 100 }; /* timing processes of an arm */

/* The first look is after `first` rounds, each further one after twice as many,
 * the last one after ROUNDS_MAX. */
long sequential_looks_next(long rounds);
int sequential_looks_planned(long first);

/* How many a bundle's run had planned: 1 where its number of processes was fixed. */
int sequential_looks_of_manifest(const json_t *manifest);

#endif
