/* bundle.h - a run directory NAME.cpprof: everything that one run or capture
 * left behind, and the seal that says it is all there. */
#ifndef CPPROF_BUNDLE_H
#define CPPROF_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "model/bundle_tables.h"
#include "model/caveat.h"

#define BUNDLE_MANIFEST "manifest.json"
#define BUNDLE_FORMAT 1
#define BUNDLE_ASIDE "aside" /* a folder in a bundle that is being made, for what does not stay */

struct bundle {
    char *path;
    json_t *manifest;  /* object; see docs/formats.md */
    bool complete;     /* sealed */
    struct table tables[BUNDLE_TABLE_COUNT]; /* absent files: no rows */
    bool has_table[BUNDLE_TABLE_COUNT];
    bool lacks_checks; /* that a run must have made, or behind damage in their table: what is left proves nothing right */
    struct caveat_list caveats; /* incomplete, dropped records, crashed processes */
};

void bundle_init(struct bundle *b);
void bundle_release(struct bundle *b);

/* Reads manifest and tables; traces are read through event_stream_open. An
 * incomplete bundle, a process that failed and dropped records are each a
 * CAVEAT_WEAKENS; a table that cannot be read to its end, or holds what cannot be
 * right, is a CAVEAT_TRUNCATED and keeps the rows before that place. A table that
 * the seal does not list is left out, a CAVEAT_WEAKENS. `b` is initialised and is released by
 * the caller, also after an error. */
int bundle_open(struct bundle *b, const char *path, struct err *e);

/* The manifest alone, the caller's to json_decref. Of a bundle that was never
 * sealed, what its processes have reported so far is in it as if it were. */
int bundle_manifest(const char *path, json_t **out, struct err *e);

/* A CAVEAT_TRUNCATED for each sealed file that is gone or differs (model/seal.h), and for a bundle that is marked
 * complete without a list of them. */
int bundle_check_seal(const char *path, const json_t *manifest, struct caveat_list *caveats, struct err *e);

/* True for a directory that holds a manifest.json. */
bool bundle_is(const char *path);

/* True for a directory that holds a trace-*.bin. */
bool bundle_has_trace(const char *path);

/* True for one of them in which anything was recorded. */
bool bundle_has_events(const char *path);

/* Renames the bundle at `path` out of the way, so that nothing is lost until the
 * new one is sealed; *aside is its name then, for the caller to remove, empty
 * when there was none. ERR_USAGE for what is no bundle, or holds what neither its
 * manifest lists nor our programs write there. */
int bundle_set_aside(const char *path, struct str *aside, struct err *e);

/* Starts a new run directory with an `incomplete` manifest, in a folder that
 * exists; refuses a path that exists, also one that another process makes at the
 * same moment. After an error nothing of it is there. Texts of the manifest
 * become what may be handed on (model/bundle_text.h). */
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
 * machine something lies, or what it is called (model/bundle_text.h). */
int bundle_seal(const char *path, json_t *manifest, struct err *e);

/* Appends what became of number `at` of the processes that failed, "the time
 * process 3 failed: ..."; the lines of its own words have " | " between them, and
 * are a stranger's. False when no more failed. */
bool bundle_failure(const struct bundle *b, size_t at, struct str *out);

/* Processes that failed and records that were dropped, as the manifest has them, each a CAVEAT_WEAKENS; so is a member
 * of the manifest that cannot tell. */
int bundle_losses(const json_t *manifest, struct caveat_list *caveats, struct err *e);
/* The second half alone. */
int bundle_dropped(const json_t *manifest, struct caveat_list *caveats, struct err *e);

/* The programs that were run as variants (docs/formats.md), an array; NULL for
 * runs of our own kernels and for captures. */
const json_t *bundle_programs(const struct bundle *b);

#endif
