/* seal.h - the list of a bundle's files with their sizes and checksums, as it is
 * written when the bundle is sealed; bundle_seal.h compares. */
#ifndef CPPROF_SEAL_H
#define CPPROF_SEAL_H

#include <stdbool.h>

#include "base/err.h"
#include "base/json.h"

/* A new object { "timing.csv": {"bytes": n, "crc32": n}, ... } of the tables and
 * traces in the folder; the caller's. */
int seal_make(const char *folder, json_t **out, struct err *e);

/* Removes what a process that died left half written beside its files. */
int seal_tidy(const char *folder, struct err *e);

/* Is this the name of such a file? Of those that nobody else would use. */
bool seal_is_leftover(const char *name);

#endif
