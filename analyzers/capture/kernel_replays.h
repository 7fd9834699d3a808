/* kernel_replays.h - what do counters say of the kernels of a program whose launches were replayed in a further run?
 *
 * A replay counts if the launch took as long as launches of its kernel in the trace: then it did the same work. A class
 * must be that of each launch that counts. Where samples leave a kernel without a class, that of its replays stands. */
#ifndef CPPROF_KERNEL_REPLAYS_H
#define CPPROF_KERNEL_REPLAYS_H

#include <stddef.h>

#include "analyzers/capture/kernel_windows.h"
#include "analyzers/capture/replay_rows.h"
#include "base/err.h"
#include "bundle/bundle.h"
#include "trace/short_names.h"

struct kernel_replays {          /* starts zeroed */
    struct kernel_replay *items; /* most time first */
    size_t count;
    struct replay_evidence *evidence; /* owns what the rows point to */
};

/* Reads the counters of the bundle and the facts about the replays in its manifest, and completes the windows. Nothing
 * is done without replays. Release even after an error. */
int kernel_replays_measure(struct kernel_replays *r, const struct bundle *b, struct kernel_windows *windows,
                           const struct short_names *names, struct err *e);
void kernel_replays_release(struct kernel_replays *r);

#endif
