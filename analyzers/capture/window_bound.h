/* window_bound.h - what bounds a kernel of which some units were sampled? */
#ifndef CPPROF_WINDOW_BOUND_H
#define CPPROF_WINDOW_BOUND_H

#include <stdbool.h>

#include "analyzers/capture/kernel_window_rows.h"
#include "core/gpu/thresholds.h"

/* What no sample shows on any chip, in words. */
extern const char window_bound_not_sampled[];

/* Returns what a share of so many samples may be off at least. */
double window_error_least(double share, int64_t samples);

/* Can the unit bound a kernel? */
bool window_unit_can_bound(enum sampled_unit_id unit);

/* Is it a link to another GPU? They are sampled where a program sees several. */
bool window_unit_is_link(enum sampled_unit_id unit);

/* Returns what would go of the kernel's time if its busiest unit were busy all the time, DRAM at the rate that it can
 * reach; NAN where the busiest is not known. dram_share: NAN: not known. */
double window_headroom_ns(const struct kernel_window *k, const struct thresholds *t, double busiest_share,
                          double dram_share);

/* Gives class, reason, lean and unit. `doubt`: why the samples of its device decide nothing, if they do not. */
void window_bound_decide(struct kernel_window *k, const struct thresholds *t, enum kernel_window_reason doubt);

#endif
