/* shard_reader.h - reads one trace shard, for the readers of files and of bundles. */
#ifndef CPPROF_SHARD_READER_H
#define CPPROF_SHARD_READER_H

#include "core/base/err.h"
#include "core/trace/readers/reader.h"
#include "core/trace/readers/shard_slices.h"

/* Reads everything up to the first bad chunk; lost parts become caveats. A file with a bad header is ERR_INPUT.
 * `identity` is set for one of several processes in a bundle; NULL: the shard's own rank and devices are used. */
int shard_read(const struct shard_file *file, const struct shard_identity *identity, struct reader_sink *sink,
               struct err *e);

#endif
