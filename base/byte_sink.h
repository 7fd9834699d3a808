/* byte_sink.h - where do many bytes go that nobody wants to hold in memory?
 *
 * Either into a file that appears under its name when it is whole and not at
 * all before, compressed with gzip when the name ends in .gz; or into a
 * descriptor that is open already. Writing never fails visibly: the first error
 * is kept, bytes after it are dropped, and finish tells. */
#ifndef CPPROF_BYTE_SINK_H
#define CPPROF_BYTE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct byte_sink;

/* A file beside `path`, which byte_sink_finish renames over it. */
int byte_sink_create(struct byte_sink **out, const char *path, struct err *e);

/* Into a duplicate of the descriptor; `name` is for messages. */
int byte_sink_on(struct byte_sink **out, int fd, const char *name, struct err *e);

void byte_sink_write(struct byte_sink *s, const char *bytes, size_t count);
bool byte_sink_failed(const struct byte_sink *s);    /* for whoever wants to stop early */
uint64_t byte_sink_bytes(const struct byte_sink *s); /* taken so far, before compression */

/* Everything is in its place, or ERR_ENVIRONMENT says why not. Once. */
int byte_sink_finish(struct byte_sink *s, struct err *e);

/* Without a finish before, the file is gone. NULL is fine. */
void byte_sink_free(struct byte_sink *s);

#endif
