/* exposed_copy.h - which copy takes most time while no kernel runs on its device? */
#ifndef CPPROF_EXPOSED_COPY_H
#define CPPROF_EXPOSED_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzers/capture/idle_gaps.h"
#include "core/base/err.h"
#include "core/trace/event_stream.h"

/* More copies than this at once on a device are not looked at. */
enum { EXPOSED_COPIES_AT_ONCE = 64 };

/* A copy that is shorter counts for nothing: this share of its device's span. */
#define EXPOSED_SHARE_MIN 0.01

struct exposed_copy {
    const struct gaps_device *device; /* NULL: there is none that counts */
    int64_t start_ns, end_ns;
    int64_t exposed_ns; /* of it, without a kernel */
    uint64_t size_bytes;
    struct gap_neighbour what;
};

/* Reads the stream from its start: a finished copy from or to a device, within one or between two. Of equal ones the
 * first. `gaps` is measured on the same stream, and must outlive `out`. */
int exposed_copy_find(struct event_stream *stream, const struct idle_gaps *gaps, struct exposed_copy *out,
                      struct err *e);

#endif
