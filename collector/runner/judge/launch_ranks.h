/* launch_ranks.h - the GPUs that a launch works on: their streams, and where each of them sees the buffers of the
 * judge. A task that is no collective has one. */
#ifndef CPPROF_LAUNCH_RANKS_H
#define CPPROF_LAUNCH_RANKS_H

#include <stdbool.h>

#include "collector/runner/judge/judge_layout.h"
#include "collector/runner/judge/judge_message.h"
#include "collector/runner/judge/rank_streams.h"

/* What one GPU sees. Memory that another process shares has another address on each GPU that maps it. */
struct rank_view {
    char *memory[JUDGE_RANKS_MAX]; /* of each rank */
    const void *inputs[JUDGE_SLOTS_MAX][CPPROF_ARRAYS_MAX];
    void *outputs[JUDGE_SLOTS_MAX][CPPROF_ARRAYS_MAX];
    void *workspaces[JUDGE_RANKS_MAX]; /* NULL: there is none */
};

struct launch_ranks {
    struct rank_streams gpus; /* rank 0 has the runner's stream */
    bool is_mapped;           /* by CUDA IPC */
    struct rank_view views[JUDGE_RANKS_MAX];
};

/* Are there as many GPUs as the task has ranks, and do all reach each other? Returns 0, or fills `why`. */
int launch_ranks_refuse(const struct cpprof_task *task, const struct cpprof_config *config, char *why,
                        size_t why_bytes);

/* Maps what the judge allocated for an arm. Returns a cudaError_t, and says in `trouble` what failed. */
int launch_ranks_map(struct launch_ranks *r, uint32_t arm, const struct judge_reply *made,
                     char trouble[JUDGE_TROUBLE_BYTES]);
void launch_ranks_unmap(struct launch_ranks *r);
void launch_ranks_find(struct launch_ranks *r, const struct cpprof_task *task, const struct judge_layout *layout,
                       size_t slots, bool has_workspace);

/* Calls the solution once for all ranks. Their streams wait for `stream` before, and it for them behind. Returns what
 * the solution does, or a cudaError_t. */
int launch_ranks_call(struct launch_ranks *r, const struct cpprof_solution *solution, void *state,
                      const struct cpprof_config *config, size_t slot, struct CUstream_st *stream);

/* The same for its set_up: a call with the constant inputs alone. */
int launch_ranks_set_up(struct launch_ranks *r, const struct cpprof_solution *solution, void *state,
                        const struct cpprof_task *task, const struct cpprof_config *config, struct CUstream_st *stream);

/* Makes the other devices turn to this process, before what follows in the stream: each of them may have worked for
 * another one, such as the judge. Returns a cudaError_t. */
int launch_ranks_turn(const struct launch_ranks *r, struct CUstream_st *stream);

/* Waits for all work on all of the GPUs, also what no stream of a launch waits for. Returns a cudaError_t. */
int launch_ranks_synchronize(const struct launch_ranks *r);

#endif
