/* Which units do other tools count that none of our sets does? */
#include "core/gpu/other_units.h"

#include <string.h>

#include "core/base/count_of.h"

#define ELAPSED ".avg.pct_of_peak_sustained_elapsed"

/* The raw page has L1 as a whole only over active cycles, but its data stage over elapsed cycles. */
static const struct metric units[] = {
    {"l1_data_share", "l1tex__data_pipe_lsu_wavefronts" ELAPSED, UNIT_RATIO, METRIC_MEMORY, 0, "l1",
     "L1 data stage used"},
};

const struct metric *other_units(size_t *count)
{
    *count = COUNT_OF(units);
    return units;
}

const struct metric *other_unit_by_name(const char *cupti_name)
{
    for (size_t i = 0; i < COUNT_OF(units); i++)
        if (!strcmp(units[i].name, cupti_name))
            return &units[i];
    return NULL;
}
