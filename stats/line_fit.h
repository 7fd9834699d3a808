/* line_fit.h - the line t = fixed + slope * bytes through measured times, by
 * weighted least squares: relative errors count, as a share of the time is what
 * repeats badly at every size. Formulas: docs/statistics.md. */
#ifndef CPPROF_LINE_FIT_H
#define CPPROF_LINE_FIT_H

#include <stdbool.h>
#include <stddef.h>

struct line_fit {
    double fixed, slope;
    double fixed_error, slope_error; /* standard errors, from the residuals */
    double df;                       /* points - 2 */
};

/* weights[i] is 1 / variance, up to a factor. False below three points, or when they are at one size. */
bool line_fit(struct line_fit *out, const double *bytes, const double *times, const double *weights, size_t count);

#endif
