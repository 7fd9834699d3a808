/* solution_method.h - how are solutions timed that each have processes of their own? One that loads a single solution
 * cannot choose a method for all of them. */
#ifndef CPPROF_SOLUTION_METHOD_H
#define CPPROF_SOLUTION_METHOD_H

#include <stdbool.h>

#include "cli/record/run_session.h"

/* `--schedule process` without a method, and all variants are solutions in libraries. */
bool solution_method_is_open(const struct run_request *q);

/* Starts a process per share that tries all solutions, and keeps nothing else of what it leaves. The method of *chosen
 * is "graphs" where one of the shapes asks for graphs and each solution can be recorded into one; else it is "single",
 * and the manifest has the reason where there is one. It is entered into the manifest, too. */
int solution_method_choose(struct run_session *s, struct run_request *chosen, struct err *e);

#endif
