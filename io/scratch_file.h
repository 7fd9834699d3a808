/* scratch_file.h - disk space that vanishes with its last descriptor. */
#ifndef CPPROF_SCRATCH_FILE_H
#define CPPROF_SCRATCH_FILE_H

#include <stdio.h>

#include "base/err.h"
#include "base/str.h"

/* An unlinked file in $TMPDIR or /tmp, open for reading and writing, or an
 * error code. The descriptor is the caller's to close. */
int scratch_file_open(struct err *e);

/* The same as a stream, the caller's to fclose. */
int scratch_file_stream(FILE **out, struct err *e);

/* A new folder there, its path in `out`; the caller's to remove. */
int scratch_folder_make(struct str *out, struct err *e);

/* ERR_ENVIRONMENT: what to say when writing to it failed, from errno. */
int scratch_file_full(struct err *e);

#endif
