/* trace_workers.h - reads several traces in processes at once, and hands them over in their order.
 *
 * A trace is read by one worker, which writes what it read to an unlinked file. As many workers run at once as there
 * are jobs, and what some of them wrote may wait to be taken. */
#ifndef CPPROF_TRACE_WORKERS_H
#define CPPROF_TRACE_WORKERS_H

#include <stddef.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/trace/parts/part_source.h"

enum { TRACE_JOBS_MAX = 256 };

struct trace_workers;

/* So many traces may be read `ahead` of the one that is taken and of those that are read; 0 with one job: the worker
 * stands still while its caller takes, because one processor is asked for. */
int trace_workers_new(struct trace_workers **out, size_t jobs, size_t ahead, size_t count, trace_work work,
                      void *context, struct err *e);
void trace_workers_free(struct trace_workers *w); /* ends those that still run */

/* Waits for the worker of the next trace. *from is at the beginning of what it wrote, and valid until the next call.
 * Returns ERR_INPUT when it did not end well. */
int trace_workers_take(struct trace_workers *w, FILE **from, struct err *e);

#endif
