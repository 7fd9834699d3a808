/* unknown_option.h - a long option that a command does not have, and the one that was meant. */
#ifndef CPPROF_UNKNOWN_OPTION_H
#define CPPROF_UNKNOWN_OPTION_H

#include <argp.h>
#include <stdbool.h>

#include "core/base/err.h"

/* argv[0] is the command's name. ERR_USAGE for the first long option that is none of the parser's, were it the
 * beginning of one. What belongs to an option is no option, nothing is one behind `--`, nor behind the first operand
 * where options come `in_order`. */
int unknown_option(const struct argp *argp, int argc, char **argv, bool in_order, struct err *e);

#endif
