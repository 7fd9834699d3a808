/* shard_collectives.h - which kernels and copies of a shard are the collectives that NCCL told of?
 *
 * A row (core/base/collective_row.h) says when and on which thread its kernel was launched. The only kernel of NCCL
 * that was launched then is its kernel, and gets a note (core/trace/collective_notes.h). Copies between GPUs that were
 * launched then are part of it. */
#ifndef CPPROF_SHARD_COLLECTIVES_H
#define CPPROF_SHARD_COLLECTIVES_H

#include "core/base/array.h"
#include "core/base/collective_row.h"
#include "core/base/strtab.h"
#include "core/io/record_spool.h"
#include "core/trace/readers/shard_slices.h"

struct shard_collectives { /* starts zeroed */
    ARRAY_OF(struct collective_row) rows;
};
void shard_collectives_release(struct shard_collectives *c);

/* Returns what is wrong with the payload of a chunk; NULL when it is good. */
const char *shard_collectives_fault(const struct shard_slices *slices, const void *payload, size_t bytes);

/* Copies the rows of a good payload, with the sink's string ids. */
int shard_collectives_add(struct shard_collectives *c, const struct shard_slices *slices, const void *payload,
                          size_t bytes, struct err *e);

/* Reads the events of the slices, after all rows were added. Copies are marked in the slices. Each kernel gets a note,
 * without its place where places are not to be trusted; `notes` may be NULL. */
int shard_collectives_join(struct shard_collectives *c, struct shard_slices *slices, bool is_misnumbered,
                           struct strtab *strings, struct record_spool *notes, struct err *e);

#endif
