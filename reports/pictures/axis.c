/* Which numbers stand at an axis of time? */
#include "reports/pictures/axis.h"

#include <math.h>
#include <stdio.h>

double axis_step(double span, int most)
{
    static const double nice[] = {1, 2, 5, 10};
    if (!(span > 0) || !isfinite(span))
        return 0;
    const double least = span / (most < 1 ? 1 : most), power = pow(10, floor(log10(least)));
    for (size_t i = 0; i < sizeof nice / sizeof nice[0]; i++)
        if (nice[i] * power >= least * (1 - 1e-9))
            return nice[i] * power;
    return 10 * power;
}

char *axis_time(char text[static UNITS_TEXT_BYTES], double ns, double step, double largest)
{
    static const struct {
        double ns;
        const char *name;
    } units[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
    size_t unit = 0;
    while (unit + 1 < sizeof units / sizeof units[0] && fabs(largest) >= units[unit + 1].ns)
        unit++;
    const double in_unit = step / units[unit].ns;
    const int decimals = in_unit > 0 && in_unit < 1 ? (int)fmin(9, ceil(-log10(in_unit) - 1e-9)) : 0;
    if (fabs(ns) < step * 1e-6)
        snprintf(text, UNITS_TEXT_BYTES, "0");
    else
        snprintf(text, UNITS_TEXT_BYTES, "%.*f %s", decimals, ns / units[unit].ns, units[unit].name);
    return text;
}
