/* shard_chunk.h - appends a chunk of any type to a shard that is being written (core/base/shard_writer.h). */
#ifndef CPPROF_SHARD_CHUNK_H
#define CPPROF_SHARD_CHUNK_H

#include <stddef.h>

#include "core/base/shard_writer.h"

/* Appends all that has gathered, and then the chunk, with one write. What does not fit on the disk is cut off again. */
int shard_chunk_append(struct shard_writer *w, uint32_t type, const void *payload, size_t bytes, struct err *e);

#endif
