/* shard_reader.h - reads one trace shard; shared by the readers of files and of bundles. */
#ifndef CPPROF_SHARD_READER_H
#define CPPROF_SHARD_READER_H

#include <stdio.h>

#include "base/err.h"
#include "trace/readers/reader.h"
#include "trace/readers/shard_slices.h"

/* Everything in the shard up to its first bad chunk; what is missing becomes a
 * caveat. A file whose header is bad is ERR_INPUT. */
int shard_read(FILE *file, const char *path, struct reader_sink *sink, struct err *e);

/* The same, of one of several processes in a bundle. NULL: as shard_read. */
int shard_read_as(const struct shard_identity *identity, FILE *file, const char *path, struct reader_sink *sink,
                  struct err *e);

#endif
