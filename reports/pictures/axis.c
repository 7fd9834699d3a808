/* Which numbers stand at an axis, and where? */
#include "reports/pictures/axis.h"

#include <math.h>
#include <stdio.h>

#include "core/base/count_of.h"

double axis_share(const struct axis_scale *s, double value)
{
    return s->is_log ? log(value / s->low) / log(s->high / s->low) : (value - s->low) / (s->high - s->low);
}

double axis_place(const struct axis_scale *s, double value)
{
    const double share = axis_share(s, value);
    return isnan(share) ? NAN : s->from + fmin(fmax(share, 0), 1) * (s->to - s->from);
}

/* ---- ticks ---- */

struct ticks {
    const struct axis_scale *scale;
    double distance, *items;
    size_t count;
};

static void add_tick(struct ticks *t, double value)
{
    const struct axis_scale *s = t->scale;
    if (!(value >= s->low && value <= s->high) || t->count == AXIS_TICKS_MAX)
        return;
    if (t->count && fabs(axis_place(s, value) - axis_place(s, t->items[t->count - 1])) < t->distance)
        return;
    t->items[t->count++] = value;
}

static void add_powers(struct ticks *t, size_t most)
{
    static const double between[] = {1, 2, 5};
    const struct axis_scale *s = t->scale;
    t->count = 0;
    double power = pow(10, floor(log10(s->low)));
    while (power > 0 && power <= s->high) {
        for (size_t i = 0; i < most; i++)
            add_tick(t, power * between[i]);
        power *= 10;
    }
}

/* Powers of ten alone where there is no room for what is between them. */
static void add_log_ticks(struct ticks *t)
{
    const struct axis_scale *s = t->scale;
    const double two = 0.3 * fabs(s->to - s->from) / log10(s->high / s->low);
    if (two < t->distance)
        add_powers(t, 1);
    if (t->count < 2)
        add_powers(t, 3);
}

static void add_steps(struct ticks *t)
{
    const struct axis_scale *s = t->scale;
    const double room = fabs(s->to - s->from) / t->distance;
    const double step = axis_step(s->high - s->low, (int)fmin(room, AXIS_TICKS_MAX * 0.5));
    const double first = step > 0 ? ceil(s->low / step - 1e-9) : 0;
    for (int i = 0; step > 0 && i < AXIS_TICKS_MAX; i++)
        add_tick(t, (first + i) * step);
}

size_t axis_ticks(const struct axis_scale *s, double distance, double ticks[static AXIS_TICKS_MAX])
{
    struct ticks t = {s, distance, ticks, 0};
    if (!(s->high > s->low) || !isfinite(s->high - s->low) || (s->is_log && !(s->low > 0)))
        return 0;
    if (s->is_log)
        add_log_ticks(&t);
    if (t.count < 2) {
        t.count = 0;
        add_steps(&t);
    }
    return t.count;
}

/* ---- time ---- */

double axis_step(double span, int most)
{
    static const double nice[] = {1, 2, 5, 10};
    if (!(span > 0) || !isfinite(span))
        return 0;
    const double least = span / (most < 1 ? 1 : most), power = pow(10, floor(log10(least)));
    for (size_t i = 0; i < COUNT_OF(nice); i++)
        if (nice[i] * power >= least * (1 - 1e-9))
            return nice[i] * power;
    return 10 * power;
}

struct time_unit {
    double ns;
    const char *name;
};

static const struct time_unit *unit_of(double largest)
{
    static const struct time_unit units[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
    size_t unit = 0;
    while (unit + 1 < COUNT_OF(units) && fabs(largest) >= units[unit + 1].ns * (1 - 1e-9))
        unit++;
    return &units[unit];
}

char *axis_time(char text[static UNITS_TEXT_BYTES], double ns, double step, double largest)
{
    const struct time_unit *unit = unit_of(largest);
    const double in_unit = step / unit->ns;
    const int decimals = in_unit > 0 && in_unit < 1 ? (int)fmin(9, ceil(-log10(in_unit) - 1e-9)) : 0;
    if (fabs(ns) < step * 1e-6)
        snprintf(text, UNITS_TEXT_BYTES, "0");
    else
        snprintf(text, UNITS_TEXT_BYTES, "%.*f %s", decimals, ns / unit->ns, unit->name);
    return text;
}

char *axis_time_alone(char text[static UNITS_TEXT_BYTES], double ns)
{
    const struct time_unit *unit = unit_of(ns);
    snprintf(text, UNITS_TEXT_BYTES, "%.4g %s", ns / unit->ns, unit->name);
    return text;
}

size_t axis_multiples(double low, double high, double step, double ticks[static AXIS_TICKS_MAX])
{
    size_t count = 0;
    if (!(step > 0))
        return 0;
    const double first = ceil(low / step);
    while (count < AXIS_TICKS_MAX && (first + (double)count) * step <= high) {
        ticks[count] = (first + (double)count) * step;
        count++;
    }
    return count;
}
