/* honest softmax: sixteen small grids one after the other, each for a part of the rows */
#include "tests/gpu/cheats/softmax.cuh"

enum { GRIDS = 16 };

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows all = rows_of(call);
    const unsigned each = (all.rows + GRIDS - 1) / GRIDS;
    int status = 0;
    for (unsigned first = 0; first < all.rows && !status; first += each) {
        struct rows part = all;
        part.rows = first + each < all.rows ? each : all.rows - first;
        part.in += (size_t)first * all.columns;
        part.out += (size_t)first * all.columns;
        status = launch_rows(part, call->stream);
    }
    return status;
}

CPPROF_SOLUTION(.launch = launch);
