/* gzip.h - files that were compressed with gzip; gzip.c alone inflates. */
#ifndef CPPROF_GZIP_H
#define CPPROF_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/caveat.h"
#include "base/err.h"

/* What a file may become: at most 64 GiB, and beyond the first 16 MiB at most
 * 500 times its own size (tables of traces: 10 to 60 times). */
#define GZIP_BYTES_MAX   (INT64_C(64) << 30)
#define GZIP_BYTES_TRUST (INT64_C(16) << 20)
enum { GZIP_RATIO_MAX = 500 };

bool gzip_is(const char *head, size_t bytes);

/* Unpacks `packed` from where it stands into a scratch file, *out, which is the
 * caller's to close. A file that is cut or does not match its checksum is
 * unpacked up to there, with a caveat CAVEAT_TRUNCATED; `path` names it. */
int gzip_unpack(FILE *packed, const char *path, FILE **out, struct caveat_list *caveats, struct err *e);

#endif
