/* units.h - how do values become text, and text values? Inside the code all values are in base units (ns, bytes, ratio
 * 0..1). */
#ifndef CPPROF_UNITS_H
#define CPPROF_UNITS_H

#include <stddef.h>
#include <stdint.h>

enum unit {
    UNIT_NONE, /* a plain number */
    UNIT_COUNT,
    UNIT_NS,
    UNIT_BYTES,
    UNIT_RATIO,  /* 0..1, shown as per cent */
    UNIT_FACTOR, /* a quotient such as a speedup, shown as 1.23x */
    UNIT_BYTES_PER_S,
    UNIT_CYCLES,
    UNIT_HZ,
    UNIT_FLOP_PER_S,
    UNIT_TEXT
};

enum { UNITS_TEXT_BYTES = 48 };

/* Returns the name of a unit as our CSV files have it. */
const char *unit_name(enum unit unit);

/* Writes a text such as "12.3 us", "1.50 MiB", "42.1%", "1.234x", "3.35 TB/s" or "1,234", at most UNITS_TEXT_BYTES with
 * its end, and returns `text`. */
char *unit_format(char *text, enum unit unit, double value);

/* Formats values that are read together (a value, its interval, a margin). Ratios and factors that differ get enough
 * decimals to look different: up to three more than unit_format gives. */
void unit_format_apart(char texts[][UNITS_TEXT_BYTES], enum unit unit, const double *values, size_t count);

/* Formats a factor with three digits, for a headline: "1.06x", "166x", "0.939x". Returns `text`. */
char *unit_format_factor(char *text, double value);

/* Formats a point in time, exact to the nanosecond, in a fitting unit: "800 ns", "1.800 us", "12.345678 ms",
 * "3.000000001 s". unit_parse reads it again. */
char *unit_format_moment(char *text, int64_t ns);

/* Reads "80%", "12us", "4 MiB" or "3" into a number in base units and its unit. Returns how many characters were read;
 * 0 when there is no number, or its unit is not one of % ns us ms s B KB KiB MB MiB GB GiB. */
size_t unit_parse(const char *text, double *value, enum unit *unit);

#endif
