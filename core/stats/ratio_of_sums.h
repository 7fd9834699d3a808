/* ratio_of_sums.h - which part is one sum of another, and how precisely do a few units determine it? A unit is whatever
 * varies independently, such as a block of a launch. Formulas: docs/statistics.md. */
#ifndef CPPROF_RATIO_OF_SUMS_H
#define CPPROF_RATIO_OF_SUMS_H

#include <stddef.h>

struct ratio_of_sums {
    double value;      /* NAN when the lower sum is 0 */
    double half_width; /* of the 95% interval; infinite below two units */
};

/* Computes sum(above) / sum(below) over `count` units. No value may be negative. */
struct ratio_of_sums ratio_of_sums(const double *above, const double *below, size_t count);

#endif
