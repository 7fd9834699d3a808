/* launch_index.h - which call on the host started this work, and in which NVTX ranges is it?
 *
 * One pass over a whole trace collects the calls that start work, by (rank, correlation id), and the named ranges of
 * each rank. Work is in a range when the call that started it begins while the range is open, on any thread of its rank
 * or, if the pattern asks for it, on the thread of the range. A host event is in a range when it begins there itself.
 * Work without a recorded call is in no range. */
#ifndef CPPROF_LAUNCH_INDEX_H
#define CPPROF_LAUNCH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/trace/event_stream.h"

/* The limits of its memory. Calls take 64 bytes each in a table that is at least 3/8 full, so at most 256 MiB (384
 * while it grows). Stretches of time in which a thread is in a range take 16 bytes each, at most 64 MiB. Calls that
 * wait for ranges that begin at the same time take at most 18 MiB. Beyond these limits it returns ERR_INPUT. */
enum {
    LAUNCH_INDEX_CALLS_MAX = 3 * 1024 * 1024,
    LAUNCH_INDEX_WAITING_MAX = 256 * 1024,
    LAUNCH_INDEX_SPANS_MAX = 4 * 1024 * 1024,
    LAUNCH_INDEX_THREADS_MAX = 65536,
    LAUNCH_INDEX_PATTERNS_MAX = 64
};

/* The ranges to look for, by name. */
struct range_pattern {
    const bool *takes; /* for each string id; not owned; NULL: no range */
    size_t count;
    bool own_thread; /* only events on the thread of the range are in it */
};

struct launch_call {
    int64_t start_ns;
    int64_t end_ns;  /* before start_ns if the call never ended */
    uint64_t ranges; /* bit i: it begins in a range of pattern i */
    /* Bit i: it begins in no range of pattern i, but one is open on another thread of its rank. 0 for widened
     * ranges. */
    uint64_t of_other_threads;
    uint32_t thread;
    bool is_doubtful; /* other calls have its correlation id, and which started the work is not known (identity.h) */
    uint64_t counted; /* for users of the index: the sets in which the call is counted already */
};

struct launch_index;

/* Reads the whole stream without its scope, and rewinds it. A call outside all ranges is kept, too: it may
 * share its id with one inside. */
int launch_index_build(struct launch_index **out, struct event_stream *stream, const struct range_pattern *patterns,
                       size_t pattern_count, struct err *e);
/* Does the same with every range longer by `widen_ns` on both sides, or shorter when it is below 0. Where
 * times are rounded, work that is in the longer range and not in the shorter one may or may not have been launched in
 * the range. */
int launch_index_build_widened(struct launch_index **out, struct event_stream *stream,
                               const struct range_pattern *patterns, size_t pattern_count, int64_t widen_ns,
                               struct err *e);
void launch_index_free(struct launch_index *x);

/* Returns the call that started the work; NULL when none was recorded. */
struct launch_call *launch_index_call(const struct launch_index *x, const struct cpprof_event *work);

/* Does the call start later than the work that it should have started, by more than rounding explains? */
bool launch_call_is_late(const struct launch_call *call, const struct cpprof_event *work, int64_t time_error_ns);

/* Bit i: the event lies in a range of pattern i. */
uint64_t launch_index_ranges(const struct launch_index *x, const struct cpprof_event *event);

/* Bit i: the trace has a range of pattern i. */
uint64_t launch_index_found(const struct launch_index *x);

/* Returns the longest search for a call in the hash table. A trace must not be able to make it long. */
size_t launch_index_longest_search(const struct launch_index *x);

#endif
