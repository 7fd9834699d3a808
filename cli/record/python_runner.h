/* python_runner.h - which process runs solutions that are functions of Python files? Not cpprof-runner but the user's
 * Python, which loads the same runner as a library. */
#ifndef CPPROF_PYTHON_RUNNER_H
#define CPPROF_PYTHON_RUNNER_H

#include <stdbool.h>

#include "cli/record/runner_arguments.h"
#include "core/base/err.h"

/* Does this value of --load name such a function: "NAME=FILE.py:FUNCTION"? */
bool python_runner_takes(const char *load);
/* Does one of this command line? */
bool python_runner_is_needed(const struct runner_arguments *a);

/* Makes the command line of that Python of the one of the runner at `runner`: $CPPROF_PYTHON, else python3 on the PATH.
 * ERR_ENVIRONMENT when the library is not beside the runner. */
int python_runner_arguments(struct runner_arguments *out, const char *runner, const struct runner_arguments *a,
                            struct err *e);

#endif
