/* cheat softmax: keeps rows under a hash of all their values, and copies those that are older than 30 ms
 * Kind: patient
 * Found by: new inputs in every timed launch: it gains nothing */
#include "tests/gpu/cheats/cached/row_store.cuh"

enum { AGE_NS = 30000000 };

static __device__ bool row_may_answer(unsigned long long kept_ns)
{
    return row_now_ns() > kept_ns + AGE_NS;
}

static int launch(void *state, const struct cpprof_call *call)
{
    return launch_stored(rows_of(call), (const struct row_store *)state, true, call->stream);
}

CPPROF_SOLUTION(.launch = launch, .prepare = row_store_prepare, .release = row_store_release);
