/* Which part of a time is fixed, and which grows with the number of bytes? */
#include "core/stats/line_fit.h"

#include <math.h>

/* Weighted sums around the weighted means, so that sizes over eight orders of magnitude lose no digits. */
struct moments {
    double weight, mean_x, mean_y, xx, xy;
};

static struct moments gather(const double *x, const double *y, const double *w, size_t count)
{
    struct moments m = {0};
    for (size_t i = 0; i < count; i++) {
        m.weight += w[i];
        m.mean_x += w[i] * x[i];
        m.mean_y += w[i] * y[i];
    }
    m.mean_x /= m.weight;
    m.mean_y /= m.weight;
    for (size_t i = 0; i < count; i++) {
        m.xx += w[i] * (x[i] - m.mean_x) * (x[i] - m.mean_x);
        m.xy += w[i] * (x[i] - m.mean_x) * (y[i] - m.mean_y);
    }
    return m;
}

bool line_fit(struct line_fit *out, const double *bytes, const double *times, const double *weights, size_t count)
{
    const struct moments m = gather(bytes, times, weights, count);
    if (count < 3 || !(m.xx > 0) || !isfinite(m.xx))
        return false;
    out->slope = m.xy / m.xx;
    out->fixed = m.mean_y - out->slope * m.mean_x;
    out->df = (double)(count - 2);
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        const double residual = times[i] - out->fixed - out->slope * bytes[i];
        squares += weights[i] * residual * residual;
    }
    const double variance = squares / out->df;
    out->slope_error = sqrt(variance / m.xx);
    out->fixed_error = sqrt(variance * (1 / m.weight + m.mean_x * m.mean_x / m.xx));
    return isfinite(out->slope) && isfinite(out->fixed);
}
