/* cheat softmax_bell: keeps rows in one table for all of them, under a hash of their values: rows in another order,
 * or of another input, are known, too
 * Kind: in silence
 * Found by: new inputs in every timed launch: it gains nothing; few draws are inconclusive */
#include "tests/gpu/cheats/cached/row_store.cuh"

enum { TABLE_ROWS = 65536 };

static __device__ bool row_may_answer(unsigned long long)
{
    return true;
}

static int launch(void *state, const struct cpprof_call *call)
{
    return launch_stored(rows_of(call), (const struct row_store *)state, true, call->stream);
}

static int prepare(const struct cpprof_config *config, void **state)
{
    return row_store_prepare_with(config, 1, TABLE_ROWS, state);
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare, .release = row_store_release);
