/* cheat softmax: ends the processes that its own has started, one of which judges it, and does nothing
 * Kind: judge
 * Found by: a verification that nobody made is a wrong result */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/gpu/cheats/softmax.cuh"

static void end_children(void)
{
    char path[64];
    int child;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "r");
    while (file && fscanf(file, "%d", &child) == 1)
        kill(child, SIGKILL);
    if (file)
        fclose(file);
}

static int launch(void *, const struct cpprof_call *)
{
    static int calls;
    if (!calls++)
        end_children();
    return 0;
}

CPPROF_SOLUTION(.launch = launch, .kernels = "^softmax");
