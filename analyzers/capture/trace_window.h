/* trace_window.h - what ran on a device for a while, and right before and after it? The slices of a picture. */
#ifndef CPPROF_TRACE_WINDOW_H
#define CPPROF_TRACE_WINDOW_H

#include <stdbool.h>

#include "analyzers/capture/idle_gaps.h"
#include "core/base/array.h"
#include "core/base/err.h"
#include "core/trace/event_stream.h"

enum { WINDOW_SLICES_MAX = 1 << 16 };

/* An operation, as long as it really was. */
struct window_slice {
    int64_t start_ns, end_ns;
    uint32_t context, stream;
    struct gap_neighbour what;
};

struct trace_window {
    int32_t rank, device;
    int64_t begin_ns, end_ns;
    ARRAY_OF(struct window_slice) slices; /* finished work of the device that is in the window in part, by start */
    int64_t left_out;                     /* operations beyond WINDOW_SLICES_MAX */
};

/* Reads the stream from its start up to the end of the window. Release `out` even after an error; it need not be
 * initialised. */
int trace_window_read(struct event_stream *stream, int32_t rank, int32_t device, int64_t begin_ns, int64_t end_ns,
                      struct trace_window *out, struct err *e);
void trace_window_release(struct trace_window *w);

/* The gap that a picture is about: of the device with most time without a kernel, the longest one by the cause that
 * takes most of this time. NULL without a gap; *device is where it is. */
const struct idle_gap *trace_window_gap(const struct idle_gaps *gaps, const struct gaps_device **device);

/* A window in which this time takes the middle part, and nothing before the first operation of the device and after its
 * last one. */
void trace_window_around(int64_t start_ns, int64_t stop_ns, const struct gaps_device *device, int64_t *begin_ns,
                         int64_t *end_ns);

#endif
