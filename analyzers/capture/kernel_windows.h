/* kernel_windows.h - what did the units of the GPU do while each kernel ran, and what bounds it? From samples of a
 * program that ran undisturbed: the window of a launch is cut out of them by its record.
 *
 * A launch counts when nothing else ran on its device at the same time. A sample counts when the launch is the only
 * work in it and near it: it lies whole in the launch, or the rest of it is idle. Then all that it counted is the
 * launch's, and the share of a unit is the sum of what was counted over the time of the launches that is covered.
 * A second pass shares the samples in which two kernels adjoin (window_edges.h). */
#ifndef CPPROF_KERNEL_WINDOWS_H
#define CPPROF_KERNEL_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzers/capture/kernel_window_rows.h"
#include "core/base/err.h"
#include "core/base/str.h"
#include "core/trace/event_stream.h"
#include "core/trace/gpu_samples.h"

/* A device that was sampled. */
struct sampled_device {
    int device;
    int64_t samples, step_ns;        /* step: the mean length of a sample */
    int64_t span_ns, sampled_ns;     /* from the first sample to the last, and what samples cover of it */
    int64_t idle_samples;            /* no work of the trace is near */
    double idle_active;              /* share of them in which SMs are active; NAN without any */
    int64_t inside_samples;          /* well within a launch that is alone */
    double inside_idle;              /* share of them in which no SM is active */
    enum kernel_window_reason doubt; /* why no class follows from its samples */
};

struct kernel_windows {            /* starts zeroed */
    struct kernel_window *kernels; /* most time first */
    size_t kernel_count;
    int64_t left_out; /* launches of kernels beyond KERNEL_WINDOWS_MAX */
    struct sampled_device *devices;
    size_t device_count;
};
enum { KERNEL_WINDOWS_MAX = 16384 };

/* Cuts the windows in two passes over the stream, which it rewinds before each. `is_whole`: nothing of the trace is
 * known to be missing; else there are shares and no class. Adds the kernels' demangled names. Release even after an
 * error. */
struct short_names;
int kernel_windows_measure(struct kernel_windows *w, struct event_stream *stream, const struct gpu_samples *samples,
                           struct short_names *names, bool is_whole, struct err *e);
/* Returns the kernel of which most time would go if its busiest unit were busy all the time; NULL: of none it is known.
 */
const struct kernel_window *kernel_windows_most_headroom(const struct kernel_windows *w);
/* Returns the kernel that comes behind `before` (NULL: the first), NULL behind the last: most headroom first; behind
 * them those of which no more than a bound is known, the largest first; then the others, most time first. */
const struct kernel_window *kernel_windows_next(const struct kernel_windows *w, const struct kernel_window *before);
/* Appends its short name, and where others share it grid and block: "gemm 4x16 384". */
void kernel_window_add_name(struct str *out, const struct kernel_window *k, const struct short_names *names);
void kernel_window_add_sizes(struct str *out, const struct kernel_window *k); /* these alone: " 4x16 384" */
void kernel_windows_release(struct kernel_windows *w);

#endif
