/* analysed.h - a bundle opened, and questions asked of it. */
#ifndef CPPROF_ANALYSED_H
#define CPPROF_ANALYSED_H

#include "analyzers/analysis.h"
#include "core/base/err.h"
#include "core/bundle/bundle.h"
#include "core/bundle/bundle_focus.h"

/* `analysis` points at `bundle`: not to be copied or moved. */
struct analysed {
    struct bundle bundle;
    struct analysis analysis;
};

/* How a bundle is analysed. */
struct analysed_wish {
    uint32_t questions;                          /* of analyzers/entries.h; 0: all */
    const double *margin;                        /* of the comparisons; NULL: RATIO_MARGIN */
    const struct threshold_overrides *overrides; /* NULL or none: the embedded thresholds */
    const struct bundle_focus *part;             /* NULL or not set: the whole bundle */
};

/* Opens and analyses, as the wish says (NULL: one that is zero); on an error there is nothing to release. What is no
 * bundle is ERR_INPUT. */
int analysed_open(struct analysed *out, const char *path, const struct analysed_wish *wish, struct err *e);

/* Does the same with a bundle that bundle_begin has opened, which moves into `out`. */
int analysed_open_begun(struct analysed *out, struct bundle *begun, const struct analysed_wish *wish, struct err *e);
void analysed_release(struct analysed *a);

#endif
