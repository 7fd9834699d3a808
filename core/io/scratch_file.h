/* scratch_file.h - temporary disk space that is freed when its last descriptor is closed. */
#ifndef CPPROF_SCRATCH_FILE_H
#define CPPROF_SCRATCH_FILE_H

#include <stdio.h>

#include "core/base/err.h"
#include "core/base/str.h"

/* Returns $TMPDIR or /tmp. */
const char *scratch_place(void);

/* Opens an unlinked file in $TMPDIR or /tmp for reading and writing. Returns its descriptor, which the caller closes,
 * or an error code. */
int scratch_file_open(struct err *e);

/* Does the same as a stream, which the caller closes with fclose. */
int scratch_file_stream(FILE **out, struct err *e);

/* Makes a new folder in the same place and puts its path into `out`. The caller removes it. */
int scratch_folder_make(struct str *out, struct err *e);

/* Makes the message for a failed write from errno, and returns ERR_ENVIRONMENT. */
int scratch_file_full(struct err *e);

#endif
