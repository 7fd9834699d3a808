/* bundle_open.h - reads a run directory. */
#ifndef CPPROF_BUNDLE_OPEN_H
#define CPPROF_BUNDLE_OPEN_H

#include "core/base/err.h"
#include "core/bundle/bundle.h"

/* Reads manifest and tables, and opens the traces for event_stream_open_bundle. Each file is opened once. An incomplete
 * bundle, a failed process and dropped records add a CAVEAT_WEAKENS each. A table that cannot be read to its end, or
 * has impossible values, adds a CAVEAT_TRUNCATED and keeps the rows before that place. A table that the seal does not
 * list is left out and adds a CAVEAT_WEAKENS. `b` is initialised; the caller releases it, also after an error. */
int bundle_open(struct bundle *b, const char *path, struct err *e);

/* Does the same for a bundle that bundle_begin has begun. */
int bundle_open_begun(struct bundle *b, struct err *e);

#endif
