/* range_occurrences.h - when was a named NVTX range open, occurrence by occurrence? */
#ifndef CPPROF_RANGE_OCCURRENCES_H
#define CPPROF_RANGE_OCCURRENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/trace/event_stream.h"

enum { RANGE_OCCURRENCES_MAX = 4 * 1024 * 1024 };

struct range_occurrence {
    int64_t start_ns, end_ns;
    uint32_t thread;
    int16_t rank;
};

struct range_occurrences {
    struct range_occurrence *items; /* sorted by (rank, start_ns), without overlap */
    size_t count, capacity;
    bool is_crossed; /* one began in another and ended behind it: they are one here, too */
    bool is_shared;  /* open on two threads of a process at once, so occurrences cannot be told apart */
};

/* Reads the whole stream from its start into a zeroed list. A range inside another one of that name on the same thread
 * belongs to the outer one. Ranges that never ended are ignored. */
int range_occurrences_read(struct range_occurrences *out, struct event_stream *stream, const char *wanted,
                           struct err *e);
/* Does the same for ranges whose name is marked: `takes` has `count` entries, one for each string id. `wanted` is what
 * an error calls them. */
int range_occurrences_read_marked(struct range_occurrences *out, struct event_stream *stream, const char *wanted,
                                  const bool *takes, size_t count, struct err *e);
/* Does the same without the filter of the stream. */
int range_occurrences_read_unscoped(struct range_occurrences *out, struct event_stream *stream, const char *wanted,
                                    const bool *takes, size_t count, struct err *e);
void range_occurrences_release(struct range_occurrences *r);

/* Returns the index of the occurrence that is open at that time; SIZE_MAX when there is none. */
size_t range_occurrences_at(const struct range_occurrences *r, int16_t rank, int64_t time_ns);

#endif
