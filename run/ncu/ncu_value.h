/* ncu_value.h - a number of Nsight Compute's CSV, with its unit, in base units. */
#ifndef CPPROF_NCU_VALUE_H
#define CPPROF_NCU_VALUE_H

#include <stdbool.h>

#include "base/units.h"

enum ncu_number {
    NCU_NUMBER,  /* "4,963,609,951.19", "12", "1.2e-05" */
    NCU_MISSING, /* "", "n/a", "nan", "no data": not measured, or not to be had */
    NCU_LOCALE,  /* "61,84", "4.963.609,5", "12 319": digits as another locale writes them */
    NCU_GARBAGE
};

/* *value is NAN unless it is a number. Only commas in their places separate
 * thousands: what a decimal comma could have made is never taken for a number. */
enum ncu_number ncu_number_read(const char *text, double *value);

/* From `unit` of the file ("Gbyte", "usecond", "%", "inst/cycle") to `wanted`:
 * a factor for the value. Prefixes are decimal, as ncu means them. False when
 * one is not a unit of the other. */
bool ncu_unit_factor(const char *unit, enum unit wanted, double *factor);

#endif
