/* program_groups.h - gives each group of alike samples of programs a row of its own.
 *
 * A run of programs has one shape, "program". Where the samples of an arm are several kinds of work, each becomes a
 * shape in all tables, so that comparisons, bounds and rules are of one kind of work at a time. */
#ifndef CPPROF_PROGRAM_GROUPS_H
#define CPPROF_PROGRAM_GROUPS_H

#include "core/base/err.h"
#include "core/bundle/bundle.h"

/* Changes the tables of a bundle that was opened. Samples of set-up are removed, and a note says so. A group whose
 * times are no comparison gets its reason in the column `no_verdict` of variants.csv. */
int program_groups_apply(struct bundle *b, struct err *e);

#endif
