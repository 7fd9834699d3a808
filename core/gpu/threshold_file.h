/* threshold_file.h - the thresholds as a file that people edit. 'cpprof list --thresholds --format csv' prints one,
 * --thresholds reads it. */
#ifndef CPPROF_THRESHOLD_FILE_H
#define CPPROF_THRESHOLD_FILE_H

#include "core/base/err.h"
#include "core/base/str.h"
#include "core/gpu/thresholds.h"

/* Increases when a threshold changes its meaning or is removed. */
enum { THRESHOLDS_VERSION = 1 };

/* Reads a file. Keeps `path` without copying it. Errors are ERR_USAGE with FILE:LINE. */
int threshold_file_read(struct threshold_overrides *out, const char *path, struct err *e);

/* Appends the embedded thresholds in the format of that file. */
void threshold_file_print(struct str *out);

#endif
