/* owner_times.h - who launched the work of a trace, and before whose work was a device idle? A row for each operator,
 * module, Python frame or range that is the innermost one where work was launched (core/trace/launch_owners.h). */
#ifndef CPPROF_OWNER_TIMES_H
#define CPPROF_OWNER_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/trace/event_stream.h"
#include "core/trace/short_names.h"

enum owner_table { OWNERS_OPERATOR, OWNERS_MODULE, OWNERS_FRAME, OWNERS_RANGE, OWNER_TABLES };

struct owner_time {
    uint32_t name; /* in the names of the tables */
    int64_t count; /* kernels, copies, memsets, migrations */
    int64_t total_ns, idle_ns;
    double share; /* of the time of all GPU work */
};

struct owner_times { /* starts zeroed */
    struct {
        struct owner_time *items; /* most time first, with the idle time before */
        size_t count;             /* 0: the trace has no such owners */
    } tables[OWNER_TABLES];
    struct short_names names;
};

const char *owner_table_key(enum owner_table table);  /* "op", as in `stats --by` */
const char *owner_table_word(enum owner_table table); /* "operator" */

/* Reads the stream several times; operators, modules and frames need one that was opened with its scopes. Release even
 * after an error. */
int owner_times_measure(struct owner_times *o, struct event_stream *stream, struct err *e);
void owner_times_release(struct owner_times *o);

#endif
