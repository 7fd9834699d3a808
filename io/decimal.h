/* decimal.h - decimal text to integers without a detour over floating point. */
#ifndef CPPROF_DECIMAL_H
#define CPPROF_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

enum { DECIMAL_SCALE_MAX = 1 << 30 };

/* A number that was read, and how finely it was written. */
struct decimal {
    int64_t value;
    int fraction_digits;
};

/* "-12.5" with scale 1000 -> -12500. Rounds to nearest, halves away from zero;
 * digits beyond the ninth after the point are dropped. Takes nothing but
 * [-]digits[.digits]: no exponent, no grouping. False when the text is no such
 * number or the result does not fit; scale is 1 to DECIMAL_SCALE_MAX. */
bool decimal_read(const char *text, int64_t scale, struct decimal *out);

#endif
