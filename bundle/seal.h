/* seal.h - the list of a bundle's files with their sizes and checksums: written
 * when the bundle is sealed, compared when it is opened. */
#ifndef CPPROF_SEAL_H
#define CPPROF_SEAL_H

#include <stdbool.h>

#include "base/caveat.h"
#include "base/err.h"
#include "base/json.h"

/* A new object { "timing.csv": {"bytes": n, "crc32": n}, ... } of the tables and
 * traces in the folder; the caller's. */
int seal_make(const char *folder, json_t **out, struct err *e);

/* Removes what a process that died left half written beside its files. */
int seal_tidy(const char *folder, struct err *e);

/* Is this the name of such a file? Of those that nobody else would use. */
bool seal_is_leftover(const char *name);

/* A CAVEAT_TRUNCATED for each file that is gone or is not what was sealed.
 * Nothing to say without a list (bundles that were never sealed). */
int seal_check(const char *folder, const json_t *files, struct caveat_list *caveats, struct err *e);

#endif
