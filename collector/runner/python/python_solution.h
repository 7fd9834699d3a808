/* python_solution.h - a solution that is a function of a Python file, "softmax.py:softmax". The runner is then a
 * library that a Python process has loaded (cpprof_python.py), and asks that process to load the file and to call the
 * function. The program cpprof-runner has no Python, and cpprof does not start it for such solutions. */
#ifndef CPPROF_PYTHON_SOLUTION_H
#define CPPROF_PYTHON_SOLUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "cpprof/task.h"

#define PYTHON_RUNNER "cpprof-runner-python.so"

struct python_function;

/* One call: inputs, then outputs, in device memory of the judge. cpprof_python.py has the same struct. */
struct python_call {
    const int64_t *axes;    /* a value for each axis of the task */
    const uint64_t *arrays; /* addresses */
    const uint64_t *counts; /* of values */
    uint64_t stream;
    int32_t device;
    int32_t is_captured; /* 1: launches become nodes of a graph */
};

/* What the Python process does for us. Both write a text of one line: what was opened, or what is wrong. 0 is failure,
 * since that is what a callback of ctypes returns that raises. */
struct python_host {
    /* Returns a number for the function, 1 or more. `task` is JSON: axes by name, inputs and outputs by name and type.
     */
    int (*open)(const char *path, const char *task, char *text, size_t text_bytes);
    /* Returns 1 when the function has returned. */
    int (*launch)(int function, const struct python_call *call, char *text, size_t text_bytes);
};

/* Runs cpprof-runner's main in the process that is `host`, which must live until it ends. */
__attribute__((visibility("default"))) int cpprof_python_main(int argc, char **argv, const struct python_host *host);

/* Tells who calls functions; called once, before any is opened. */
void python_host_set(const struct python_host *host);
bool python_host_is_set(void); /* does this process run Python? */

/* Loads the file and finds the function; in Python both stay until the process ends. `task` must live as long.
 * ERR_USAGE with file and line. */
int python_solution_open(struct python_function **out, const struct cpprof_task *task, const char *path, struct err *e);
void python_solution_free(struct python_function *function);

/* How to launch it; the function is the state of these. */
const struct cpprof_solution *python_solution(const struct python_function *function);

/* Launches it in memory of its own, first as it is (which compiles and tunes) and then into a graph, once for each
 * config. Returns 0, or a cudaError_t and in `why` what it did that a launch must not do. Where there was no memory for
 * that `why` says so, and the next call tries again. */
int python_solution_try(void *function, const struct cpprof_config *config, char *why, size_t why_bytes);

#endif
