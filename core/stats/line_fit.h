/* line_fit.h - fits the line t = fixed + slope * bytes to measured times by weighted least squares. It minimises
 * relative errors, because noise is a share of the time at every size. Formulas: docs/statistics.md. */
#ifndef CPPROF_LINE_FIT_H
#define CPPROF_LINE_FIT_H

#include <stdbool.h>
#include <stddef.h>

struct line_fit {
    double fixed, slope;
    double fixed_error, slope_error; /* standard errors, from the residuals */
    double df;                       /* points - 2 */
};

/* Fits the line. weights[i] is 1 / variance, up to a common factor. Returns false for fewer than three points, and when
 * all have the same size. */
bool line_fit(struct line_fit *out, const double *bytes, const double *times, const double *weights, size_t count);

#endif
