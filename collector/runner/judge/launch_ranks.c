/* How is a solution launched on the GPUs of a task, and where are the judge's buffers for each of them? */
#include "collector/runner/judge/launch_ranks.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

#include "collector/runner/judge/judge_client.h"

/* ---- the GPUs ---- */

int launch_ranks_refuse(const struct cpprof_task *task, const struct cpprof_config *config, char *why, size_t why_bytes)
{
    const int ranks = ranked_task_ranks(task, config);
    int count = 0, first = 0;
    if (ranks == 1)
        return 0;
    if (cudaGetDeviceCount(&count) || cudaGetDevice(&first) || count < ranks) {
        cudaGetLastError();
        snprintf(why, why_bytes, "needs %d GPUs, and there %s %d", ranks, count == 1 ? "is" : "are", count);
        return 1;
    }
    for (int from = 0; from < ranks; from++)
        for (int to = 0; to < ranks; to++) {
            const int device = ranked_task_device(first, from), other = ranked_task_device(first, to);
            int can = 0;
            if (from == to || (!cudaDeviceCanAccessPeer(&can, device, other) && can))
                continue;
            cudaGetLastError();
            snprintf(why, why_bytes, "device %d cannot reach the memory of device %d", device, other);
            return 1;
        }
    return 0;
}

/* ---- memory ---- */

/* Is that which was mapped what the judge allocated? */
static int check_token(const char *memory, uint64_t token, char trouble[JUDGE_TROUBLE_BYTES])
{
    uint64_t found = 0;
    const int status = cudaMemcpy(&found, memory + JUDGE_TOKEN_AT, sizeof found, cudaMemcpyDeviceToHost);
    if (status)
        snprintf(trouble, JUDGE_TROUBLE_BYTES, "cudaMemcpy of mapped memory: %.60s",
                 cudaGetErrorString((cudaError_t)status));
    else if (found != token)
        snprintf(trouble, JUDGE_TROUBLE_BYTES, "cudaIpcOpenMemHandle mapped other memory than the judge's");
    else
        return 0;
    return status ? status : (int)cudaErrorInvalidValue;
}

/* Where the current device sees the memory of a rank. */
static int map(char **out, const struct judge_reply *made, int rank, char trouble[JUDGE_TROUBLE_BYTES])
{
    cudaIpcMemHandle_t handle;
    memcpy(&handle, made->handles[rank], sizeof handle);
    const cudaError_t status = cudaIpcOpenMemHandle((void **)out, handle, cudaIpcMemLazyEnablePeerAccess);
    if (!status)
        return check_token(*out, made->token + (uint64_t)rank, trouble);
    cudaGetLastError();
    *out = NULL;
    snprintf(trouble, JUDGE_TROUBLE_BYTES, "cudaIpcOpenMemHandle: %.60s", cudaGetErrorString(status));
    return status;
}

static int map_all(struct launch_ranks *r, int viewer, const struct judge_reply *made,
                   char trouble[JUDGE_TROUBLE_BYTES])
{
    int status = rank_streams_use(&r->gpus, viewer);
    if (status)
        snprintf(trouble, JUDGE_TROUBLE_BYTES, "cudaSetDevice: %.60s", cudaGetErrorString((cudaError_t)status));
    for (int rank = 0; rank < r->gpus.count && !status; rank++)
        status = map(&r->views[viewer].memory[rank], made, rank, trouble);
    return status;
}

int launch_ranks_map(struct launch_ranks *r, uint32_t arm, const struct judge_reply *made,
                     char trouble[JUDGE_TROUBLE_BYTES])
{
    int status = 0;
    r->is_mapped = !judge_client_memory(arm, 0);
    for (int viewer = 0; viewer < r->gpus.count && !status; viewer++) {
        if (r->is_mapped)
            status = map_all(r, viewer, made, trouble);
        for (int rank = 0; rank < r->gpus.count && !r->is_mapped; rank++)
            r->views[viewer].memory[rank] = judge_client_memory(arm, rank);
    }
    rank_streams_use(&r->gpus, 0);
    return status;
}

void launch_ranks_unmap(struct launch_ranks *r)
{
    for (int viewer = 0; viewer < r->gpus.count && r->is_mapped; viewer++) {
        rank_streams_use(&r->gpus, viewer);
        for (int rank = 0; rank < r->gpus.count; rank++) {
            if (r->views[viewer].memory[rank])
                cudaIpcCloseMemHandle(r->views[viewer].memory[rank]);
            r->views[viewer].memory[rank] = NULL;
        }
    }
    rank_streams_use(&r->gpus, 0);
    r->is_mapped = false;
}

