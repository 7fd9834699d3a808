/* runner_arguments.h - a command line that is built up for a process, or its environment. */
#ifndef CPPROF_RUNNER_ARGUMENTS_H
#define CPPROF_RUNNER_ARGUMENTS_H

#include <stddef.h>

#include "base/err.h"

/* A command line that is built up; the texts are copied. */
struct runner_arguments {
    char **items; /* ends with NULL */
    size_t count, capacity;
};

int runner_argument(struct runner_arguments *a, struct err *e, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void runner_arguments_release(struct runner_arguments *a);

#endif
