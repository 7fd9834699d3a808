/* trace_gathering.h - how do several traces become one stream? Only for event_stream.c. */
#ifndef CPPROF_TRACE_GATHERING_H
#define CPPROF_TRACE_GATHERING_H

#include <stdbool.h>

#include "core/trace/event_stream.h"
#include "core/trace/stream_scope.h"
#include "core/trace/trace_operands.h"

struct trace_gathered {
    /* Measured: traces differ in the error of their times, or in whether they hold launches alone. Then what was
     * measured of each alone is not what would be measured of all. */
    bool is_uneven;
    struct err failed; /* measured: why the first trace that cannot be measured cannot be; its code is 0 for none */
    struct scope_counts left_out;
};

/* Fills a new stream from several traces, each of them a rank or more. One that cannot be read is a CAVEAT_TRUNCATED,
 * unless none can be read. wish->source: who reads them; NULL: this process, and nothing is measured. */
int trace_gather(struct event_stream *s, struct trace_operand_list *operands, const struct event_stream_wish *wish,
                 struct trace_gathered *out, struct err *e);

#endif
