/* task_library.h - opens the libraries of a task and of its solutions, and checks what they export. */
#ifndef CPPROF_TASK_LIBRARY_H
#define CPPROF_TASK_LIBRARY_H

#include <stdbool.h>

#include "core/base/err.h"
#include "cpprof/task.h"

#define TASK_SYMBOL "cpprof_export_task"

/* Copies of our full length; what they point to is the library's. ERR_USAGE: another ABI, or a description that is not
 * complete. */
int task_copy(struct cpprof_task *out, const struct cpprof_task *from, struct err *e);
/* The same in the runner, which starts the judge of the task (judge_client.h). */
int task_take(struct cpprof_task *out, const struct cpprof_task *from, struct err *e);
int solution_take(struct cpprof_solution *out, const struct cpprof_solution *from, struct err *e);

#endif
