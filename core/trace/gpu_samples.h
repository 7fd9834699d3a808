/* gpu_samples.h - what the units of GPUs did, in steps of microseconds, while a trace was recorded. */
#ifndef CPPROF_GPU_SAMPLES_H
#define CPPROF_GPU_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/gpu/sampled_units.h"

struct gpu_sample {
    int64_t begin_ns, end_ns;          /* on the clock of the events */
    double shares[SAMPLED_UNIT_COUNT]; /* of peak, a mean over the sample; NAN where it is not known */
};

/* A chunk of a shard (include/cpprof/shard.h). */
struct gpu_sample_block {
    int device; /* of the bundle */
    int64_t begin_ns, end_ns;
    size_t count, row_bytes;
    int column[SAMPLED_UNIT_COUNT]; /* of each unit in a row; -1: it was not sampled */
    unsigned char *payload;
    const unsigned char *rows; /* in the payload */
};

struct gpu_samples { /* starts zeroed */
    struct gpu_sample_block *items;
    size_t count, capacity;
    size_t bytes;
    size_t left_out; /* blocks beyond GPU_SAMPLES_BYTES_MAX */
};
enum { GPU_SAMPLES_BYTES_MAX = 1 << 30 };
void gpu_samples_release(struct gpu_samples *s);

/* Returns what is wrong with the payload of a chunk; NULL when it is good. */
const char *gpu_samples_fault(const void *payload, size_t bytes);

/* Returns the device of a good payload, as its process counts. */
int gpu_samples_device(const void *payload);

/* Copies a good payload; `device` is that of the bundle. */
int gpu_samples_add(struct gpu_samples *s, const void *payload, size_t bytes, int device, struct err *e);

/* Was the unit sampled, on any device? */
bool gpu_samples_have(const struct gpu_samples *s, enum sampled_unit_id unit);

/* Sorts the blocks by device and time, after the last one was added. */
void gpu_samples_sort(struct gpu_samples *s);

/* Goes through the samples of one device. They are in order, unless the clock jumped. */
struct gpu_sample_cursor {
    const struct gpu_samples *samples;
    int device;
    size_t block, row;
};
bool gpu_samples_next(struct gpu_sample_cursor *c, struct gpu_sample *out); /* false after the last */

#endif
