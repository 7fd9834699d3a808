/* bundle_write.h - a run directory from its beginning to its seal, and what may be replaced by it. */
#ifndef CPPROF_BUNDLE_WRITE_H
#define CPPROF_BUNDLE_WRITE_H

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

/* Renames the bundle at `path` out of the way, so that nothing is lost until the
 * new one is sealed; *aside is its name then, for the caller to remove, empty
 * when there was none. ERR_USAGE for what is no bundle, or holds what neither its
 * manifest lists nor our programs write there. */
int bundle_set_aside(const char *path, struct str *aside, struct err *e);

/* Starts a new run directory with an `incomplete` manifest, in a folder that
 * exists; refuses a path that exists, also one that another process makes at the
 * same moment. After an error nothing of it is there. Texts of the manifest
 * become what may be handed on (bundle/bundle_text.h). */
int bundle_create(const char *path, json_t *manifest, struct err *e);

/* The bundle that was set aside comes back: nothing has taken its place. */
void bundle_put_back(const char *path, const struct str *aside);

/* Nothing came of the new bundle at `path`: it goes, and the old one comes back. */
void bundle_undo(const char *path, const struct str *aside);

/* Merges the processes' reports (process-ROLE-N.json, in that order) into
 * "processes" of the manifest: the first "gpu", "cuda", "cupti" and "driver"
 * found go to the top, the "dropped" counts (an object of kinds) are summed, a
 * report that has no "index" gets its place, one that cannot be read is a failure.
 * Removes what was left half written. Then marks it complete, renames it
 * into place and removes the reports. The caller puts processes that died into
 * "failures": an array of {"role", "index", "detail"}.
 *
 * Create and seal take out of the manifest's texts what says where on this
 * machine something lies, or what it is called (bundle/bundle_text.h). */
int bundle_seal(const char *path, json_t *manifest, struct err *e);

#endif
