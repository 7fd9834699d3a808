/* pool_rows.h - which rows does a process of a pool keep? Hundreds of processes are recorded, and each is one
 * observation of each arm. */
#ifndef CPPROF_POOL_ROWS_H
#define CPPROF_POOL_ROWS_H

#include "core/base/err.h"
#include "core/io/table.h"

/* Replaces the samples by one row per arm: the midmean of its durations, the mean of its clocks. Block, order and
 * iteration are then missing. All rows must be of one process. */
int pool_rows_typical(struct table *timing, struct err *e);

/* Keeps only the checks that failed. */
int pool_rows_failed(struct table *verify, struct err *e);

#endif
