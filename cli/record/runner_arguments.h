/* runner_arguments.h - a command line that is built up for a process, or its environment. */
#ifndef CPPROF_RUNNER_ARGUMENTS_H
#define CPPROF_RUNNER_ARGUMENTS_H

#include <stddef.h>

#include "core/base/err.h"

/* A command line that is built up; the texts are copied. */
struct runner_arguments {
    char **items; /* ends with NULL */
    size_t count, capacity;
};

int runner_argument(struct runner_arguments *a, struct err *e, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns the value of a word "--load=VALUE", given "--load="; NULL if the word is another one. */
const char *runner_argument_value(const char *word, const char *option);
/* The value of the first such word; NULL if there is none. */
const char *runner_arguments_find(const struct runner_arguments *a, const char *option);
/* Appends the words of another process, whose run directory is `folder` instead. */
int runner_arguments_in(struct runner_arguments *out, const struct runner_arguments *from, const char *folder,
                        struct err *e);
void runner_arguments_release(struct runner_arguments *a);

#endif
