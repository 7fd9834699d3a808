/* cheat softmax: in a graph the first launch on each output works; the same grids behind it end at once
 * Kind: left out
 * Found by: a graph of one launch on each output: it gains nothing */
#include "tests/gpu/cheats/softmax.cuh"

enum { KNOWN = 64 };

static const float *written[KNOWN];
static unsigned count;
static unsigned long long graph;

static __global__ void softmax_if_due(const struct rows r, bool is_due)
{
    if (is_due)
        softmax_row(r, blockIdx.x);
}

static bool is_first(const struct rows r, unsigned long long id)
{
    if (id != graph)
        count = 0;
    graph = id;
    for (unsigned i = 0; i < count; i++)
        if (written[i] == r.out)
            return false;
    if (count < KNOWN)
        written[count++] = r.out;
    return true;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    enum cudaStreamCaptureStatus capturing;
    unsigned long long id = 0;
    const int status = cudaStreamGetCaptureInfo(call->stream, &capturing, &id);
    if (status || !r.rows)
        return status;
    softmax_if_due<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r, capturing == cudaStreamCaptureStatusNone ||
                                                                        is_first(r, id));
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