static void find(struct rank_view *v, const struct cpprof_task *task, const struct judge_layout *layout, size_t slots)
{
    for (size_t slot = 0; slot < slots; slot++) {
        for (size_t i = 0; i < task->input_count; i++)
            v->inputs[slot][i] = v->memory[layout->input_ranks[i]] + layout->inputs[slot][i];
        for (size_t i = 0; i < task->output_count; i++)
            v->outputs[slot][i] = v->memory[layout->output_ranks[i]] + layout->outputs[slot][i];
    }
}

void launch_ranks_find(struct launch_ranks *r, const struct cpprof_task *task, const struct judge_layout *layout,
                       size_t slots, bool has_workspace)
{
    for (int viewer = 0; viewer < r->gpus.count; viewer++) {
        struct rank_view *v = &r->views[viewer];
        find(v, task, layout, slots);
        for (int rank = 0; rank < r->gpus.count; rank++)
            v->workspaces[rank] = has_workspace ? v->memory[rank] + layout->workspace : NULL;
    }
}

/* ---- a launch ---- */

typedef int call_function(void *state, const struct cpprof_call *call);

static int call_with(struct launch_ranks *r, call_function *function, void *state, const struct cpprof_config *config,
                     const struct cpprof_rank *ranks, struct CUstream_st *stream)
{
    const struct cpprof_call call = {.struct_bytes = sizeof call,
                                     .config = config,
                                     .inputs = ranks[0].inputs,
                                     .outputs = ranks[0].outputs,
                                     .workspace = ranks[0].workspaces ? ranks[0].workspaces[0] : NULL,
                                     .stream = stream,
                                     .ranks = r->gpus.count,
                                     .rank = ranks};
    int status = rank_streams_fork(&r->gpus, stream);
    if (!status)
        status = function(state, &call);
    const int joined = rank_streams_join(&r->gpus, stream);
    return status ? status : joined;
}

int launch_ranks_call(struct launch_ranks *r, const struct cpprof_solution *solution, void *state,
                      const struct cpprof_config *config, size_t slot, struct CUstream_st *stream)
{
    struct cpprof_rank ranks[JUDGE_RANKS_MAX];
    for (int rank = 0; rank < r->gpus.count; rank++) {
        const struct rank_view *v = &r->views[rank];
        ranks[rank] = (struct cpprof_rank){r->gpus.devices[rank], rank ? r->gpus.streams[rank] : stream,
                                           v->inputs[slot], v->outputs[slot], v->workspaces};
    }
    return call_with(r, solution->launch, state, config, ranks, stream);
}

int launch_ranks_set_up(struct launch_ranks *r, const struct cpprof_solution *solution, void *state,
                        const struct cpprof_task *task, const struct cpprof_config *config, struct CUstream_st *stream)
{
    const void *inputs[JUDGE_RANKS_MAX][CPPROF_ARRAYS_MAX] = {{NULL}};
    void *nothing[CPPROF_ARRAYS_MAX] = {NULL};
    struct cpprof_rank ranks[JUDGE_RANKS_MAX];
    for (int rank = 0; rank < r->gpus.count; rank++) {
        for (size_t i = 0; i < task->input_count; i++)
            inputs[rank][i] = ranked_task_is_constant(task, i) ? r->views[rank].inputs[0][i] : NULL;
        ranks[rank] = (struct cpprof_rank){r->gpus.devices[rank], rank ? r->gpus.streams[rank] : stream, inputs[rank],
                                           nothing, nothing};
    }
    return call_with(r, solution->set_up, state, config, ranks, stream);
}

/* A fill of a word, as rank 0 has one of its own. */
int launch_ranks_turn(const struct launch_ranks *r, struct CUstream_st *stream)
{
    int status = rank_streams_fork(&r->gpus, stream);
    for (int rank = 1; rank < r->gpus.count && !status; rank++) {
        status = rank_streams_use(&r->gpus, rank);
        if (!status)
            status = cudaMemsetAsync(r->views[rank].memory[rank] + JUDGE_SCRATCH_AT, 0, sizeof(uint32_t),
                                     r->gpus.streams[rank]);
    }
    const int joined = rank_streams_join(&r->gpus, stream);
    return status ? status : joined;
}

/* Rank 0 comes last: its GPU stays current. */
int launch_ranks_synchronize(const struct launch_ranks *r)
{
    int first = 0;
    for (int rank = r->gpus.count - 1; rank >= 0; rank--) {
        int status = rank_streams_use(&r->gpus, rank);
        if (!status)
            status = cudaDeviceSynchronize();
        if (!first)
            first = status;
    }
    return first;
}
