/* gzip.h - unpacks files that were compressed with gzip. Only gzip.c inflates. */
#ifndef CPPROF_GZIP_H
#define CPPROF_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/caveat.h"
#include "core/base/err.h"

/* The limits of an unpacked file: 64 GiB, and beyond the first 16 MiB 500 times the packed size (tables of traces reach
 * 10 to 60 times). */
#define GZIP_BYTES_MAX   (INT64_C(64) << 30)
#define GZIP_BYTES_TRUST (INT64_C(16) << 20)
enum { GZIP_RATIO_MAX = 500 };

/* Does a file that begins with these bytes look like gzip? */
bool gzip_is(const char *head, size_t bytes);

/* Unpacks `packed` from its current position into a scratch file, *out, which the caller closes. A file that is
 * truncated or has a wrong checksum is unpacked up to that place and adds a CAVEAT_TRUNCATED; `path` names it there. */
int gzip_unpack(FILE *packed, const char *path, FILE **out, struct caveat_list *caveats, struct err *e);

#endif
