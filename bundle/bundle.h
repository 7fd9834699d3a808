/* bundle.h - a run directory NAME.cpprof: everything that one run or capture
 * left behind, and the seal that says it is all there. */
#ifndef CPPROF_BUNDLE_H
#define CPPROF_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/caveat.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "bundle/bundle_shards.h"
#include "bundle/bundle_tables.h"

#define BUNDLE_MANIFEST "manifest.json"
#define BUNDLE_FORMAT   1
#define BUNDLE_SEALED   "complete" /* as `status` of the manifest */
#define BUNDLE_ASIDE    "aside"    /* a folder in a bundle that is being made, for what does not stay */

/* The sum of a table's file as it was read. */
struct table_sum {
    bool is_known;
    uint64_t bytes;
    uint32_t crc32;
};

/* What is not as it was sealed, one line. */
struct seal_fault {
    char *text;
    bool is_of_trace; /* or of the whole bundle */
};

struct bundle {
    char *path;
    json_t *manifest;                        /* object; see docs/formats.md */
    bool complete;                           /* sealed */
    struct table tables[BUNDLE_TABLE_COUNT]; /* absent files: no rows */
    bool has_table[BUNDLE_TABLE_COUNT];
    struct table_sum sums[BUNDLE_TABLE_COUNT]; /* of those that the seal lists */
    struct bundle_shards shards;
    ARRAY_OF(struct seal_fault) faults; /* of the seal; said in `caveats`, too */
    bool lacks_checks; /* that a run must have made, or behind damage in their table: what is left proves nothing right
                        */
    struct caveat_list caveats; /* incomplete, dropped records, crashed processes */
};

void bundle_init(struct bundle *b);
void bundle_release(struct bundle *b);

/* Is it marked as complete? */
bool bundle_is_sealed(const json_t *manifest);

/* manifest.json as it is there, the caller's to json_decref. */
int bundle_read_manifest(const char *path, json_t **out, struct err *e);

/* ERR_INPUT unless its format is one that this cpprof reads. */
int bundle_check_format(const json_t *manifest, const char *path, struct err *e);

/* The manifest alone, the caller's to json_decref. In a bundle that was never
 * sealed, what its processes have reported so far is in it as if it were. */
int bundle_manifest(const char *path, json_t **out, struct err *e);

/* Reads the manifest, and no more, into `b`, which is initialised and is released by the caller, also after an error.
 */
int bundle_begin(struct bundle *b, const char *path, struct err *e);

/* `kind` of its manifest; "" for one that says nothing or was not begun. */
const char *bundle_kind(const struct bundle *b);

/* `to` is written over, `from` is initialised. Nothing may point into `from`. */
void bundle_move(struct bundle *to, struct bundle *from);

/* True for a directory that holds a manifest.json. */
bool bundle_is(const char *path);

/* True for a directory that holds a trace-*.bin. */
bool bundle_has_trace(const char *path);

/* True for one of them in which anything was recorded. */
bool bundle_has_events(const char *path);

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
