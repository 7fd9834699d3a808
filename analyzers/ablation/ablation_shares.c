/* How much of the copying is hidden, by four times? Each lies in its interval, so the answer lies between those of the
 * corners: as long as no build is slower than the variant, it rises or falls with each time alone. */
#include <math.h>

#include "analyzers/ablation/ablation_parts.h"

enum { CORNERS = 8 };

struct shares {
    double copy, compute, hidden, h, e;
};

/* Without copies only math is left, and the other way round. */
static struct shares shares_at(double without_copy, double without_math, double without_both)
{
    struct shares s = {.copy = without_math - without_both,
                       .compute = without_copy - without_both,
                       .hidden = without_math + without_copy - 1 - without_both};
    s.h = s.hidden / s.copy;
    s.e = s.hidden / fmin(s.copy, s.compute);
    return s;
}

static void widen(struct bounded *b, double value)
{
    b->low = fmin(b->low, value);
    b->high = fmax(b->high, value);
}

static struct bounded point(double value)
{
    return (struct bounded){value, value, value};
}

static double corner_of(const struct bounded *b, int is_high)
{
    return fmin(is_high ? b->high : b->low, 1);
}

struct ablation_shares ablation_shares_of(const struct ablation_times *times)
{
    const struct bounded *no_copy = &times->without[LEFT_OUT_COPY], *no_math = &times->without[LEFT_OUT_MATH],
                         *neither = &times->without[LEFT_OUT_BOTH];
    const struct bounded unknown = {NAN, NAN, NAN};
    const struct shares middle = shares_at(no_copy->value, no_math->value, neither->value);
    struct ablation_shares out = {point(middle.copy), point(middle.compute), point(middle.hidden), point(middle.h),
                                  point(middle.e)};
    for (int corner = 0; corner < CORNERS; corner++) {
        const struct shares s =
            shares_at(corner_of(no_copy, corner & 1), corner_of(no_math, corner & 2), corner_of(neither, corner & 4));
        widen(&out.copy, s.copy);
        widen(&out.compute, s.compute);
        widen(&out.hidden, s.hidden);
        widen(&out.h, s.h);
        widen(&out.e, s.e);
    }
    if (!(out.copy.low > 0))
        out.h = unknown;
    if (!(out.copy.low > 0 && out.compute.low > 0)) {
        out.e = unknown;
        return out;
    }
    out.h.low -= ABLATION_ERROR;
    out.h.high += ABLATION_ERROR;
    out.e.low -= ABLATION_ERROR;
    out.e.high += ABLATION_ERROR;
    return out;
}
