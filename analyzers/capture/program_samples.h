/* program_samples.h - what did one traced process of a program do, and how long
 * did each iteration of it take?
 *
 * What is measured is chosen by a pattern for the names of kernels or by an NVTX
 * range. Each occurrence of the range is a sample: the GPU work that any thread
 * launched while it was open. Kernels have no such border; a sample of them is a launch or a sequence that
 * repeats, and alike ones are a group (core/run/launch_groups.h). The duration of a sample is
 * the time in which its work keeps a device busy. */
#ifndef CPPROF_PROGRAM_SAMPLES_H
#define CPPROF_PROGRAM_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/strtab.h"
#include "core/trace/event_stream.h"

enum { PROGRAM_WORK_MAX = 4 * 1024 * 1024, PROGRAM_PROBLEM_BYTES = 256 };

/* One of the two; the other is NULL. */
struct work_choice {
    const char *kernels; /* core/run/kernel_choice.h */
    const char *range;   /* "name" or "name@domain"; "@thread" behind it: of its own thread alone */
};

/* All work of one name. Sizes of a launch are -1 where the chosen ones differ. */
struct program_work {
    const char *name; /* the kernel's symbol as it was recorded; "copy h2d", "memset" */
    bool is_kernel;
    int64_t count, sum_ns;
    uint64_t bytes;
    int64_t chosen_count, chosen_ns; /* of it, what was chosen */
    uint64_t chosen_bytes;
    int64_t grid_blocks, block_threads, registers, shared_bytes, local_bytes;
};

struct program_sample {
    int64_t start_ns, span_ns; /* first start to last end */
    int64_t busy_ns;
    int64_t idle_ns;         /* without any GPU work until the next sample starts; -1 for the last one of a process */
    int64_t interval_ns;     /* to the start of the next sample; -1 likewise */
    int64_t kernels, copies; /* copies and memsets */
    uint64_t bytes;          /* of them */
    size_t group;            /* of alike ones, an index into `groups`; of a range 0 */
};

/* Samples of kernels that are the same work. */
struct sample_kind {
    const char *forms; /* of its launches, in order, each with a newline behind it (core/run/launch_form.h) */
    size_t place;      /* in a period, from 1; 0: it has one place */
    size_t samples;
};

struct program_samples {
    struct program_sample *items; /* in the order of their starts, process by process */
    size_t count, capacity;
    struct {
        struct program_work *items; /* chosen work first, longest first */
        size_t count, capacity;
    } work;
    struct {
        struct sample_kind *items; /* none of a range */
        size_t count, capacity;
    } groups;
    struct strtab strings;    /* owns the names */
    int64_t warm_up;          /* samples that were left out as warm-up */
    int64_t empty;            /* occurrences of the range in which no work was launched: no samples */
    int64_t of_other_threads; /* operations launched while a range of its own thread was open, by others: not counted */
    int64_t cut_off; /* launches that match, but are no part of what repeats: set-up, a last one that ended early */
    char problem[PROGRAM_PROBLEM_BYTES]; /* why there are no samples although there was a choice; "" */
};

void program_samples_init(struct program_samples *s);
void program_samples_release(struct program_samples *s);

/* Fills an initialised list from a whole trace. A choice that nothing meets is no
 * error: there are no samples then. */
int program_samples_read(struct program_samples *out, struct event_stream *stream, const struct work_choice *choice,
                         struct err *e);

/* Leaves out the first `warmup` samples of each group, and groups that have no more; numbers the others anew. Sets
 * `problem` when none is left. */
int program_samples_warm_up(struct program_samples *s, size_t warmup, struct err *e);

#endif
