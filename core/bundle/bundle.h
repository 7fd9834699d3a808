/* bundle.h - a run directory NAME.cpprof: everything that one run or capture left behind, and the seal that completes
 * it. */
#ifndef CPPROF_BUNDLE_H
#define CPPROF_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/array.h"
#include "core/base/caveat.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/str.h"
#include "core/bundle/bundle_shards.h"
#include "core/bundle/bundle_tables.h"

#define BUNDLE_MANIFEST "manifest.json"
#define BUNDLE_FORMAT   1
#define BUNDLE_SEALED   "complete" /* the manifest's `status` */
#define BUNDLE_ASIDE    "aside"    /* a folder in an unfinished bundle, for temporary files */

/* The checksum of a table's file, computed while it was read. */
struct table_sum {
    bool is_known;
    uint64_t bytes;
    uint32_t crc32;
};

/* A difference from what was sealed, in one line. */
struct seal_fault {
    char *text;
    bool is_of_trace; /* about a trace, or about the whole bundle */
};

struct bundle {
    char *path;
    json_t *manifest;                        /* object; see docs/formats.md */
    bool complete;                           /* sealed */
    struct table tables[BUNDLE_TABLE_COUNT]; /* absent files: no rows */
    bool has_table[BUNDLE_TABLE_COUNT];
    struct table_sum sums[BUNDLE_TABLE_COUNT]; /* of the tables that the seal lists */
    struct bundle_shards shards;
    ARRAY_OF(struct seal_fault) faults; /* differences from the seal; they are in `caveats`, too */
    /* Checks that a run must have made are missing, or damage in their table may hide some: the rest does not prove an
     * arm right. */
    bool lacks_checks;
    size_t arms_left_out;       /* by a focus, whose traces nevertheless hold them (bundle_focus.h) */
    struct caveat_list caveats; /* incomplete, dropped records, crashed processes */
};

void bundle_init(struct bundle *b);
void bundle_release(struct bundle *b);

/* Is it marked as complete? */
bool bundle_is_sealed(const json_t *manifest);

/* Reads manifest.json as it is; the caller owns the value (json_decref). */
int bundle_read_manifest(const char *path, json_t **out, struct err *e);

/* Returns ERR_INPUT unless this cpprof reads the manifest's format. */
int bundle_check_format(const json_t *manifest, const char *path, struct err *e);

/* Reads only the manifest; the caller owns the value (json_decref). For a bundle that was never sealed, the reports
 * that its processes have left so far are merged into it. */
int bundle_manifest(const char *path, json_t **out, struct err *e);

/* Reads only the manifest into `b`, which is initialised. The caller releases `b`, also after an error. */
int bundle_begin(struct bundle *b, const char *path, struct err *e);

/* Returns the manifest's `kind`; "" when it has none or was not read. */
const char *bundle_kind(const struct bundle *b);

/* Moves `from` over `to` and leaves `from` initialised. Nothing may point into `from`. */
void bundle_move(struct bundle *to, struct bundle *from);

/* Is it a directory with a manifest.json? */
bool bundle_is(const char *path);

/* Is it a directory with a trace-*.bin? */
bool bundle_has_trace(const char *path);

/* Is it a directory with a trace-*.bin in which something was recorded? */
bool bundle_has_events(const char *path);

/* Appends what happened to failed process number `at`: "the time process 3 failed: ...". The lines of its own output
 * are joined with " | ", and may contain anything. Returns false when fewer processes failed. */
bool bundle_failure(const struct bundle *b, size_t at, struct str *out);
/* Likewise of the first one with this role that may have had this solution (NULL: any); false when none failed. `out`
 * may be NULL. */
bool bundle_failure_of(const struct bundle *b, const char *role, const char *variant, struct str *out);
/* Likewise of the first one that had no other solution or library than this one (NULL: than one). */
bool bundle_broke_off(const struct bundle *b, const char *variant, struct str *out);
/* Likewise of the first one whose judge found other than what it left (--isolate), and which had only this solution
 * (NULL: any). */
bool bundle_was_dishonest(const struct bundle *b, const char *variant, struct str *out);
/* Likewise of the first one that had solutions or libraries and was to run them, not to count. */
bool bundle_failure_with_code(const struct bundle *b, struct str *out);

/* Adds a CAVEAT_WEAKENS for each failed process and each kind of dropped records in the manifest, and for each member
 * of the manifest that has the wrong type. */
int bundle_losses(const json_t *manifest, struct caveat_list *caveats, struct err *e);
/* Does only the second half: dropped records. */
int bundle_dropped(const json_t *manifest, struct caveat_list *caveats, struct err *e);

/* Returns the array of the programs that ran as variants (docs/formats.md); NULL for runs of our own kernels and for
 * captures. */
const json_t *bundle_programs(const struct bundle *b);

/* Are its variants solutions of a task? */
bool bundle_has_task(const struct bundle *b);

#endif
