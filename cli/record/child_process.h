/* child_process.h - a program that runs as if it had been started without us:
 * our process group and terminal, the signals that are meant for it. */
#ifndef CPPROF_CHILD_PROCESS_H
#define CPPROF_CHILD_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/child.h"
#include "core/base/err.h"

struct held_signals;

/* How it ended. */
struct capture_end {
    pid_t pid;
    int exit_status;  /* -1 when a signal ended it */
    int signal;       /* 0 when it exited */
    int asked_to_end; /* the first of SIGINT, SIGTERM, SIGHUP, SIGQUIT that reached us; 0: none */
    bool killed;      /* we killed it: asked twice, or out of time */
    bool timed_out;
    int64_t wall_ns;
};

/* Two requests so close to each other are one: `timeout` tells us, then our group. */
enum { HELD_ECHO_MS = 250 };

/* From here on what ends a process, and SIGCHLD, waits for child_process_run.
 * Signals that are ignored stay so. */
int held_signals_new(struct held_signals **out, struct err *e);
/* Back to how it was; what is waiting then is forgotten. */
void held_signals_free(struct held_signals *h);
/* The next held signal that asks to end; 0: none. */
int held_signals_next(const struct held_signals *h);
/* Waits for the next held signal of whatever kind. */
int held_signals_wait(const struct held_signals *h);
/* Does this one ask to end? */
bool held_signal_ends(int signal);

/* Runs the program of `c` to its end, or kills it after so many seconds (0: no limit). It finds our signals as they
 * were before they were held. ERR_ENVIRONMENT when it cannot be started. */
int child_process_run(const struct held_signals *h, const struct child_request *c, int seconds, struct capture_end *end,
                      struct err *e);

#endif
