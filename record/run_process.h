/* run_process.h - one process of a run. Where it fails, its solutions run alone, to find the one that ends it; that one
 * is named and left out from then on, and the process runs again with the others. */
#ifndef CPPROF_RUN_PROCESS_H
#define CPPROF_RUN_PROCESS_H

#include "record/run_session.h"
#include "record/runner_arguments.h"

/* Runs it with these words in s->directory. A failure is entered into the manifest, and is no error. */
int run_process(struct run_session *s, const struct run_part *part, const struct runner_arguments *words,
                struct err *e);

/* The same of the process that plans: returns 0, or an error in its words, or with the names of what it had loaded. */
int run_process_plan(struct run_session *s, const struct runner_arguments *words, const char *directory, struct err *e);

#endif
