/* bundle_focus.h - a part of a run: some of its variants, at some of its cases, against one of them. */
#ifndef CPPROF_BUNDLE_FOCUS_H
#define CPPROF_BUNDLE_FOCUS_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/bundle/bundle.h"

struct bundle_focus {
    const char *variant;  /* a pattern as of fnmatch; NULL: all */
    const char *shape;    /* a case, or a word of one: "long", "ctas_per_sm=8"; NULL: all */
    const char *baseline; /* what the others are compared with; NULL: as in the run */
};

bool bundle_focus_is_set(const struct bundle_focus *f);

/* Leaves the rows of these arms in the tables of an open bundle, and names the baseline; a note says so. Traces stay
 * whole. ERR_USAGE when the run has none of them. */
int bundle_focus_on(struct bundle *b, const struct bundle_focus *f, struct err *e);

#endif
