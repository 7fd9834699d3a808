/* threshold_file.h - the thresholds as a file that people can change:
 * 'cpprof list --thresholds --format csv' prints one, --thresholds reads it. */
#ifndef CPPROF_THRESHOLD_FILE_H
#define CPPROF_THRESHOLD_FILE_H

#include "base/err.h"
#include "base/str.h"
#include "gpu/thresholds.h"

/* Rises when a threshold changes its meaning or goes. */
enum { THRESHOLDS_VERSION = 1 };

/* `path` is kept, not copied. ERR_USAGE with FILE:LINE for what is wrong. */
int threshold_file_read(struct threshold_overrides *out, const char *path, struct err *e);

/* The embedded ones, as such a file. */
void threshold_file_print(struct str *out);

#endif
