/* range_occurrences.h - when was a named NVTX range open, one occurrence after the other? */
#ifndef CPPROF_RANGE_OCCURRENCES_H
#define CPPROF_RANGE_OCCURRENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "trace/event_stream.h"

enum { RANGE_OCCURRENCES_MAX = 4 * 1024 * 1024 };

struct range_occurrence {
    int64_t start_ns, end_ns;
    uint32_t thread;
    int16_t rank;
};

struct range_occurrences {
    struct range_occurrence *items; /* by (rank, start_ns), apart from each other */
    size_t count, capacity;
    bool is_shared; /* open on two threads of a process at once: one occurrence cannot be told from another */
};

/* Reads the whole stream, from its start; ranges within a range of that name on
 * the same thread are a part of it, ranges that never ended are none. Fills a
 * zeroed list. */
int range_occurrences_read(struct range_occurrences *out, struct event_stream *stream, const char *wanted,
                           struct err *e);
void range_occurrences_release(struct range_occurrences *r);

/* The occurrence that is open at that time; SIZE_MAX for none. */
size_t range_occurrences_at(const struct range_occurrences *r, int16_t rank, int64_t time_ns);

#endif
