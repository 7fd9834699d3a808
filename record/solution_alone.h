/* solution_alone.h - which words does a process get that times one solution of a task? With `--schedule process` and a
 * method that needs no other solution to be chosen, it loads no other one: none can act on what it is compared with. */
#ifndef CPPROF_SOLUTION_ALONE_H
#define CPPROF_SOLUTION_ALONE_H

#include <stdbool.h>

#include "record/runner_arguments.h"

/* Fills a zeroed list with the words of a process that does the same and has one solution. *is_alone: false, and the
 * list stays empty, where it is another process, or the words do not say which solution it times. */
int solution_alone_arguments(struct runner_arguments *out, const struct runner_arguments *from, bool *is_alone,
                             struct err *e);

#endif
