/* Which processes are in a resample, and which quantiles end its interval? */
#include "core/stats/resampling.h"

#include <math.h>

#include "core/base/splitmix.h"
#include "core/stats/statistics.h"

/* Any fixed number works: the same bundle must give the same report. */
const uint64_t resampling_seed = 0x637070726f66;

/* The upper 32 bits scaled to [0, count): biased by less than count / 2^32. */
size_t resampling_draw(uint64_t *state, size_t count)
{
    return (size_t)((splitmix_next(state) >> 32) * (uint64_t)count >> 32);
}

double resampling_tail(double tail, double n)
{
    return normal_cdf(-sqrt(n / (n - 1)) * student_t_quantile(1 - tail, n - 1));
}
