/* axis.h - where do the ticks of an axis of time stand, and what do they say? */
#ifndef CPPROF_AXIS_H
#define CPPROF_AXIS_H

#include <stddef.h>

#include "base/units.h"

/* Returns 1, 2 or 5 times a power of ten, of which `span` has at most `most` (at least 1); 0 unless the span is above 0
 * and finite. */
double axis_step(double span, int most);

/* Writes a tick: "0", "150 us", "1.5 ms"; all ticks of a step have the unit that fits `largest`. Returns `text`. */
char *axis_time(char text[static UNITS_TEXT_BYTES], double ns, double step, double largest);

#endif
