/* left_processes.h - what a program that was killed has left running. */
#ifndef CPPROF_LEFT_PROCESSES_H
#define CPPROF_LEFT_PROCESSES_H

#include "core/base/err.h"

/* From here on processes whose parent has ended become ours, instead of init's. ERR_ENVIRONMENT where Linux refuses. */
int left_processes_adopt(struct err *e);

/* Kills all processes that are ours, and those that become so, but for those that were when they were first adopted.
 * Waits until none is left, a few seconds at most. Call it while nothing runs that is to go on. */
void left_processes_kill(void);

#endif
