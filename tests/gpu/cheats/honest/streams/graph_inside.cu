/* uncounted gram: launches a graph of its own for each set of buffers; where it is captured it launches plainly */
#include "tests/gpu/cheats/gram.cuh"

static struct {
    struct product p;
    cudaGraphExec_t graph;
} made[64];
static unsigned count;

static int make(const struct product p, cudaGraphExec_t *out)
{
    cudaStream_t stream;
    cudaGraph_t graph = NULL;
    int status = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (!status)
        status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (!status)
        status = launch_product(p, stream);
    if (!status)
        status = cudaStreamEndCapture(stream, &graph);
    return status ? status : cudaGraphInstantiate(out, graph, 0);
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    enum cudaStreamCaptureStatus capturing;
    int status = cudaStreamIsCapturing(call->stream, &capturing);
    if (status || capturing)
        return status ? status : launch_product(p, call->stream);
    unsigned i = 0;
    while (i < count && (made[i].p.c != p.c || made[i].p.a != p.a || made[i].p.n != p.n))
        i++;
    if (i == 64)
        return launch_product(p, call->stream);
    if (i == count) {
        made[i].p = p;
        status = make(p, &made[i].graph);
        count += !status;
    }
    return status ? status : cudaGraphLaunch(made[i].graph, call->stream);
}

CPPROF_SOLUTION(.launch = launch);
