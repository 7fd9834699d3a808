/* tool_process.h - runs another tool to its end: without a shell, for a while at most, in a process group of its own
 * that is killed as a whole. */
#ifndef CPPROF_TOOL_PROCESS_H
#define CPPROF_TOOL_PROCESS_H

#include "cli/record/child_process.h"
#include "core/base/child.h"
#include "core/base/err.h"
#include "core/base/str.h"

struct tool_command {
    const char *const *argv; /* ends with NULL; argv[0] is looked up in PATH */
    int output_fd;           /* its standard output, open for reading, too */
    int seconds;             /* then it is killed */
};

struct tool_end {
    struct child_end how; /* asked_to_end: while it ran, so that it was killed */
    struct str said;      /* the last line of its standard error, else of its output; the caller releases it */
};

/* Its standard input is empty, its language is C. `signals` are held while it runs. A tool that fails is no error here:
 * look at *end. ERR_ENVIRONMENT when it cannot be started. */
int tool_run(const struct held_signals *signals, const struct tool_command *command, struct tool_end *end,
             struct err *e);

#endif
