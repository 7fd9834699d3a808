/* cheat softmax: sleeps in its first calls, so that a harness which reckons with their time makes few of them, and
 * works for half the rows from then on
 * Kind: clock
 * Follows: gpu-mode/pygpubench#7 (a slow warm-up cuts the samples)
 * Found by: outputs of timed launches */
#include <unistd.h>

#include "tests/gpu/cheats/softmax.cuh"

enum { SLEEPS = 10, SLEEP_US = 20000 };

static int launch(void *, const struct cpprof_call *call)
{
    static int calls;
    struct rows r = rows_of(call);
    if (calls++ < SLEEPS)
        usleep(SLEEP_US);
    else
        r.rows = (r.rows + 1) / 2;
    return launch_rows(r, call->stream);
}

CPPROF_SOLUTION(.launch = launch);
