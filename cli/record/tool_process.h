/* tool_process.h - runs another tool to its end: without a shell, for a while at most, in a process group of its own
 * that is killed as a whole. */
#ifndef CPPROF_TOOL_PROCESS_H
#define CPPROF_TOOL_PROCESS_H

#include <stdbool.h>

#include "cli/record/child_process.h"
#include "core/base/err.h"
#include "core/base/str.h"

struct tool_command {
    const char *const *argv; /* ends with NULL; argv[0] is looked up in PATH */
    int output_fd;           /* its standard output, open for reading, too */
    int seconds;             /* then it is killed */
};

/* How it ended. */
struct tool_end {
    int exit_status;  /* -1 when a signal ended it */
    int signal;       /* 0 when it exited */
    int asked_to_end; /* the signal that asked us to end while it ran, so that it was killed; 0: none */
    bool timed_out;
    struct str said; /* the last line of its standard error, else of its output; the caller releases it */
};

/* Its standard input is empty, its language is C. `signals` are held while it runs. A tool that fails is no error here:
 * look at *end. ERR_ENVIRONMENT when it cannot be started. */
int tool_run(const struct held_signals *signals, const struct tool_command *command, struct tool_end *end,
             struct err *e);

#endif
