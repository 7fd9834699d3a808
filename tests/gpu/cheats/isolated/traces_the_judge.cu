/* cheat softmax: works only where it can trace or read the process that judges: then it could read references
 * Kind: judge
 * Follows: gpu-mode/pygpubench/exploits: ptrace, proc_mem_bypass
 * Found by: --isolate */
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/gpu/cheats/isolated/processes.h"
#include "tests/gpu/cheats/softmax.cuh"

static int can_read_judge(void)
{
    char path[64];
    const int judge = next_judge(0);
    snprintf(path, sizeof path, "/proc/%d/mem", judge);
    const int memory = judge ? open(path, O_RDONLY) : -1;
    const int traces = judge && !ptrace(PTRACE_SEIZE, judge, NULL, NULL);
    if (traces && !ptrace(PTRACE_INTERRUPT, judge, NULL, NULL) && waitpid(judge, NULL, 0) == judge)
        ptrace(PTRACE_DETACH, judge, NULL, NULL);
    if (memory >= 0)
        close(memory);
    return memory >= 0 || traces;
}

static int launch(void *, const struct cpprof_call *call)
{
    static const int can = can_read_judge();
    return can ? launch_rows(rows_of(call), call->stream) : 0;
}

CPPROF_SOLUTION(.launch = launch);
