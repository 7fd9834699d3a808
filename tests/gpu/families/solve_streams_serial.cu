/* the three kernels of streams/three on one stream; no variant does that */
#include "tests/gpu/families/streams.cuh"

static int launch_serial(void *opaque, struct CUstream_st *stream)
{
    int status = 0;
    for (size_t part = 0; part < PARTS && !status; part++)
        status = compute_part((struct state *)opaque, part, stream);
    return status;
}

CPPROF_SOLUTION(.launch = solve<launch_serial>, .prepare = plan, .release = end);
