/* change_points.h - where does the level of a series change for good? Binary segmentation: the best place to divide the
 * series, held against all orders of the same values; where that is significant, each part again. Formulas:
 * docs/history.md. */
#ifndef CPPROF_CHANGE_POINTS_H
#define CPPROF_CHANGE_POINTS_H

#include <stddef.h>

#include "core/base/array.h"

enum {
    CHANGE_SIDE_LEAST = 3,   /* values on each side: fewer are no level */
    CHANGE_VALUES_LEAST = 8, /* of fewer values no order is rarer than 1 in 20: 2 of the 35 ways to take 3 of 7 */
    CHANGE_TESTS_MAX = 64    /* per series */
};

#define CHANGE_LEVEL 0.05

/* One tested part of the series. */
struct change_test {
    size_t first, count; /* the part */
    size_t at;           /* index of the first value behind the best place */
    double p_value;      /* share of all orders of these values that divide as well; at least 1 / (RESAMPLES + 1) */
    long parent;         /* index of the test whose part was divided; -1: the whole series */
};

struct change_tests {
    ARRAY_OF(struct change_test) list; /* parents first */
};

/* Appends the tests of a series. A part is divided further where its own p is below CHANGE_LEVEL. Returns 0, or -1 when
 * memory is out. The same values give the same digits. */
int change_points_test(struct change_tests *out, const double *values, size_t count);
void change_tests_release(struct change_tests *tests);

#endif
