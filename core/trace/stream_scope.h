/* stream_scope.h - which part of a trace was asked for, and what communicates there? A filter on an event stream: its
 * readers see only events in the scope. */
#ifndef CPPROF_STREAM_SCOPE_H
#define CPPROF_STREAM_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/caveat.h"
#include "core/base/err.h"
#include "core/trace/communication/stream_comm.h"

struct event_stream;

enum { SCOPE_NUMBERS_MAX = 16, SCOPE_COUNTS_MAX = 1 << 19 /* different (kernel name, device) pairs for skip_first */ };

/* The values that are allowed; empty: all. */
struct scope_numbers {
    int64_t items[SCOPE_NUMBERS_MAX];
    size_t count;
};

/* All conditions must hold. Zeroed, everything is in the scope. */
struct stream_scope {
    /* Extended regex on names of NVTX ranges, with "@thread" at the end for work of their own threads only; NULL: all.
     * Not copied; needed until event_stream_scope returns. */
    const char *range;
    bool has_window;
    /* Events that begin in [start, end), counted from the first event of their rank. */
    int64_t window_start_ns, window_end_ns;
    struct scope_numbers streams, devices; /* of GPU work; host events have neither and stay */
    struct scope_numbers ranks;
    /* The first kernels to leave out: so many of each name on each rank and device, counting only kernels that pass the
     * other conditions. */
    int64_t skip_first;
    const char *comm; /* no condition: what communicates besides (stream_comm.h); NULL: nothing. Copied */
};

/* Is there no condition? */
bool stream_scope_is_everything(const struct stream_scope *scope);

/* Restricts event_stream_next to events in the scope, and rewinds the stream. Events are never cut. Work is in a range
 * when its launch is (launch_index.h). Returns ERR_USAGE for a bad regex. A range that the trace does not have is a
 * caveat, and nothing is in the scope. Work that may belong to the range, because its call is not in the trace, is left
 * out with a caveat that weakens. Call it once per stream. */
int event_stream_scope(struct event_stream *s, const struct stream_scope *scope, struct err *e);

/* What a range leaves out of the scope, or may leave out, and what may communicate. */
struct scope_counts {
    bool found;               /* a range matches */
    int64_t of_other_threads; /* GPU work launched while a range was open, on another thread than the one asked for */
    int64_t unlaunched;       /* without a known call */
    int64_t unranged;         /* on ranks without recorded ranges */
    int64_t doubtful;         /* whose call may be another one's */
    struct comm_counts comm;
};

/* The two halves of event_stream_scope, for several traces: the first one restricts one of them and counts, even where
 * no range matches; the second one says what the sum of the counts means for all. */
int event_stream_scope_counted(struct event_stream *s, const struct stream_scope *scope, struct scope_counts *counts,
                               struct err *e);
void scope_counts_add(struct scope_counts *sum, const struct scope_counts *counts);
int scope_counts_note(const struct scope_counts *counts, const struct stream_scope *scope, struct caveat_list *caveats,
                      struct err *e);

#endif
