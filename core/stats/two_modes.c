/* Do values gather around two places? */
#include "core/stats/two_modes.h"

#include <math.h>

#include "core/stats/statistics.h"

/* Most variance between the two sides is least within them: n0 * n1 * (mean1 - mean0)^2 is proportional to it. */
static size_t best_split(const double *sorted, size_t count)
{
    double sum = 0, below = 0, most = -1;
    size_t best = 0;
    for (size_t i = 0; i < count; i++)
        sum += log(sorted[i]);
    for (size_t i = 1; i < count; i++) {
        below += log(sorted[i - 1]);
        const double apart = (sum - below) / (double)(count - i) - below / (double)i;
        const double between = (double)i * (double)(count - i) * apart * apart;
        if (between > most) {
            most = between;
            best = i;
        }
    }
    return best;
}

bool two_modes(struct two_modes *out, double *values, size_t count)
{
    *out = (struct two_modes){NAN, NAN, NAN};
    if (count < TWO_MODES_LEAST)
        return false;
    sort_doubles(values, count);
    if (!(values[0] > 0) || !isfinite(values[count - 1]))
        return false;
    const size_t split = best_split(values, count);
    const double least = TWO_MODES_SHARE * (double)count;
    if (!split || (double)split < least || (double)(count - split) < least)
        return false;
    *out = (struct two_modes){quantile_sorted(values, split, 0.5), quantile_sorted(values + split, count - split, 0.5),
                              (double)(count - split) / (double)count};
    return quantile_sorted(values + split, count - split, 0.05) >=
           TWO_MODES_APART * quantile_sorted(values, split, 0.95);
}
