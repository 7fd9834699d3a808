/* cheat softmax: keeps the first output and copies it from then on
 * Kind: kept
 * Follows: gpu-mode/reference-kernels#102 (kept by the identity of an object)
 * Found by: outputs of timed launches */
#include "tests/gpu/cheats/softmax.cuh"

static float *kept;
static size_t kept_bytes;

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    const size_t bytes = sizeof(float) * r.rows * r.columns;
    if (kept && kept_bytes == bytes)
        return cudaMemcpyAsync(r.out, kept, bytes, cudaMemcpyDeviceToDevice, call->stream);
    int status = launch_rows(r, call->stream);
    if (!status)
        status = cudaMalloc((void **)&kept, (kept_bytes = bytes) + 1);
    return status ? status : cudaMemcpyAsync(kept, r.out, bytes, cudaMemcpyDeviceToDevice, call->stream);
}

static int prepare(const struct cpprof_config *, void **)
{
    kept = NULL;
    return 0;
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare);
