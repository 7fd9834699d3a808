/* part_merger.h - the parts of a call become the answer of one process. */
#ifndef CPPROF_PART_MERGER_H
#define CPPROF_PART_MERGER_H

#include <stddef.h>

#include "cli/parts/part_archive.h"
#include "core/base/err.h"

/* Opens the files of all parts, in any order. From now on this program reads its traces from them. Returns ERR_INPUT
 * with the name of one that is damaged, there twice, from another call, or missing. */
int part_merger_set(char *const *paths, size_t count, struct err *e);

/* Returns the head of one of them, which has the words of the call. */
const struct part_head *part_merger_head(void);
void part_merger_release(void);

#endif
