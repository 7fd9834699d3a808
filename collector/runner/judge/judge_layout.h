/* judge_layout.h - where in one piece of device memory is what? The process of the judge allocates it and the runner
 * maps it; both find the places with this, from what is public: a task's arrays, a shape, a size of workspace. Each GPU
 * of a collective has such a piece, and all are alike. */
#ifndef CPPROF_JUDGE_LAYOUT_H
#define CPPROF_JUDGE_LAYOUT_H

#include <stddef.h>

#include "collector/runner/judge/ranked_task.h"

/* Sets of inputs and outputs. Verification needs two. */
enum { JUDGE_SLOTS_MAX = 8, JUDGE_SLOTS_LEAST = 2 };

/* Each array has a band before and behind it; the copies of outputs have none. */
enum { JUDGE_BAND_BYTES = 16384 };

/* Before all arrays: the token of the allocation, the gate of gate.h, and a word that means nothing. */
enum { JUDGE_TOKEN_AT = 0, JUDGE_GATE_AT = 64, JUDGE_SCRATCH_AT = 128 };

/* Offsets in bytes of data, multiples of 256. */
struct judge_layout {
    size_t inputs[JUDGE_SLOTS_MAX][CPPROF_ARRAYS_MAX], outputs[JUDGE_SLOTS_MAX][CPPROF_ARRAYS_MAX];
    size_t copies[CPPROF_ARRAYS_MAX]; /* of the outputs of one slot */
    size_t workspace;
    size_t input_bytes[CPPROF_ARRAYS_MAX], output_bytes[CPPROF_ARRAYS_MAX];
    int input_ranks[CPPROF_ARRAYS_MAX], output_ranks[CPPROF_ARRAYS_MAX]; /* in whose piece each is */
    int ranks;
    size_t bytes; /* of all, a multiple of 2 MiB: smaller allocations share memory with others when they are mapped */
};

/* The task comes from ranked_task_get: it has the arrays of all ranks. */
void judge_layout_make(struct judge_layout *out, const struct cpprof_task *task, const struct cpprof_config *config,
                       size_t slots, size_t workspace_bytes);

/* How many slots there are, and how many of them, the first ones, are launched in turn. They alternate as long as all
 * of them fit into a quarter of the L2 cache: a launch with hot caches finds its inputs there. Where not even one fits
 * into the cache none is hot, and two alternate. */
void judge_layout_slots(const struct cpprof_task *task, const struct cpprof_config *config, int l2_bytes, size_t *slots,
                        size_t *alternating);

/* Bytes of all inputs and outputs once. */
double judge_layout_moved(const struct cpprof_task *task, const struct cpprof_config *config);

#endif
