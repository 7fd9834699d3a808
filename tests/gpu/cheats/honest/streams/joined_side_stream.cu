/* honest softmax: half the rows on another stream, forked and joined */
#include "tests/gpu/cheats/honest/sides.cuh"
#include "tests/gpu/cheats/softmax.cuh"

static int launch(void *state, const struct cpprof_call *call)
{
    const struct side *s = (const struct side *)state;
    struct rows first = rows_of(call), second = first;
    first.rows /= 2;
    second.rows -= first.rows;
    second.in += (size_t)first.rows * first.columns;
    second.out += (size_t)first.rows * first.columns;
    int status = side_fork(s, call->stream);
    if (!status)
        status = launch_rows(first, s->stream);
    if (!status)
        status = launch_rows(second, call->stream);
    return status ? status : side_join(s, call->stream);
}

CPPROF_SOLUTION(.launch = launch, .prepare = side_open, .release = side_close);
