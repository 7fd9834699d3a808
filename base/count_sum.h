/* count_sum.h - counts that a file states, added up: a negative one is nothing, and no sum overflows. */
#ifndef CPPROF_COUNT_SUM_H
#define CPPROF_COUNT_SUM_H

#include <stdint.h>

/* INT64_MAX where there is no room for more. */
static inline void count_add(int64_t *sum, int64_t count)
{
    if (count > 0 && __builtin_add_overflow(*sum, count, sum))
        *sum = INT64_MAX;
}

#endif
