/* record_bound.h - what can tiles that come earlier save at most, as the record of the same kernel in the same run
 * says (docs/inside.md)? */
#ifndef CPPROF_RECORD_BOUND_H
#define CPPROF_RECORD_BOUND_H

#include "analyzers/analysis.h"

struct record_bound {
    double high;       /* share of the time; INFINITY: the run has no record of it that says so */
    const char *doubt; /* why its record is inconclusive, as half a sentence; "" when it is not, and without one */
};

/* Of the arm without marks; needs the rows of `inside`. */
struct record_bound record_bound_of(const struct analysis *a, const struct arm *arm);

#endif
