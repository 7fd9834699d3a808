/* judge_layout.h - where in one piece of device memory is what? The process of the judge allocates it and the runner
 * maps it; both find the places with this, from what is public: a task's arrays, a shape, a size of workspace. Each GPU
 * of a collective has such a piece, and all are alike. */
#ifndef CPPROF_JUDGE_LAYOUT_H
#define CPPROF_JUDGE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/runner/judge/ranked_task.h"

/* Sets of inputs and outputs. Of a task that fills its inputs itself there are few: that may take long. */
enum { JUDGE_SLOTS_MAX = 63, JUDGE_SLOTS_FILLED_MAX = 8, JUDGE_SLOTS_LEAST = 4, JUDGE_SLOTS_LARGE = 2 };

/* Outputs of timed launches that are judged later, of one solution in one process and state of the caches. */
enum { JUDGE_KEPT_MAX = 24 };

/* Each array has a band before and behind it; the copies of outputs have none. */
enum { JUDGE_BAND_BYTES = 16384 };

/* Before all arrays: the token of the allocation, the gate of gate.h, and a word that means nothing. */
enum { JUDGE_TOKEN_AT = 0, JUDGE_GATE_AT = 64, JUDGE_SCRATCH_AT = 128 };

/* Offsets in bytes of data, multiples of 256. All slots have the constant inputs of the first one. */
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

/* How many launches a series has, each on a slot of its own: as many as fit into a quarter of the L2 cache, where a
 * launch finds what was just written. Where these are fewer than four, *is_rotated: as many as take twice the cache, at
 * least four, or two where a single one takes that. Constant inputs count once: they may stay in the cache in either
 * state, as weights do. */
size_t judge_layout_series(const struct cpprof_task *task, const struct cpprof_config *config, int l2_bytes,
                           bool *is_rotated);

/* Bytes of all outputs, and of all inputs that are not constant: those may have been packed into fewer. */
double judge_layout_moved(const struct cpprof_task *task, const struct cpprof_config *config);

#endif
