/* byte_sink.h - how does output of any length reach its place without being held in memory?
 *
 * A sink writes to a file or to an open descriptor. The file appears under its name only when it is complete, and is
 * compressed with gzip when the name ends in .gz. Writing reports no error: the sink keeps the first one, drops all
 * later bytes, and byte_sink_finish returns it. */
#ifndef CPPROF_BYTE_SINK_H
#define CPPROF_BYTE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

struct byte_sink;

/* Begins a temporary file in the folder of `path`, which byte_sink_finish renames to `path`. */
int byte_sink_create(struct byte_sink **out, const char *path, struct err *e);

/* Begins a sink on a duplicate of the descriptor. `name` appears in messages. */
int byte_sink_on(struct byte_sink **out, int fd, const char *name, struct err *e);

void byte_sink_write(struct byte_sink *s, const char *bytes, size_t count);
bool byte_sink_failed(const struct byte_sink *s);    /* so that a caller can stop early */
uint64_t byte_sink_bytes(const struct byte_sink *s); /* bytes taken so far, before compression */

/* Writes the rest and puts the file in its place. Returns 0, or ERR_ENVIRONMENT when any byte could not be written.
 * Call it once. */
int byte_sink_finish(struct byte_sink *s, struct err *e);

/* Frees the sink, and removes its temporary file if byte_sink_finish was not called. NULL is fine. */
void byte_sink_free(struct byte_sink *s);

#endif
