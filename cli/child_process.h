/* child_process.h - a program that runs as if it had been started without us:
 * our process group and terminal, the signals that are meant for it. */
#ifndef CPPROF_CHILD_PROCESS_H
#define CPPROF_CHILD_PROCESS_H

#include "base/err.h"
#include "cli/capture_session.h"

/* Holds back what ends a process, and SIGCHLD: from here on they wait for
 * child_process_run. Signals that are ignored stay so. */
void child_signals_hold(struct capture_session *s);
/* Back to how it was; what is waiting then is forgotten. */
void child_signals_release(struct capture_session *s);
/* The next held signal that asks to end; 0: none. */
int child_signals_next(const struct capture_session *s);

/* Runs c->argv with this environment to its end; ERR_ENVIRONMENT when it cannot be started. */
int child_process_run(const struct capture_session *s, const struct capture_child *c, char *const *environment,
                      struct capture_end *end, struct err *e);

#endif
