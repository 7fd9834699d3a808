/* resampling.h - draws processes with replacement, for all bootstrap intervals (docs/statistics.md). The same input
 * gives the same digits. */
#ifndef CPPROF_RESAMPLING_H
#define CPPROF_RESAMPLING_H

#include <stddef.h>
#include <stdint.h>

enum { RESAMPLES = 10000 };

/* The initial state. */
extern const uint64_t resampling_seed;

/* Returns a number below `count`, which is at most 2^32. */
size_t resampling_draw(uint64_t *state, size_t count);

/* Returns the tail at which a percentile interval over n processes is as wide as a t interval at `tail` for normal data
 * (Hesterberg 2015). */
double resampling_tail(double tail, double n);

#endif
