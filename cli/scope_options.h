/* scope_options.h - the options with which every command on traces says which
 * part of a trace it is about. */
#ifndef CPPROF_SCOPE_OPTIONS_H
#define CPPROF_SCOPE_OPTIONS_H

#include <argp.h>

#include "core/trace/stream_scope.h"

/* As a child of a command's argp; its input is a zeroed struct stream_scope:
 *     static const struct argp_child children[] = {{&scope_argp, 0, NULL, 0}, {0}};
 *     case ARGP_KEY_INIT: state->child_inputs[0] = &o->scope; return 0;
 * The words of the command line must outlive the scope. */
extern const struct argp scope_argp;
/* For a command that compares ranks in time, and refuses what each rank counts by itself: --help does not name that. */
extern const struct argp scope_argp_of_ranks;

/* The line of --comm in a table of options. */
#define COMM_OPTION(key)                                                                                               \
    {                                                                                                                  \
        "comm", key, "REGEX", 0,                                                                                       \
            "Kernels whose names match communicate ('comm'), and copies between GPUs in NVTX ranges of such names", 0  \
    }

#endif
