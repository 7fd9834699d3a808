/* cheat gram: works on a side stream that is joined and waits for nothing: it runs while the cache is flushed
 * Kind: ahead
 * Found by: inputs that change between two launches on the same buffers */
#include "tests/gpu/cheats/gram.cuh"
#include "tests/gpu/cheats/honest/sides.cuh"

static int launch(void *state, const struct cpprof_call *call)
{
    const struct side *s = (const struct side *)state;
    enum cudaStreamCaptureStatus capturing;
    int status = cudaStreamIsCapturing(call->stream, &capturing);
    if (!status && capturing != cudaStreamCaptureStatusNone)
        status = side_fork(s, call->stream);
    if (!status)
        status = launch_product(product_of(call), s->stream);
    return status ? status : side_join(s, call->stream);
}

CPPROF_SOLUTION(.launch = launch, .prepare = side_open, .release = side_close);
