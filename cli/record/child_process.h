/* child_process.h - a program that runs as if it had been started without us:
 * our process group and terminal, the signals that are meant for it. */
#ifndef CPPROF_CHILD_PROCESS_H
#define CPPROF_CHILD_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/err.h"

struct held_signals;
struct capture_scope; /* cli/record/capture_session.h */

/* One program to run. */
struct capture_child {
    const char *const *argv;           /* ends with NULL; argv[0] is looked up in PATH */
    const char *folder;                /* where it runs; NULL: where we are */
    const char *directory;             /* where the guests write; exists. NULL: no guest at all, the bare program */
    const struct capture_scope *scope; /* NULL: all zero */
    const char *const *environment;    /* "NAME=value" in addition, ends with NULL; may be NULL */
    int output_fd, error_fd;           /* what the program gets as stdout and stderr; -1: ours, untouched */
    int seconds;                       /* longest it may take, then it is killed; 0: no limit */
};

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

/* Runs c->argv with this environment to its end; ERR_ENVIRONMENT when it cannot be started. */
int child_process_run(const struct held_signals *h, const struct capture_child *c, char *const *environment,
                      struct capture_end *end, struct err *e);

#endif
