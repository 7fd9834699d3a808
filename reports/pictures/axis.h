/* axis.h - where do values and ticks stand on an axis, and what do ticks of time say? */
#ifndef CPPROF_AXIS_H
#define CPPROF_AXIS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/units.h"

enum { AXIS_TICKS_MAX = 32 };

/* Values from `low` to `high` stand between the places `from` and `to`, in this order or the other. Of a logarithmic
 * one both are above 0. */
struct axis_scale {
    double low, high;
    bool is_log;
    double from, to;
};

/* Where a value stands from `low`, 0, to `high`, 1; beyond that it is outside. NAN where all values are the same. */
double axis_share(const struct axis_scale *s, double value);
/* Its place: what is outside is at the end that is nearer. */
double axis_place(const struct axis_scale *s, double value);

/* Finds round values with at least `distance` between their places, ascending; a logarithmic axis has 1, 2 and 5 times
 * powers of ten, or steps where those are too few. Returns how many. */
size_t axis_ticks(const struct axis_scale *s, double distance, double ticks[static AXIS_TICKS_MAX]);

/* Returns 1, 2 or 5 times a power of ten, of which `span` has at most `most` (at least 1); 0 unless the span is above 0
 * and finite. */
double axis_step(double span, int most);

/* Finds the multiples of a step from `low` to `high`; none of a step of 0. Returns how many. */
size_t axis_multiples(double low, double high, double step, double ticks[static AXIS_TICKS_MAX]);

/* Writes a tick: "0", "150 us", "1.5 ms"; all ticks of a step have the unit that fits `largest`. Returns `text`. */
char *axis_time(char text[static UNITS_TEXT_BYTES], double ns, double step, double largest);

/* The same of a tick of a logarithmic axis, in a unit of its own. */
char *axis_time_alone(char text[static UNITS_TEXT_BYTES], double ns);

#endif
