/* shard_cut.h - takes what is no whole chunk off the end of a shard. */
#ifndef CPPROF_SHARD_CUT_H
#define CPPROF_SHARD_CUT_H

#include "base/err.h"
#include "base/shard_tail.h"

/* Takes the torn tail away. The file is cut only when nobody may append to it;
 * else a copy of the whole chunks takes its place (base/shard_copy.h), and a
 * writer's file stays as it is. ERR_ENVIRONMENT: nothing has changed. */
int shard_tail_cut(const char *path, const struct shard_tail *tail, struct err *e);

#endif
