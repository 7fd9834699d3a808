/* runner_process.h - starting cpprof-runner, the program that knows CUDA, and
 * learning how it ended. Between it and us there is only the run directory. */
#ifndef CPPROF_RUNNER_PROCESS_H
#define CPPROF_RUNNER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/record/runner_arguments.h"
#include "cli/record/runner_end.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/str.h"

/* Finds cpprof-runner: $CPPROF_RUNNER, then ../libexec/cpprof beside this
 * program, then the build tree. ERR_ENVIRONMENT with what to do when there is none. */
int runner_find(struct str *path, struct err *e);

/* Runs it to its end, at most `seconds`. Where a --load names a function of a Python file the user's Python runs in its
 * place (python_runner.h). Where isolation is demanded it is another user's process (isolation.h). Its standard output
 * is discarded, its standard error kept. A runner that fails is no error here: look at *end. */
int runner_run(const char *path, const struct runner_arguments *a, int seconds, struct runner_end *end, struct err *e);

/* Has the runner answer in a folder of its own, which is gone afterwards: runs
 * `role` and reads the JSON `file` that it leaves (the caller's, json_decref).
 * ERR_ENVIRONMENT with the runner's own words when it leaves none. */
int runner_ask(const char *role, const char *file, json_t **answer, struct err *e);

/* The same with further options, "--chip=gh100". What the runner refuses as a
 * wrong question (exit 2) is ERR_USAGE in its words. */
int runner_ask_with(const char *role, char *const *options, size_t count, const char *file, json_t **answer,
                    struct err *e);

#endif
