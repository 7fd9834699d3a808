/* analysed.h - a bundle opened and everything asked of it. */
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

/* Opens and analyses; on an error there is nothing to release. What is no
 * bundle is ERR_INPUT. */
int analysed_open(struct analysed *out, const char *path, struct err *e);
/* The same with another margin of the comparisons than the default one, and at the thresholds that a file says (NULL or
 * none: the embedded ones). */
int analysed_open_at(struct analysed *out, const char *path, double margin, const struct threshold_overrides *overrides,
                     struct err *e);

/* Does the same with a bundle that bundle_begin has opened, which moves into `out`. */
int analysed_open_begun(struct analysed *out, struct bundle *begun, double margin,
                        const struct threshold_overrides *overrides, struct err *e);
/* The same of a part of it; NULL: of all. */
int analysed_open_part(struct analysed *out, struct bundle *begun, const struct bundle_focus *part, double margin,
                       const struct threshold_overrides *overrides, struct err *e);
void analysed_release(struct analysed *a);

#endif
