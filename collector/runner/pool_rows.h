/* pool_rows.h - what a process of a pool leaves behind: hundreds of them are
 * recorded, and a process is one observation of each arm. */
#ifndef CPPROF_POOL_ROWS_H
#define CPPROF_POOL_ROWS_H

#include "base/err.h"
#include "io/table.h"

/* One row per arm instead of one per sample: the midmean of its durations, the
 * mean of its clocks. Block, order and iteration are missing then. All rows are
 * of one process. */
int pool_rows_typical(struct table *timing, struct err *e);

/* Only the checks that failed. */
int pool_rows_failed(struct table *verify, struct err *e);

#endif
