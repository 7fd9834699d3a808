/* stream_scope.h - which part of a trace is asked about? A filter over an event
 * stream: whoever reads the stream sees only what is in the scope. */
#ifndef CPPROF_STREAM_SCOPE_H
#define CPPROF_STREAM_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct event_stream;

enum { SCOPE_NUMBERS_MAX = 16, SCOPE_COUNTS_MAX = 1 << 19 /* names of kernels on a device, for skip_first */ };

/* Allowed values; none: all are. */
struct scope_numbers {
    int64_t items[SCOPE_NUMBERS_MAX];
    size_t count;
};

/* All conditions must hold; zeroed, everything is in the scope. */
struct stream_scope {
    /* Extended regex on names of NVTX ranges, with "@thread" behind it for the work of their own threads alone; NULL:
     * all. Not copied, needed by event_stream_scope. */
    const char *range;
    bool has_window;
    /* Events that begin in [start, end), counted from the first one of their rank. */
    int64_t window_start_ns, window_end_ns;
    struct scope_numbers streams, devices; /* of GPU work; host events have none and stay */
    struct scope_numbers ranks;
    int64_t skip_first; /* kernels: this many of each name on each rank and device, of those in the scope otherwise */
};

bool stream_scope_is_everything(const struct stream_scope *scope);

/* From now on event_stream_next yields what is in the scope, whole events. The
 * stream is rewound. Work is in a range when its launch is (launch_index.h).
 * ERR_USAGE for a bad regex; a range that the trace does not have is a caveat,
 * and nothing is in the scope. Work that may belong to the range, as its call
 * is not in the trace, is left out, and a caveat that weakens. Once per stream. */
int event_stream_scope(struct event_stream *s, const struct stream_scope *scope, struct err *e);

#endif
