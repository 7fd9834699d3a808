/* window_bound.h - what bounds a kernel of which some units were sampled? */
#ifndef CPPROF_WINDOW_BOUND_H
#define CPPROF_WINDOW_BOUND_H

#include "analyzers/capture/kernel_window_rows.h"
#include "gpu/thresholds.h"

/* The units that no sample shows, in words: what a class rests on without them. */
extern const char window_bound_not_sampled[];

/* States the error of a share from its standard error and the number of samples. */
void window_error_state(struct window_unit *unit, int64_t samples);

/* Gives class, reason, lean and unit. `doubt`: why the samples of its device decide nothing; NULL: they do. */
void window_bound_decide(struct kernel_window *k, const struct thresholds *t, const char *doubt);

#endif
