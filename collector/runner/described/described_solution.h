/* described_solution.h - a solution that is no library of ours: a JSON file says which kernel of a cubin, fatbin or PTX
 * file is launched, or which C function of a shared library is called, and with what (docs/tasks.md). */
#ifndef CPPROF_DESCRIBED_SOLUTION_H
#define CPPROF_DESCRIBED_SOLUTION_H

#include <stdbool.h>

#include "core/base/err.h"
#include "cpprof/task.h"

struct described_solution;

/* Does the file's name end with .json? */
bool described_solution_is(const char *path);

/* Reads the description. ERR_USAGE: it does not fit the task, or is not complete; ERR_INPUT: it cannot be read. Files
 * that it names are opened before the first launch. `task` must live as long. */
int described_solution_open(struct described_solution **out, const struct cpprof_task *task, const char *path,
                            struct err *e);
void described_solution_free(struct described_solution *d);

/* How to launch it; it is the state of these. */
const struct cpprof_solution *described_solution_functions(const struct described_solution *d);

#endif
