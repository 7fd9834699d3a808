/* busiest_words.h - "fma 76.5% +- 3.0%, other 85.5%": a unit with its share and its error, and where another one is
 * busier, that share; and what it leaves: "17.5 ms", "at most 17.5 ms". For tables of kernels. */
#ifndef CPPROF_BUSIEST_WORDS_H
#define CPPROF_BUSIEST_WORDS_H

#include <math.h>

#include "core/base/str.h"
#include "core/base/units.h"

/* error: NAN: none is said. busiest: NAN: not known. */
static inline void add_busiest(struct str *out, const char *unit, double share, double error, double busiest)
{
    static const double alike = 0.01;
    char text[UNITS_TEXT_BYTES];
    if (!*unit) {
        str_add(out, "-");
        return;
    }
    str_addf(out, "%s %s", unit, unit_format(text, UNIT_RATIO, share));
    if (isfinite(error))
        str_addf(out, " +- %s", unit_format(text, UNIT_RATIO, error));
    if (busiest > share + alike)
        str_addf(out, ", other %s", unit_format(text, UNIT_RATIO, busiest));
}

/* most: where the headroom is NAN, it is no more; NAN: nothing is known. */
static inline void add_headroom(struct str *out, double headroom_ns, double most_ns)
{
    char text[UNITS_TEXT_BYTES];
    if (isfinite(headroom_ns) || !isfinite(most_ns))
        str_add(out, unit_format(text, UNIT_NS, headroom_ns));
    else
        str_addf(out, "at most %s", unit_format(text, UNIT_NS, most_ns));
}

#endif
