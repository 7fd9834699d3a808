/* part_source.h - who reads several traces, if not this process alone?
 *
 * The one mechanism behind --jobs, MPI and files of parts: somebody runs `work` for each trace, and what it wrote is
 * taken in the order of the traces. */
#ifndef CPPROF_PART_SOURCE_H
#define CPPROF_PART_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/trace/trace_operands.h"

/* Reads trace number `index`, and writes what is wanted of it to `to`. An error code ends the process, and is lost with
 * its text: errors about the trace are a part of what it writes. */
typedef int (*trace_work)(void *context, size_t index, FILE *to, struct err *e);

struct part_source {
    /* Set before `begin`: all events are wanted, though something is measured. A process that only works sets it, too,
     * as whoever asked for the work says. */
    bool wants_all;
    bool is_alone; /* one process works at a time: it measures, but all events are rather read by this one */
    size_t jobs;   /* set before `begin`: how many traces may be read at once here; 0 is 1 */
    uint32_t key;  /* the same: of the files that the words name. Parts with another key were made with other rules */
    /* Adds the traces that these paths name. The list is the same for all who work on it. */
    int (*list)(struct part_source *s, const char *const *paths, size_t count, struct trace_operand_list *operands,
                struct err *e);
    /* Begins work on the traces of the list. A process that only works, and prints nothing, does not return. */
    int (*begin)(struct part_source *s, struct trace_operand_list *operands, trace_work work, void *context,
                 struct err *e);
    /* Gives what was written about the next trace, from its beginning. It is valid until the next call. Returns
     * ERR_INPUT when there is none; then the next call is about the trace behind it. */
    int (*take)(struct part_source *s, FILE **from, struct err *e);
    void (*end)(struct part_source *s);
};

#endif
