/* cheat softmax: launches nothing into a graph
 * Kind: left out
 * Found by: outputs of timed launches */
#include "tests/gpu/cheats/softmax.cuh"

static int launch(void *, const struct cpprof_call *call)
{
    enum cudaStreamCaptureStatus capturing;
    const int status = cudaStreamIsCapturing(call->stream, &capturing);
    return status || capturing ? status : launch_rows(rows_of(call), call->stream);
}

CPPROF_SOLUTION(.launch = launch);
