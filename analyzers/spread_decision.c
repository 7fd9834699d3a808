/* Is one series of times faster than another, where a series may be one process only? */
#include "analyzers/spread_decision.h"

#include <math.h>

#include "core/stats/statistics.h"

size_t spread_fold(double *values, size_t count)
{
    const size_t blocks = count < SPREAD_BLOCKS_MAX ? count : SPREAD_BLOCKS_MAX;
    for (size_t b = 0; b < blocks; b++) {
        const size_t from = count * b / blocks, end = count * (b + 1) / blocks;
        values[b] = median(&values[from], end - from);
    }
    return blocks;
}

static bool are_apart(const double *low, size_t low_count, const double *high, size_t high_count)
{
    double top = 0, bottom = INFINITY;
    for (size_t i = 0; i < low_count; i++)
        top = fmax(top, low[i]);
    for (size_t i = 0; i < high_count; i++)
        bottom = fmin(bottom, high[i]);
    return top < bottom;
}

struct ratio_decision spread_decide(const struct arm_values *v, bool are_replicates, double margin)
{
    struct ratio_decision d = ratio_decide(v, margin);
    if (are_replicates)
        return d;
    const bool is_faster = d.verdict == COMPARE_FASTER && are_apart(v->cand, v->cand_count, v->base, v->base_count),
               is_slower = d.verdict == COMPARE_SLOWER && are_apart(v->base, v->base_count, v->cand, v->cand_count);
    d.reason = is_faster || is_slower ? RATIO_BEYOND_SPREAD : RATIO_WITHIN_SPREAD;
    if (!is_faster && !is_slower)
        d.verdict = COMPARE_INCONCLUSIVE;
    return d;
}
