/* shard_cut.h - removes an incomplete chunk from the end of a shard. */
#ifndef CPPROF_SHARD_CUT_H
#define CPPROF_SHARD_CUT_H

#include "core/base/err.h"
#include "core/base/shard_tail.h"

/* Removes the torn tail. The file is truncated only when no process may append to it; otherwise a copy of the complete
 * chunks takes its place (core/base/shard_copy.h), and the writer's file stays as it is. After ERR_ENVIRONMENT nothing
 * has changed. */
int shard_tail_cut(const char *path, const struct shard_tail *tail, struct err *e);

#endif
