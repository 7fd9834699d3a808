/* launch_index.h - which call on the host started this work, and in which NVTX
 * ranges does it lie?
 *
 * One pass over a whole trace collects the calls that start work, by (rank,
 * correlation id), and the named ranges of each rank. Work lies in a range when
 * the call that started it begins while the range is open, on any thread of its
 * rank or, where the pattern says so, on the range's own; a host event when it
 * begins so itself. Work without a recorded call lies in none. */
#ifndef CPPROF_LAUNCH_INDEX_H
#define CPPROF_LAUNCH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "trace/event_stream.h"

/* The bounds of its memory: 56 bytes a call in a table that is at least 3/8
 * full, so at most 224 MiB (336 while it grows), and 16 bytes a stretch of time
 * in which a thread is in a range, at most 64 MiB; calls that begin at the same
 * time wait for the ranges that do, at most 18 MiB. Beyond them ERR_INPUT. */
enum {
    LAUNCH_INDEX_CALLS_MAX = 3 * 1024 * 1024,
    LAUNCH_INDEX_WAITING_MAX = 256 * 1024,
    LAUNCH_INDEX_SPANS_MAX = 4 * 1024 * 1024,
    LAUNCH_INDEX_THREADS_MAX = 65536,
    LAUNCH_INDEX_PATTERNS_MAX = 64
};

/* The ranges that are asked for, by name. */
struct range_pattern {
    const bool *takes; /* per string id, not owned; NULL: no range */
    size_t count;
    bool own_thread; /* only what happens on the thread of the range is in it */
};

struct launch_call {
    int64_t start_ns;
    int64_t end_ns;            /* before start_ns when it never ended */
    uint64_t ranges;           /* bit i: it begins in a range of pattern i */
    uint64_t of_other_threads; /* bit i: it begins in none, and one is open on another thread of its rank; 0 of widened
                                  ranges */
    uint32_t thread;
    bool is_doubtful; /* another call has its correlation id, and is no part of it */
    uint64_t counted; /* for whoever reads the index: in which of its sets the call is counted already */
};

struct launch_index;

/* Reads the whole stream, without its scope, and rewinds it. With `all_calls`
 * every call that starts work is kept, else only those in a range or beside one. */
int launch_index_build(struct launch_index **out, struct event_stream *stream, const struct range_pattern *patterns,
                       size_t pattern_count, bool all_calls, struct err *e);
/* The same with every range as much longer on both sides, or shorter below 0: where times are rounded, work that is in
 * the one and not in the other may have been launched in the range or not. */
int launch_index_build_widened(struct launch_index **out, struct event_stream *stream,
                               const struct range_pattern *patterns, size_t pattern_count, bool all_calls,
                               int64_t widen_ns, struct err *e);
void launch_index_free(struct launch_index *x);

/* The call that started the work; NULL when none is kept. */
struct launch_call *launch_index_call(const struct launch_index *x, const struct cpprof_event *work);

/* Does the call start after the work that it is said to have started, by more than rounding explains? */
bool launch_call_is_late(const struct launch_call *call, const struct cpprof_event *work, int64_t time_error_ns);

/* Bit i: the event lies in a range of pattern i. */
uint64_t launch_index_ranges(const struct launch_index *x, const struct cpprof_event *event);

/* Bit i: the trace has a range of pattern i. */
uint64_t launch_index_found(const struct launch_index *x);

/* How far the call that is hardest to find stands from its place in the table: what a trace must not choose. */
size_t launch_index_longest_search(const struct launch_index *x);

#endif
