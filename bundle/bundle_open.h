/* bundle_open.h - a run directory as it comes back. */
#ifndef CPPROF_BUNDLE_OPEN_H
#define CPPROF_BUNDLE_OPEN_H

#include "base/err.h"
#include "bundle/bundle.h"

/* Reads manifest and tables, and opens the traces, which event_stream_open_bundle reads: each file once. An
 * incomplete bundle, a process that failed and dropped records are each a
 * CAVEAT_WEAKENS; a table that cannot be read to its end, or holds what cannot be
 * right, is a CAVEAT_TRUNCATED and keeps the rows before that place. A table that
 * the seal does not list is left out, a CAVEAT_WEAKENS. `b` is initialised and is released by
 * the caller, also after an error. */
int bundle_open(struct bundle *b, const char *path, struct err *e);

/* The same of a bundle that bundle_begin has begun. */
int bundle_open_begun(struct bundle *b, struct err *e);

#endif
