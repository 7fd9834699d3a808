/* shard_copy.h - what a shard holds now, while somebody may still append to it. */
#ifndef CPPROF_SHARD_COPY_H
#define CPPROF_SHARD_COPY_H

#include "base/err.h"

/* Replaces the shard by a copy of its header and its whole chunks: whoever has
 * it open writes from now on to a file without a name. What is no shard is left
 * as it is. */
int shard_copy_in_place(const char *path, struct err *e);

#endif
