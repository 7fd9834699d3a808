/* bundle_check.h - do the tables of a bundle agree with one another? */
#ifndef CPPROF_BUNDLE_CHECK_H
#define CPPROF_BUNDLE_CHECK_H

#include "bundle/bundle.h"

/* Adds a CAVEAT_TRUNCATED for each table that says what another one excludes: rows
 * about what variants.csv lacks, times of what could not run, samples of a process
 * that are another one's. Each row alone is good by now. */
int bundle_check_tables(struct bundle *b, struct err *e);

#endif
