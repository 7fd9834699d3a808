/* resampling.h - drawing processes with replacement, for every interval that is
 * made so (docs/statistics.md). The same input gives the same digits. */
#ifndef CPPROF_RESAMPLING_H
#define CPPROF_RESAMPLING_H

#include <stddef.h>
#include <stdint.h>

enum { RESAMPLES = 10000 };

/* The state to begin with. */
extern const uint64_t resampling_seed;

/* A number below `count`, at most 2^32. */
size_t resampling_draw(uint64_t *state, size_t count);

/* Hesterberg 2015: the tail at which a percentile interval over n processes has
 * the width that a t interval has at `tail` when the data are normal. */
double resampling_tail(double tail, double n);

#endif
