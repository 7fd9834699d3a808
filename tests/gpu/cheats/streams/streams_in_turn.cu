/* cheat softmax: takes four side streams in turn, each forked once in a graph and joined always: four launches at
 * once
 * Kind: overlap
 * Found by: the edges of the graph */
#include "tests/gpu/cheats/honest/sides.cuh"
#include "tests/gpu/cheats/softmax.cuh"

enum { SIDES = 4 };

static struct side *sides[SIDES];

static int launch(void *, const struct cpprof_call *call)
{
    static unsigned calls;
    const struct side *s = sides[calls++ % SIDES];
    enum cudaStreamCaptureStatus forked;
    int status = cudaStreamIsCapturing(s->stream, &forked);
    if (!status && forked == cudaStreamCaptureStatusNone)
        status = side_fork(s, call->stream);
    if (!status)
        status = launch_rows(rows_of(call), s->stream);
    return status ? status : side_join(s, call->stream);
}

static int prepare(const struct cpprof_config *config, void **)
{
    int status = 0;
    for (int i = 0; i < SIDES && !status && !sides[SIDES - 1]; i++)
        status = side_open(config, (void **)&sides[i]);
    return status;
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare);
