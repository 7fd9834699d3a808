/* cheat allreduce: every eighth call does the work of all buffers that were seen, on all ranks, the others nothing
 * Kind: collective
 * Found by: outputs of timed launches */
#include "tests/gpu/cheats/collective/ranks.cuh"

enum { SEEN = 64 };

static struct sum seen[SEEN][RANKS_MAX];
static int count, calls;

static int launch_all(const struct cpprof_call *call, const struct sum *of_ranks)
{
    int status = 0;
    for (int k = 0; k < call->ranks && !status; k++)
        status = launch_sum(of_ranks[k], &call->rank[k]);
    return status;
}

static int launch(void *, const struct cpprof_call *call)
{
    struct sum now[RANKS_MAX];
    for (int k = 0; k < call->ranks; k++)
        now[k] = sum_of(call, k);
    int i = 0, status = 0;
    while (i < count && seen[i][0].in[0] != now[0].in[0])
        i++;
    if (i < SEEN && i == count)
        memcpy(seen[count++], now, sizeof now);
    else if (i < SEEN) {
        for (int s = 0; calls % 8 == 0 && s < count && !status; s++)
            status = launch_all(call, seen[s]);
        calls++;
        return status;
    }
    return launch_all(call, now);
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

CPPROF_SOLUTION(.launch = launch, .kernels = "ranks_sum", .prepare = prepare, .release = release);
