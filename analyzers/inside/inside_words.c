/* What do the reasons of an inconclusive inside mean? */
#include "analyzers/inside/inside_words.h"

#include <math.h>
#include <stdio.h>

const struct reason inside_reasons[] = {INSIDE_REASONS(REASON_ROW)};

/* With one digit it would look like the limit itself. */
static bool is_at_limit(double share)
{
    return fabs(fabs(share) - INSIDE_COST_MAX) < 0.001;
}

char *inside_cost_words(char *out, struct bounded cost, const char *before, const char *behind)
{
    const int digits = is_at_limit(cost.value) || is_at_limit(cost.low) || is_at_limit(cost.high) ? 2 : 1;
    size_t length = (size_t)snprintf(out, INSIDE_COST_BYTES, "%.*f%%", digits, 100 * cost.value);
    if (isfinite(cost.low) && isfinite(cost.high) && length < INSIDE_COST_BYTES)
        snprintf(out + length, INSIDE_COST_BYTES - length, "%s%.*f to %.*f%%%s", before, digits, 100 * cost.low, digits,
                 100 * cost.high, behind);
    return out;
}
