/* honest softmax: copies its input into its output, within the device, and works in place there */
#include "tests/gpu/cheats/softmax.cuh"

static int launch(void *, const struct cpprof_call *call)
{
    struct rows r = rows_of(call);
    const size_t bytes = (size_t)r.rows * r.columns * sizeof(float);
    int status = bytes ? cudaMemcpyAsync(r.out, r.in, bytes, cudaMemcpyDeviceToDevice, call->stream) : 0;
    r.in = r.out;
    return status ? status : launch_rows(r, call->stream);
}

CPPROF_SOLUTION(.launch = launch);
