/* run_measure.h - all that is measured in one run, in order. */
#ifndef CPPROF_RUN_MEASURE_H
#define CPPROF_RUN_MEASURE_H

#include "cli/record/run_session.h"

/* Verify, time, trace, count (of a pool verify and time), into s->directory. A process that fails is
 * entered as a failure and the others go on. */
int run_measure(struct run_session *s, struct err *e);

#endif
