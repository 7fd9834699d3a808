/* Which difference is too small to matter? */
#include "cli/compared/margin_option.h"

#include "core/base/units.h"

void margin_option_parse(struct argp_state *state, const char *text, double *margin)
{
    enum unit unit;
    const size_t length = unit_parse(text, margin, &unit);
    if (!length || text[length] || unit != UNIT_RATIO || !(*margin >= 0 && *margin < 0.5))
        argp_error(state, "--margin %s: expected a number with %%, from 0%% to less than 50%%, as in 1%%", text);
}
