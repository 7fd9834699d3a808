/* solution_alone.h - which words does a process get that has one solution of a task, or all but some? With `--schedule
 * process` and a method that needs no other solution to be chosen, a process that times one loads no other one: none
 * can act on what it is compared with. */
#ifndef CPPROF_SOLUTION_ALONE_H
#define CPPROF_SOLUTION_ALONE_H

#include <stdbool.h>

#include "cli/record/runner_arguments.h"

/* Loads of solutions, "NAME=PATH". The texts are others'. */
struct solution_loads {
    const char **items;
    size_t count, capacity;
};

/* Fills a zeroed list with the words of a process that does the same and has one solution. *is_alone: false, and the
 * list stays empty, where it is another process, or the words do not say which solution it times. */
int solution_alone_arguments(struct runner_arguments *out, const struct runner_arguments *from, bool *is_alone,
                             struct err *e);

/* All loads are a task and its solutions, and each variant is one of these. */
bool solution_alone_can(const struct runner_arguments *a);

/* The loads of solutions in the words. */
int solution_loads_of(struct solution_loads *out, const struct runner_arguments *a, struct err *e);
bool solution_loads_have(const struct solution_loads *l, const char *load);
void solution_loads_release(struct solution_loads *l);

/* Fills a zeroed list with words that keep this solution alone, and time it where they time one. */
int solution_alone_words(struct runner_arguments *out, const struct runner_arguments *from, const char *load,
                         struct err *e);

/* Fills a zeroed list with words without these solutions. *is_any: false, and the list is of no use, where none is
 * left, or the one that is to be timed is not. */
int solution_alone_without(struct runner_arguments *out, const struct runner_arguments *from,
                           const struct solution_loads *without, bool *is_any, struct err *e);

#endif
