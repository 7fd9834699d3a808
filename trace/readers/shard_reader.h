/* shard_reader.h - reads one trace shard; shared by the readers of files and of bundles. */
#ifndef CPPROF_SHARD_READER_H
#define CPPROF_SHARD_READER_H

#include "base/err.h"
#include "trace/readers/reader.h"
#include "trace/readers/shard_slices.h"

/* Everything in the shard up to its first bad chunk; what is missing becomes a
 * caveat. A file whose header is bad is ERR_INPUT. `identity` is that of one of
 * several processes in a bundle; NULL: the shard says what it is. */
int shard_read(const struct shard_file *file, const struct shard_identity *identity, struct reader_sink *sink,
               struct err *e);

#endif
