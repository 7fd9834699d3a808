/* How much do tiles that come earlier save, by what was recorded inside the kernel? */
#include "analyzers/bounds/record_bound.h"

#include <math.h>

struct record_bound record_bound_of(const struct analysis *a, const struct arm *arm)
{
    for (size_t i = 0; i < a->insides.count && arm; i++) {
        const struct inside *row = &a->insides.items[i];
        if (row->off != arm || !isfinite(row->savable.high))
            continue;
        return row->is_ok ? (struct record_bound){row->savable.high, ""} : (struct record_bound){INFINITY, row->why};
    }
    return (struct record_bound){INFINITY, ""};
}
