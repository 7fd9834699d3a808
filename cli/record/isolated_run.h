/* isolated_run.h - one process of the runner that is isolated: the judge beside it, the folder that it writes in, and
 * what of that is taken. */
#ifndef CPPROF_ISOLATED_RUN_H
#define CPPROF_ISOLATED_RUN_H

#include <sys/types.h>

#include "cli/record/runner_arguments.h"
#include "cli/record/runner_end.h"
#include "core/base/child.h"
#include "core/base/err.h"
#include "core/base/str.h"

struct isolated_run {
    const char *directory, *role, *index; /* of the command line that was asked for */
    struct str folder;                    /* of the process; gone at the end */
    struct runner_arguments arguments;    /* which name that folder */
    int socket;                           /* its end of the one to the judge */
    int report;                           /* what the judge writes */
};

/* Makes the folder, with copies of the tables that are there, and starts the judge. `a` is kept. */
int isolated_run_begin(struct isolated_run *r, const char *runner, const struct runner_arguments *a, struct err *e);

/* Starts it like child_start, isolated. Takes the last place of request.files, which must be empty. */
pid_t isolated_run_start(const struct isolated_run *r, struct child_request request, struct err *e);

/* Kills all processes that are left, takes what the process wrote, and compares it with what the judge did. What does
 * not agree becomes the failure of the process in `end`. Releases everything. */
int isolated_run_end(struct isolated_run *r, struct runner_end *end, struct err *e);

#endif
