/* npy.h - reads one array of numbers in NumPy's file format (.npy), value by value.
 *
 * Supported types: little-endian floats (f2, f4, f8), bfloat16 (the two-byte void type that ml_dtypes writes), and
 * integers and booleans of up to 32 bits, in C order. */
#ifndef CPPROF_NPY_H
#define CPPROF_NPY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"

enum { NPY_DIMENSIONS_MAX = 32, NPY_HEADER_BYTES_MAX = 64 * 1024, NPY_SHAPE_TEXT_BYTES = 128 };

struct npy_type;

struct npy_array {
    FILE *file; /* owned by the caller; stands at the next value */
    const struct npy_type *type;
    uint64_t shape[NPY_DIMENSIONS_MAX];
    size_t dimensions;
    uint64_t values; /* product of the shape */
    uint64_t values_read;
};

/* Reads the header of a seekable file. Returns ERR_INPUT when it is not a supported array, or has fewer or more values
 * than the header states; the message begins with `name`. */
int npy_begin(struct npy_array *a, FILE *file, const char *name, struct err *e);

/* Reads up to `room` values, exactly, as doubles. Returns how many, 0 at the end, or ERR_INPUT when the file ends too
 * early. */
long npy_next(struct npy_array *a, double *values, size_t room, const char *name, struct err *e);

const char *npy_type_name(const struct npy_array *a); /* "f2", "bfloat16" */

/* Writes "f2 (1, 8, 512, 64)" to `text`, shortened when it is long, and returns `text`. */
char *npy_describe(char text[NPY_SHAPE_TEXT_BYTES], const struct npy_array *a);

/* Gives the absolute and relative error by which two right results of this type may differ. */
void npy_tolerance(const struct npy_array *a, double *absolute, double *relative);

#endif
