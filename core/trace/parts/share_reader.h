/* share_reader.h - a process that reads a share of the traces, whatever the one that needs them waits for.
 *
 * It starts the workers, and hands over what they wrote as open files, in the order of the traces. It may begin before
 * it is known what is to be read: it says what it reads, and one that reads something else is ended. */
#ifndef CPPROF_SHARE_READER_H
#define CPPROF_SHARE_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/trace/parts/part_source.h"

/* Traces place, place + of, place + 2 of ... */
struct share_task {
    uint32_t list; /* a sum over all traces */
    uint32_t key;  /* part_source.h */
    uint32_t place, of;
    uint32_t wants_all, jobs;
};

uint32_t share_list_sum(const struct trace_operand_list *operands);

struct share_reader;

/* Starts the process, which ends with what `serve` returns there. */
int share_reader_new(struct share_reader **out, int (*serve)(struct share_reader *r, void *context), void *context,
                     struct err *e);

/* In the reader: reads its share of `count` traces. Returns the exit status. */
int share_reader_serve(struct share_reader *r, const struct share_task *task, size_t count, trace_work work,
                       void *context);

/* Does it read this? Waits until it says so. False also when it has ended. */
bool share_reader_does(struct share_reader *r, const struct share_task *task);

/* Becomes readable when there is something to take. */
int share_reader_descriptor(const struct share_reader *r);

/* Waits for the next trace of the share. *from is at its beginning, and valid until the next call. Returns ERR_INPUT
 * when the worker did not end well. */
int share_reader_take(struct share_reader *r, FILE **from, struct err *e);

/* Ends the process, and its workers. */
void share_reader_free(struct share_reader *r);

#endif
