/* bundle_complete.h - do a run's tables have everything that its manifest says was done? */
#ifndef CPPROF_BUNDLE_COMPLETE_H
#define CPPROF_BUNDLE_COMPLETE_H

#include "core/bundle/bundle.h"

/* Checks a sealed run of kernels, or a pool, whose processes all completed. It adds
 * - a CAVEAT_WEAKENS when an arm has fewer timing processes than the manifest says, or lacks a check that every run of
 *   its kind makes;
 * - a CAVEAT_TRUNCATED when an arm has more processes than that;
 * - for a run whose traced process does not report that it has no trace, a CAVEAT_WEAKENS when no trace was sealed;
 * - for programs, a CAVEAT_WEAKENS for missing samples of a process, and a CAVEAT_TRUNCATED for samples that it did not
 *   take. */
int bundle_check_complete(struct bundle *b, struct err *e);

/* Earlier versions recorded builds that leave out a part of their variant's work. Their output is wrong by design, and
 * was not verified. */
bool inside_is_partial(const char *arm);

#endif
