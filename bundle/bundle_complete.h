/* bundle_complete.h - is everything in a run's tables that its manifest says was done? */
#ifndef CPPROF_BUNDLE_COMPLETE_H
#define CPPROF_BUNDLE_COMPLETE_H

#include "bundle/bundle.h"

/* Checks a sealed run of kernels, or a pool, whose processes all did their work: adds a CAVEAT_WEAKENS when an arm has
 * fewer timing processes than the manifest says, or lacks a check that each run of its kind makes; a CAVEAT_TRUNCATED
 * when an arm has more processes than that. A run whose traced process does not say that it has no trace gets a
 * CAVEAT_WEAKENS when no trace was sealed. Programs get a CAVEAT_WEAKENS for samples of a process that are gone, a
 * CAVEAT_TRUNCATED for some that it did not take. */
int bundle_check_complete(struct bundle *b, struct err *e);

#endif
