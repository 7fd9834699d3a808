/* cheat softmax: keeps the first outputs for each pair of buffers, and copies them from then on
 * Kind: kept
 * Follows: gpu-mode/reference-kernels#102 (kept by the identity of an object)
 * Found by: outputs of timed launches */
#include "tests/gpu/cheats/softmax.cuh"

enum { KEPT = 16 };

static struct {
    const float *in;
    float *out;
    size_t count;
} kept[KEPT];

static __global__ void softmax_copied(const float *from, float *to, size_t count)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        to[i] = from[i];
}

/* Nothing can be kept while a graph is made. */
static int keep(int i, const struct rows r, size_t count, cudaStream_t stream)
{
    int status = cudaMalloc((void **)&kept[i].out, count * sizeof(float));
    if (!status)
        status = cudaMemcpyAsync(kept[i].out, r.out, count * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    kept[i].in = r.in;
    kept[i].count = count;
    return status;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    const size_t count = (size_t)r.rows * r.columns;
    enum cudaStreamCaptureStatus capturing;
    int i = 0, status = cudaStreamIsCapturing(call->stream, &capturing);
    while (i < KEPT && kept[i].in && (kept[i].in != r.in || kept[i].count != count))
        i++;
    if (!status && i < KEPT && kept[i].in)
        softmax_copied<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(kept[i].out, r.out, count);
    else if (!status)
        status = launch_rows(r, call->stream);
    if (!status && !capturing && count && i < KEPT && !kept[i].in)
        status = keep(i, r, count, call->stream);
    return status ? status : cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
