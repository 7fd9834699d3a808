/* seal.h - makes the list of a bundle's files with sizes and checksums when the bundle is sealed. bundle_seal.h
 * compares files with it. */
#ifndef CPPROF_SEAL_H
#define CPPROF_SEAL_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/base/json.h"

/* Makes an object { "timing.csv": {"bytes": n, "crc32": n}, ... } of the tables and traces in the folder. The caller
 * owns it. */
int seal_make(const char *folder, json_t **out, struct err *e);

/* Removes half-written files of processes that died. */
int seal_tidy(const char *folder, struct err *e);

/* Is it the name of a half-written file? True only for names that nobody else would use. */
bool seal_is_leftover(const char *name);

#endif
