/* How precise is a ratio of two sums? By the residuals of its units (Cochran 1977, section 6.4). */
#include "core/stats/ratio_of_sums.h"

#include <math.h>

#include "core/stats/statistics.h"

#define CONFIDENCE 0.95

static double sum(const double *values, size_t count)
{
    double total = 0;
    for (size_t i = 0; i < count; i++)
        total += values[i];
    return total;
}

struct ratio_of_sums ratio_of_sums(const double *above, const double *below, size_t count)
{
    const double total = sum(below, count);
    struct ratio_of_sums r = {total > 0 ? sum(above, count) / total : NAN, INFINITY};
    if (count < 2 || isnan(r.value))
        return r;
    const double n = (double)count;
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        const double residual = above[i] - r.value * below[i];
        squares += residual * residual;
    }
    r.half_width = student_t_quantile(1 - (1 - CONFIDENCE) / 2, n - 1) * sqrt(n / (n - 1) * squares) / total;
    return r;
}
