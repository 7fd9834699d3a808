/* runner_end.h - how did a process of the runner end? */
#ifndef CPPROF_RUNNER_END_H
#define CPPROF_RUNNER_END_H

#include <stdbool.h>

#include "core/base/str.h"

struct runner_end {
    int exit_status;   /* -1 when a signal ended it */
    int signal;        /* 0 when it exited */
    bool timed_out;    /* we ended it */
    bool is_dishonest; /* what it left does not agree with its judge (isolated_run.h) */
    struct str said;   /* its standard error, at most 64 KiB; released by the caller */
};

#endif
