/* child.h - starts another process: a program, or a function of ours.
 *
 * No other module outside collector/runner does (tests/guards/floors.sh). It is for one thread at a time. */
#ifndef CPPROF_CHILD_H
#define CPPROF_CHILD_H

#include <stdbool.h>
#include <sys/select.h> /* sigset_t, whatever else is asked of the C library */
#include <sys/types.h>

#include "core/base/err.h"

struct sigaction;

enum { CHILD_FILES_MAX = 5 };
enum { CHILD_NULL = -2, CHILD_PIPE = -3 }; /* not -1, which open() returns when it fails */

/* A descriptor that the process finds. All zero: none more. */
struct child_file {
    int from; /* ours, which stays open here; or CHILD_NULL: /dev/null; or CHILD_PIPE: what `heard` reads from */
    int at;
};

enum child_group { CHILD_IN_OUR_GROUP, CHILD_LEADS_GROUP, CHILD_LEADS_SESSION };

/* The program or function, and its surroundings. Members that are zero leave them as ours are. */
struct child_request {
    const char *const *argv;        /* of a program; ends with NULL */
    const char *program;            /* its file, looked up in PATH unless it has a slash; NULL: argv[0] */
    int (*run)(void *context);      /* instead of a program: the process ends with what this returns */
    void *context;                  /* of `run` */
    const char *title;              /* for errors: "a process that reads"; NULL: the program, in quotes */
    const char *folder;             /* where it runs */
    const char *const *environment; /* changes: "NAME=value" is set, "NAME" goes; ends with NULL */
    struct child_file files[CHILD_FILES_MAX];
    bool closes_rest;                 /* no descriptor beyond the last of `files` is open there */
    int *heard;                       /* set to our end of a pipe, closed on exec; a function holds the other end */
    enum child_group group;           /* of processes, for terminals and kill() */
    bool ends_with_us;                /* it is killed when we end, however */
    uid_t user;                       /* whom it becomes, without groups, and without any way to more rights */
    const sigset_t *mask;             /* signals that are blocked */
    const struct sigaction *on_child; /* what it does about SIGCHLD */
};

/* Starts it. Returns its id, which the caller waits for. An error means that nothing runs and *heard is -1:
 * ERR_ENVIRONMENT, also when the program cannot be executed. From then on ended children wait for us, even if SIGCHLD
 * was ignored. */
pid_t child_start(const struct child_request *c, struct err *e);

/* How a process ended. */
struct child_end {
    int exit_status;  /* -1 when a signal ended it, or nobody knows */
    int signal;       /* 0 when it exited */
    int asked_to_end; /* the signal for which we killed it; 0: none */
    bool timed_out;   /* we killed it */
};

/* Waits until it has ended. */
struct child_end child_wait(pid_t child);

/* How long may it take, and who ends it earlier? */
struct child_limit {
    int seconds;                   /* 0: it is killed at once */
    bool has_group;                /* what is killed is its group */
    int (*asked)(void *context);   /* the signal that asks us to end; 0: none */
    void (*listen)(void *context); /* lets a moment pass, at most some 20 ms; NULL: sleeps for one */
    void *context;                 /* of both */
};

/* Waits until it has ended, or kills it. One that even SIGKILL does not end (it hangs in a driver) is given up after
 * five seconds, as if it had. */
struct child_end child_wait_within(pid_t child, const struct child_limit *limit);

/* Kills it, and waits until it has ended. */
void child_kill(pid_t child);

#endif
