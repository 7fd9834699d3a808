/* reader.h - what a reader of one input format provides. A new format is one
 * file and one line in reader_table.c. */
#ifndef CPPROF_READER_H
#define CPPROF_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/caveat.h"
#include "base/err.h"
#include "base/strtab.h"
#include "io/input_file.h"
#include "trace/event_spool.h"
#include "trace/object_names.h"

/* Where a reader puts what it finds. */
struct reader_sink {
    struct event_spool *events;
    struct strtab *strings;
    struct caveat_list *caveats;
    struct object_names *names; /* NULL: not asked for */
    int rank;                   /* -1, until a reader finds the input's rank in it; of all its events that have none */
    int64_t time_error_ns; /* by how much a start or an end may be off: 0, or what the rounding of the input explains */
    bool launches_only;    /* kernels are there for their launches: no copies, no streams, no timeline of the GPU */
    bool may_lack_waits;   /* the format does not tell whether calls that wait were traced */
    bool lacks_migrations; /* those at the beginning were not recorded */
    bool has_unread;       /* a table was left out that could be read from a file of its own */
};

struct reader {
    const char *name; /* "nsys cuda_gpu_trace CSV" */
    bool (*recognise)(const struct open_input *input);
    int (*read)(const struct open_input *input, struct reader_sink *sink, struct err *e);
};

/* Was this input, which no other reader takes, meant to be a trace? One that is
 * empty, is called as traces are, or is a known thing that is no trace. */
bool not_a_trace_was_meant_as_one(const struct open_input *input);

/* In the order in which they are asked; ends with a NULL entry. */
extern const struct reader *const reader_table[];

#endif
