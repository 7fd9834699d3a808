/* packed_file.h - opens a file of a bundle, in whose place its gzip may lie: "timing.csv", or "timing.csv.gz" when
 * there is no "timing.csv". */
#ifndef CPPROF_PACKED_FILE_H
#define CPPROF_PACKED_FILE_H

#include <stdbool.h>

#include "core/base/caveat.h"
#include "core/base/err.h"

#define PACKED_FILE_ENDING ".gz"

/* Is it there, packed or not? */
bool packed_file_exists(const char *path);

/* Returns a descriptor at the start of the content, which the caller closes, or an error code, with errno. Damage of
 * the gzip adds a CAVEAT_TRUNCATED, and the content ends there. Only a regular file is opened: others could block the
 * reader. */
int packed_file_open(const char *path, struct caveat_list *caveats, struct err *e);

#endif
