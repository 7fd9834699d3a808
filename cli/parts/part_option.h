/* part_option.h - the option --part of commands on several traces. */
#ifndef CPPROF_PART_OPTION_H
#define CPPROF_PART_OPTION_H

#include <argp.h>

#include <stdbool.h>

#include "core/base/err.h"

/* As a child of a command's argp. It has no input: a command line is parsed once. */
extern const struct argp part_argp;

/* Once the command line is read: from now on the traces of this program are read for a part, which becomes the
 * file `output`. `one_set`: its operands
 * are the ranks of one job. Does nothing without --part. */
int part_option_apply(const char *output, bool force, bool one_set, struct err *e);

/* For what is found out later. */
bool part_option_is_given(void);
int part_option_refuse(struct err *e); /* returns ERR_USAGE */

#endif
