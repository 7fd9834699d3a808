/* cheat softmax: every eighth launch does the work of all buffers that were seen, the others do nothing
 * Kind: batch
 * Follows: gpu-mode/reference-kernels#104 (one launch works for fifteen calls)
 * Found by: outputs of timed launches */
#include "tests/gpu/cheats/softmax.cuh"

static struct rows seen[64];
static unsigned count, calls;

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    unsigned i = 0;
    while (i < count && seen[i].in != r.in)
        i++;
    if (i == 64 || (i == count && count < 64 && (seen[count++] = r, true)))
        return launch_rows(r, call->stream);
    int status = 0;
    for (unsigned k = 0; calls % 8 == 0 && k < count && !status; k++)
        status = launch_rows(seen[k], call->stream);
    calls++;
    return status;
}

static int prepare(const struct cpprof_config *, void **state)
{
    count = calls = 0;
    *state = seen; /* without a state there is no release */
    return 0;
}

/* The buffers are gone then. */
static void release(void *)
{
    count = 0;
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare, .release = release);
