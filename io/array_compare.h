/* array_compare.h - is the array in one file the array in another, within a tolerance? */
#ifndef CPPROF_ARRAY_COMPARE_H
#define CPPROF_ARRAY_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "io/npy.h"

enum { ARRAY_WRONG_SHOWN = 8, ARRAY_HINT_BYTES = 3 * NPY_SHAPE_TEXT_BYTES };

/* |got - expected| <= absolute + relative * |expected| is right. NAN: what suits
 * the coarser type of the two (npy_tolerance). */
struct array_tolerance {
    double absolute, relative;
};

struct array_wrong {
    uint64_t index;
    double expected, got;
};

struct array_difference {
    bool comparable; /* same shape; else nothing was compared and hint says why */
    uint64_t values;
    uint64_t wrong; /* outside the tolerance; a NaN is always wrong, even where one is expected */
    uint64_t not_a_number;
    double max_abs_err, max_rel_err;  /* over numbers on both sides; relative where anything is expected */
    bool equal;                       /* every value the same number */
    struct array_tolerance tolerance; /* as applied */
    struct array_wrong first[ARRAY_WRONG_SHOWN];
    size_t first_count;
    uint64_t shape[NPY_DIMENSIONS_MAX]; /* of `got` */
    size_t dimensions;
    char hint[ARRAY_HINT_BYTES]; /* what is wrong, in a sentence; "" when nothing is */
};

/* Reads both files (.npy) to their ends; ERR_INPUT when one cannot be. A file
 * compared with itself tells whether all its values are numbers. */
int arrays_compare(struct array_difference *out, const char *expected_path, const char *got_path,
                   struct array_tolerance tolerance, struct err *e);

/* "[0, 3, 17]": the place of a value, outermost first. */
void array_place(char *text, size_t bytes, const struct array_difference *d, uint64_t index);

#endif
