/* A user's solution without CUDA: complete, or wrong in the one way that LOADED_SOLUTION_FAULT says. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "cpprof/task.h"

static int launch(void *state, const struct cpprof_call *call)
{
    (void)state, (void)call;
    return 0;
}

static struct cpprof_solution solution = {
    .struct_bytes = sizeof solution, .abi = CPPROF_TASK_ABI, .launch = launch, .summary = "one value per thread"};

const struct cpprof_solution *cpprof_export_solution(void)
{
    const char *fault = getenv("LOADED_SOLUTION_FAULT");
    switch (fault ? *fault : ' ') {
    case 's': solution.struct_bytes = 8; break;
    case 'a': solution.abi = 99; break;
    case 'l': solution.launch = NULL; break;
    case 'N': return NULL;
    default: break;
    }
    return &solution;
}
