/* What arrays does a collective have, on all of its GPUs? */
#include "collector/runner/judge/ranked_task.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = 64 };

struct ranked {
    struct cpprof_task task;
    const struct cpprof_task *of;
    struct cpprof_array inputs[CPPROF_ARRAYS_MAX], outputs[CPPROF_ARRAYS_MAX];
    char input_names[CPPROF_ARRAYS_MAX][NAME_BYTES], output_names[CPPROF_ARRAYS_MAX][NAME_BYTES];
    int ranks;
    struct ranked *next;
};

/* A few: one for each number of ranks. Problems point to them, which are shared by all arms of a process. */
static struct ranked *known;

int ranked_task_ranks(const struct cpprof_task *task, const struct cpprof_config *config)
{
    return task->ranks ? task->ranks(config) : 1;
}

bool ranked_task_is_constant(const struct cpprof_task *task, size_t input)
{
    return task->constant_inputs >> input & 1;
}

int ranked_task_device(int first, int rank)
{
    int count = 0;
    if (!rank || cudaGetDeviceCount(&count) || count < 1)
        return first;
    return (first + rank) % count;
}

static size_t spread(struct cpprof_array *out, char (*names)[NAME_BYTES], const struct cpprof_array *arrays,
                     size_t count, int ranks)
{
    const size_t all = count * (size_t)ranks;
    for (size_t i = 0; i < all; i++) {
        out[i] = arrays[i % count];
        snprintf(names[i], sizeof names[i], "%.24s of rank %zu", arrays[i % count].name, i / count);
        out[i].name = names[i];
    }
    return all;
}

static struct ranked *make(const struct cpprof_task *task, int ranks)
{
    struct ranked *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->task = *task;
    r->of = task;
    r->ranks = ranks;
    r->task.input_count = spread(r->inputs, r->input_names, task->inputs, task->input_count, ranks);
    r->task.output_count = spread(r->outputs, r->output_names, task->outputs, task->output_count, ranks);
    for (int rank = 1; rank < ranks; rank++)
        r->task.constant_inputs |= task->constant_inputs << ((size_t)rank * task->input_count);
    r->task.inputs = r->inputs;
    r->task.outputs = r->outputs;
    r->next = known;
    return known = r;
}

int ranked_task_check(const struct cpprof_task *task, const struct cpprof_config *config, struct err *e)
{
    const int ranks = ranked_task_ranks(task, config);
    const size_t most = task->input_count > task->output_count ? task->input_count : task->output_count;
    if (ranks < 1 || ranks > JUDGE_RANKS_MAX)
        return err_set(e, ERR_USAGE, "the task has %d ranks at this shape: from 1 to %d can be judged", ranks,
                       JUDGE_RANKS_MAX);
    if (ranks > 1 && most * (size_t)ranks > CPPROF_ARRAYS_MAX)
        return err_set(e, ERR_USAGE, "the task has %zu arrays on each of %d ranks: at most %d in all can be judged",
                       most, ranks, CPPROF_ARRAYS_MAX);
    return 0;
}

int ranked_task_get(const struct cpprof_task **out, const struct cpprof_task *task, const struct cpprof_config *config,
                    struct err *e)
{
    const int rc = ranked_task_check(task, config, e), ranks = ranked_task_ranks(task, config);
    *out = task;
    if (rc || ranks == 1)
        return rc;
    struct ranked *r = known;
    while (r && (r->of != task || r->ranks != ranks))
        r = r->next;
    if (!r && !(r = make(task, ranks)))
        return err_memory(e);
    *out = &r->task;
    return 0;
}
