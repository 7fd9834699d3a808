/* looks.h - after which rounds may a run stop? Who looks at the numbers after each
 * process and stops when they please is wrong more often than the interval says;
 * so the looks are few, fixed before the first, and their number pays for itself
 * (docs/statistics.md). */
#ifndef CPPROF_LOOKS_H
#define CPPROF_LOOKS_H

#include "base/json.h"

enum { ROUNDS_MAX = 100 }; /* timing processes of an arm */

/* The first look is after `first` rounds, each further one after twice as many,
 * the last one after ROUNDS_MAX. */
long looks_next(long rounds);
int looks_planned(long first);

/* How many a bundle's run had planned: 1 where its number of processes was fixed. */
int looks_of_manifest(const json_t *manifest);

#endif
