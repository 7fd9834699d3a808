/* bundle_check.h - do the tables of a bundle agree with one another? */
#ifndef CPPROF_BUNDLE_CHECK_H
#define CPPROF_BUNDLE_CHECK_H

#include "core/bundle/bundle.h"

/* Adds a CAVEAT_TRUNCATED for each table that contradicts another: rows about arms that variants.csv lacks, times of
 * variants that could not run, samples of one process that are copies of another's. Single rows were checked before. */
int bundle_check_tables(struct bundle *b, struct err *e);

#endif
