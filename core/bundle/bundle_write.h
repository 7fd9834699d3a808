/* bundle_write.h - begins a run directory, seals it, and decides what it may replace. */
#ifndef CPPROF_BUNDLE_WRITE_H
#define CPPROF_BUNDLE_WRITE_H

#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/str.h"

/* Renames the bundle at `path`, so that nothing is lost until the new one is sealed. *aside becomes its new name, which
 * the caller removes later; empty when there was no bundle. Returns ERR_USAGE when `path` is not a bundle, or holds
 * files that neither its manifest lists nor our programs write. */
int bundle_set_aside(const char *path, struct str *aside, struct err *e);

/* Makes a new run directory with an `incomplete` manifest, in a folder that exists. Refuses a path that exists, also
 * when another process makes it at the same moment. After an error nothing is left. The texts of the manifest are
 * cleaned (core/bundle/bundle_text.h). */
int bundle_create(const char *path, json_t *manifest, struct err *e);

/* Renames the bundle that was set aside back. Call it when nothing has taken its place. */
void bundle_put_back(const char *path, const struct str *aside);

/* Removes the unfinished bundle at `path`, and renames the old one back. */
void bundle_undo(const char *path, const struct str *aside);

/* Seals a bundle. Merges the processes' reports (process-ROLE-N.json, in that order) into "processes" of the manifest:
 * - the first "gpu", "cuda", "cupti" and "driver" found move to the top;
 * - the "dropped" counts (an object of kinds) are summed;
 * - a report without an "index" gets its place, and one that cannot be read is a failure.
 * Then it removes half-written files, marks the manifest complete, renames it into place and removes the reports. The
 * caller lists processes that died in "failures": an array of {"role", "index", "detail"}.
 *
 * bundle_create and bundle_seal remove paths on this machine and its name from the manifest's texts
 * (core/bundle/bundle_text.h). */
int bundle_seal(const char *path, json_t *manifest, struct err *e);

#endif
