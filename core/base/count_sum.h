/* count_sum.h - adds up counts that a file states. Negative counts are ignored, and a sum never overflows. */
#ifndef CPPROF_COUNT_SUM_H
#define CPPROF_COUNT_SUM_H

#include <stdint.h>

/* Adds `count` to `sum`, which stays at INT64_MAX when the result would be larger. */
static inline void count_add(int64_t *sum, int64_t count)
{
    if (count > 0 && __builtin_add_overflow(*sum, count, sum))
        *sum = INT64_MAX;
}

#endif
