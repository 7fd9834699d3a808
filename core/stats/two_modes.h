/* two_modes.h - do values gather around two places with nothing between them?
 *
 * Work that is not the same shows as such times: their middle is the time of nothing that ran. */
#ifndef CPPROF_TWO_MODES_H
#define CPPROF_TWO_MODES_H

#include <stdbool.h>
#include <stddef.h>

#define TWO_MODES_APART 1.25   /* the least ratio of the two sides of the gap */
#define TWO_MODES_SHARE 0.1    /* the least share of the values in either mode */
enum { TWO_MODES_LEAST = 20 }; /* values */

struct two_modes {
    double low, high; /* medians */
    double high_share;
};

/* Splits positive values where the logarithms of both sides vary least (Otsu 1979), and returns whether the 95th
 * percentile of the lower and the 5th of the upper side are TWO_MODES_APART. Sorts in place. O(n log n). */
bool two_modes(struct two_modes *out, double *values, size_t count);

#endif
