/* sampling_options.h - the options that say what the timing processes of a run
 * do and when there are enough of them. */
#ifndef CPPROF_SAMPLING_OPTIONS_H
#define CPPROF_SAMPLING_OPTIONS_H

#include <argp.h>

#include "cli/record/sampling.h"

/* As a child of a command's argp; its input is a zeroed struct sampling:
 *     static const struct argp_child children[] = {{&sampling_argp, 0, "How kernels are timed:", 2}, {0}};
 *     case ARGP_KEY_INIT: state->child_inputs[0] = &o->sampling; return 0;
 * The words of the command line must outlive it. */
extern const struct argp sampling_argp;

#endif
