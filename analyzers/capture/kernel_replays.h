/* kernel_replays.h - what do counters say of the kernels of a program whose launches were replayed in a further run?
 *
 * A replay counts if the launch took as long as the same launch in the trace: then it did the same work. A class must
 * be that of each launch that counts, and these must stand for all that were chosen. Where samples leave a kernel
 * without a class, that of its replays stands, unless both contradict each other. */
#ifndef CPPROF_KERNEL_REPLAYS_H
#define CPPROF_KERNEL_REPLAYS_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzers/capture/kernel_windows.h"
#include "analyzers/capture/replay_rows.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/io/table.h"
#include "core/trace/event_stream.h"
#include "core/trace/short_names.h"

/* The metrics that a replay counts, named as for --metrics: those of bounds, and the bytes that a kernel writes in L2.
 */
enum { REPLAY_METRICS = 4 };
extern const char *const replay_metrics[REPLAY_METRICS];

/* What the replays are held against. */
struct replay_witnesses {
    struct event_stream *stream; /* of the trace; it is rewound */
    struct kernel_windows *windows;
    const struct short_names *names;
    const char *gpu_uuid; /* of the GPU that ran the kernels; "": unknown */
    bool is_whole;        /* nothing of the trace is known to be missing */
};

struct kernel_replays {          /* starts zeroed */
    struct kernel_replay *items; /* most time first */
    size_t count;
    struct replay_evidence *evidence; /* owns what the rows point to */
};

/* Reads the counters (metrics.csv) and the facts about the replays (`replay` of a capture), and completes the windows.
 * Release even after an error. */
int kernel_replays_measure(struct kernel_replays *r, const struct table *metrics, const json_t *replay,
                           const struct replay_witnesses *w, struct err *e);
void kernel_replays_release(struct kernel_replays *r);

#endif
