/* ranked_task.h - a collective as one task: it has the arrays of all ranks, one rank behind the other. All that judges
 * goes through these; where each is says its rank. */
#ifndef CPPROF_RANKED_TASK_H
#define CPPROF_RANKED_TASK_H

#include <stdbool.h>

#include "core/base/err.h"
#include "cpprof/task.h"

enum { JUDGE_RANKS_MAX = 8 };

/* ERR_USAGE: it has more ranks or arrays at this shape than can be judged. */
int ranked_task_check(const struct cpprof_task *task, const struct cpprof_config *config, struct err *e);

/* Sets *out to the task itself where it has one rank, else to one that stays until the process ends. ERR_USAGE: as
 * above. */
int ranked_task_get(const struct cpprof_task **out, const struct cpprof_task *task, const struct cpprof_config *config,
                    struct err *e);

/* How many ranks it has at this shape, of a task that was got: 1 or more. */
int ranked_task_ranks(const struct cpprof_task *task, const struct cpprof_config *config);

/* Do all launches have the same values of it? */
bool ranked_task_is_constant(const struct cpprof_task *task, size_t input);

/* The ordinal of the GPU of a rank, where rank 0 has `first`. */
int ranked_task_device(int first, int rank);

#endif
