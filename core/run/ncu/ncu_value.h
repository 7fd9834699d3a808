/* ncu_value.h - reads a number of Nsight Compute's CSV, with its unit, in base units. */
#ifndef CPPROF_NCU_VALUE_H
#define CPPROF_NCU_VALUE_H

#include <stdbool.h>

#include "core/base/units.h"

enum ncu_number {
    NCU_NUMBER,  /* "4,963,609,951.19", "12", "1.2e-05" */
    NCU_MISSING, /* "", "n/a", "no data": not measured, or not available */
    NCU_NAN,     /* "nan", "-inf": measured, and no number */
    NCU_LOCALE,  /* "61,84", "4.963.609,5", "12 319": digits as another locale writes them */
    NCU_GARBAGE
};

/* Reads a number; *value is NAN if there is none. Commas separate thousands only where these belong: a text with a
 * possible decimal comma is never read as a number. */
enum ncu_number ncu_number_read(const char *text, double *value);

/* Returns the product of "(1056, 1, 1)"; if an extent cannot be one, as in "(-3, 1, 1)", that extent. NAN for any other
 * text. */
double ncu_dimensions_read(const char *text);

/* Gives the factor from `unit` of the file ("Gbyte", "usecond", "%", "inst/cycle") to `wanted`. Prefixes are decimal,
 * as in ncu. Returns false when the two do not measure the same. */
bool ncu_unit_factor(const char *unit, enum unit wanted, double *factor);

/* Does the file lack the unit of a number that has one? "" stands for the base unit, of a share for per cent, in which
 * ncu writes all of them. */
bool ncu_unit_is_missing(const char *unit, enum unit wanted);
/* Can a number without a unit be in base units? ncu writes others so that they have decimals or are small. */
bool ncu_value_is_unscaled(enum unit wanted, const char *text, double value);

#endif
