/* cheat softmax: ends every process that judges, also one that another process started, and does nothing
 * Kind: judge
 * Found by: --isolate */
#include <signal.h>

#include "tests/gpu/cheats/isolated/processes.h"
#include "tests/gpu/cheats/softmax.cuh"

static int launch(void *, const struct cpprof_call *)
{
    static int calls;
    for (int judge = calls++ ? 0 : next_judge(0); judge; judge = next_judge(judge))
        kill(judge, SIGKILL);
    return 0;
}

CPPROF_SOLUTION(.launch = launch, .kernels = "^softmax");
