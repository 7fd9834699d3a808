/* decimal.h - reads decimal text as an integer, without floating point. */
#ifndef CPPROF_DECIMAL_H
#define CPPROF_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DECIMAL_SCALE_MAX = 1 << 30 };

/* A number, and how many digits its fraction was written with. */
struct decimal {
    int64_t value;
    int fraction_digits;
};

/* Reads the `length` bytes "-12.5" with scale 1000 as -12500. Rounds to nearest, halves away from zero, and drops
 * digits after the ninth of the fraction. Only [-]digits[.digits] is accepted: no exponent, no grouping. Returns false
 * for any other text, and when the result does not fit. `scale` is 1 to DECIMAL_SCALE_MAX. */
bool decimal_read(const char *text, size_t length, int64_t scale, struct decimal *out);

#endif
