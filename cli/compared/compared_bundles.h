/* compared_bundles.h - one bundle whose variants have a baseline in it, or a baseline and a candidate, and what follows
 * from their comparison for the exit status (docs/compare.md). */
#ifndef CPPROF_COMPARED_BUNDLES_H
#define CPPROF_COMPARED_BUNDLES_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzers/analysed.h"
#include "core/base/err.h"
#include "core/base/str.h"

enum { COMPARED_SIDES_MAX = 2 };

struct compared_bundles {
    struct analysed sides[COMPARED_SIDES_MAX]; /* baseline, candidate; or the only one */
    size_t side_count;
    const char *paths[COMPARED_SIDES_MAX]; /* the caller's */
    double margin;
    const struct threshold_overrides *thresholds; /* NULL: the embedded ones */
    struct str stored;                            /* path of the saved baseline */
    struct analysis between;
    bool has_between;
};

/* With the default margin and no sides. Not to be copied or moved once it has any. */
void compared_bundles_init(struct compared_bundles *c);
void compared_bundles_release(struct compared_bundles *c);

/* Adds the next side, a bundle that bundle_begin has opened; it moves away from `begun`. */
int compared_bundles_add(struct compared_bundles *c, const char *path, struct bundle *begun, struct err *e);

/* Compares the two sides; `across` is what differs on purpose, or NULL. */
int compared_bundles_judge(struct compared_bundles *c, const char *across, struct err *e);

/* The comparisons: between the sides, or inside the only one. */
const struct analysis *compared_bundles_verdicts(const struct compared_bundles *c);

/* Says on standard error what is damaged. */
enum exit_status compared_bundles_status(const struct compared_bundles *c);

#endif
