/* array_compare.h - is the array in one file the array in another, within a tolerance? */
#ifndef CPPROF_ARRAY_COMPARE_H
#define CPPROF_ARRAY_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/io/npy.h"

enum { ARRAY_WRONG_SHOWN = 8, ARRAY_HINT_BYTES = 3 * NPY_SHAPE_TEXT_BYTES };

/* A value is right when |got - expected| <= absolute + relative * |expected|. NAN: the tolerance of the coarser of the
 * two types (npy_tolerance). */
struct array_tolerance {
    double absolute, relative;
};

struct array_wrong {
    uint64_t index;
    double expected, got;
};

struct array_difference {
    bool comparable; /* the shapes are the same; else nothing was compared, and hint has the reason */
    uint64_t values;
    uint64_t wrong; /* outside the tolerance; a NaN is always wrong, even where one is expected */
    uint64_t not_a_number;
    /* Over values that are numbers on both sides; relative where the expected one is not 0. */
    double max_abs_err, max_rel_err;
    bool equal;                       /* all values are the same numbers */
    struct array_tolerance tolerance; /* as applied */
    struct array_wrong first[ARRAY_WRONG_SHOWN];
    size_t first_count;
    uint64_t shape[NPY_DIMENSIONS_MAX]; /* of `got` */
    size_t dimensions;
    char hint[ARRAY_HINT_BYTES]; /* a sentence about the errors; "" when there are none */
};

/* Reads both .npy files to their ends. Returns 0, or ERR_INPUT when one cannot be read. Comparing a file with itself
 * finds out whether all its values are numbers. */
int arrays_compare(struct array_difference *out, const char *expected_path, const char *got_path,
                   struct array_tolerance tolerance, struct err *e);

/* Writes the place of a value, outermost dimension first: "[0, 3, 17]". */
void array_place(char *text, size_t bytes, const struct array_difference *d, uint64_t index);

#endif
