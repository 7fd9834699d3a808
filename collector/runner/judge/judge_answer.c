/* What does the judge do when it is asked? */
#define _GNU_SOURCE
#include "collector/runner/judge/judge_answer.h"

#include <cuda_runtime.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "collector/runner/judge/judged_slot.h"
#include "collector/runner/judge/rank_streams.h"
#include "collector/runner/judge/vault.h"
#include "core/base/clock.h"

enum { POISON_REST_US = 1000, FLUSH_TIMES = 2 };
/* Where inputs come from the host, as few slots as a verification needs are launched in turn. */
enum { IN_TURN_LEAST = 2 };
/* So many launched slots are judged at most, and so many kept outputs are compared on the host, too. */
enum { LOOKS_MOST = 4 };
/* Apart from all other draws of a seed. */
#define CONSTANT_DRAWS UINT64_C(0xc0457a47)
/* Kept outputs take at most this much memory, and their references at most this long. A few are always judged. */
enum { KEPT_LEAST = 4 };
#define KEPT_BYTES    ((size_t)256 << 20)
#define REFERENCES_NS 1000000000

_Static_assert(sizeof(cudaIpcMemHandle_t) == JUDGE_HANDLE_BYTES, "a handle of CUDA is of another size");

struct judge_arm {
    uint32_t id;
    const struct cpprof_task *task; /* with the arrays of all ranks */
    struct cpprof_config config;    /* seed 0 */
    uint64_t seed;                  /* with the salt */
    enum cpprof_draw_kind kind;
    struct judge_layout layout;
    struct rank_streams gpus;            /* empty beside a solution: all is done in its stream then */
    char *memory[JUDGE_RANKS_MAX];       /* of rank 0 on the judge's device; all devices reach it */
    size_t slot_count, in_turn, poisons; /* a series has a launch on each slot */
    uint64_t draws, timed_draws;         /* so many sets of inputs were there */
    struct task_problem *constants;      /* has the constant inputs; NULL: there are none */
    uint64_t constant_draws;
    bool is_rotated;
    bool is_made;      /* its buffers hold inputs */
    bool is_poisoned;  /* since outputs were last looked at */
    bool is_disturbed; /* outputs were written to between that and the launch */
    bool is_witnessed; /* the comparison on the device agreed with the one on the host */
    /* Twice the L2 cache on the GPU of each rank, with a struct compare_found behind it; NULL: there was no room. */
    char *flushing[JUDGE_RANKS_MAX];
    size_t flush_bytes;
    struct vault vault;
    struct judged_slot slots[JUDGE_SLOTS_MAX];
    struct task_problem *problems[JUDGE_SLOTS_MAX]; /* whose inputs a slot has */
    struct guarded workspaces[JUDGE_RANKS_MAX];
    uint64_t drawn; /* slots whose inputs are drawn for the next series, 1 << number */
    uint64_t fresh; /* slots that got inputs since outputs were last kept, 1 << number */
    struct {
        struct task_problem *problem;
        char *outputs[CPPROF_ARRAYS_MAX]; /* in the vault, or on the host */
    } kept[JUDGE_KEPT_MAX];
    size_t kept_count, kept_most, series_seen; /* of so many series the outputs are kept, at most, and were seen */
    struct cpprof_verification series_result;  /* what is wrong with them beside their values */
    struct judge_arm *next;
};

/* ---- what failed ---- */

static int told(struct judge_reply *reply, int status, const char *call, const char *what)
{
    if (status && !reply->status) {
        reply->status = status;
        snprintf(reply->trouble, sizeof reply->trouble, "%.40s: %.100s, to %.80s", call,
                 cudaGetErrorString((cudaError_t)status), what);
        cudaGetLastError();
    }
    return status;
}

/* ---- numbers that nobody knows ---- */

static uint64_t unknown_number(void)
{
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        number = cpprof_bits((uint64_t)time(NULL), (uint64_t)getpid());
    return number;
}

void judge_init(struct judge *j, const struct cpprof_task *task, bool is_apart)
{
    const char *again = getenv("CPPROF_SALT");
    *j = (struct judge){.task = task, .is_apart = is_apart, .device = -1, .next_arm = 1};
    j->salt = again && *again ? strtoull(again, NULL, 16) : unknown_number();
}

/* Timed launches of two solutions have nothing in common: one could keep what the other one computed. */
static struct cpprof_draw next_draw(struct judge_arm *a, bool is_timed)
{
    const uint64_t series = is_timed ? cpprof_bits(a->seed, ~(uint64_t)a->id) : a->seed;
    return (struct cpprof_draw){cpprof_bits(series, is_timed ? ++a->timed_draws : ++a->draws), a->kind};
}

/* ---- the device ---- */

static int open_device(struct judge *j, int device, struct judge_reply *reply)
{
    int status = 0;
    if (j->device == device)
        return 0;
    if (j->is_apart) /* beside a solution device and stream are the runner's */
        status = told(reply, cudaSetDevice(device), "cudaSetDevice",
                      "use the device in a second process (CPPROF_JUDGE=inside needs none)");
    if (j->is_apart && !status)
        status = told(reply, cudaStreamCreateWithFlags(&j->stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags",
                      "create a stream in the process of the judge");
    if (!status)
        j->device = device;
    return status;
}

void judge_warm_up(struct judge *j, int device)
{
    struct judge_reply unused = {0};
    int mode = cudaComputeModeDefault;
    if (!cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, device) && mode == cudaComputeModeDefault)
        open_device(j, device, &unused);
    cudaGetLastError();
}

/* ---- the buffers of a shape ---- */

static struct judge_arm *find(const struct judge *j, uint32_t id)
{
    struct judge_arm *a = j->arms;
    while (a && a->id != id)
        a = a->next;
    return a;
}

char *judge_memory(const struct judge *j, uint32_t arm, int rank)
{
    const struct judge_arm *a = find(j, arm);
    return a ? a->memory[rank] : NULL;
}

static void close_flush(struct judge_arm *a)
{
    for (int rank = 0; rank < JUDGE_RANKS_MAX; rank++) {
        if (a->flushing[rank])
            cudaFree(a->flushing[rank]);
        a->flushing[rank] = NULL;
    }
}

static void close_arm(struct judge_arm *a)
{
    for (int rank = 0; rank < JUDGE_RANKS_MAX; rank++)
        if (a->memory[rank])
            cudaFree(a->memory[rank]);
    for (size_t i = 0; i < JUDGE_SLOTS_MAX; i++)
        task_problem_release(a->problems[i]);
    task_problem_release(a->constants);
    for (size_t i = 0; i < JUDGE_KEPT_MAX; i++) {
        task_problem_release(a->kept[i].problem);
        for (size_t k = 0; k < CPPROF_ARRAYS_MAX && !a->vault.memory; k++)
            free(a->kept[i].outputs[k]);
    }
    vault_close(&a->vault);
    close_flush(a);
    rank_streams_close(&a->gpus);
    free(a);
}

static void end_arm(struct judge *j, struct judge_arm *a)
{
    struct judge_arm **at = &j->arms;
    while (*at != a)
        at = &(*at)->next;
    *at = a->next;
    close_arm(a);
}

void judge_release(struct judge *j)
{
    while (j->arms)
        end_arm(j, j->arms);
    *j = (struct judge){.device = -1};
}

static int no_host_memory(struct judge_reply *reply)
{
    return told(reply, cudaErrorMemoryAllocation, "malloc", "hold inputs and references in host memory");
}

/* They are in the slot's memory when it takes them. */
static int draw(struct judge *j, struct judge_arm *a, size_t slot, bool is_timed, struct judge_reply *reply)
{
    const struct cpprof_draw wanted = next_draw(a, is_timed);
    struct task_problem *problem = NULL;
    struct err e = {0};
    int rc = task_problem_get_with(&problem, a->task, &a->config, &wanted, a->constants, &e);
    if (!rc && (a->task->fill || !a->vault.memory))
        rc = task_problem_fill(problem, &e);
    if (rc) {
        task_problem_release(problem);
        return no_host_memory(reply);
    }
    task_problem_release(a->problems[slot]);
    a->problems[slot] = problem;
    a->slots[slot].problem = problem; /* the one that it had may be gone */
    return a->vault.memory
               ? told(reply, vault_draw(&a->vault, slot, problem, false, j->stream), "draw_values", "draw inputs")
               : 0;
}

/* ---- work on the GPU of each rank ---- */

typedef int rank_work(struct judge_arm *a, uint64_t what, int rank, struct CUstream_st *stream);

/* Behind all that is in the judge's stream, which then waits for it. So no GPU is at work where the next step begins,
 * or where the gate opens. */
static int on_each_gpu(struct judge *j, struct judge_arm *a, rank_work *work, uint64_t what)
{
    int status = rank_streams_fork(&a->gpus, j->stream);
    for (int rank = a->layout.ranks - 1; rank >= 0 && !status; rank--) {
        status = rank_streams_use(&a->gpus, rank);
        if (!status)
            status = work(a, what, rank, a->gpus.streams[rank] ? a->gpus.streams[rank] : j->stream);
    }
    const int joined = rank_streams_join(&a->gpus, j->stream);
    return status ? status : joined;
}

/* The vault is on the GPU of rank 0: the others read it over links, each for itself. */
static int take_here(struct judge_arm *a, uint64_t slots, int rank, struct CUstream_st *stream)
{
    int status = 0;
    for (size_t i = 0; i < a->slot_count && !status; i++)
        if (slots >> i & 1)
            status = judged_slot_take(&a->slots[i], a->problems[i], vault_get(&a->vault, i), rank, stream);
    return status;
}

static int take_constants_here(struct judge_arm *a, uint64_t unused, int rank, struct CUstream_st *stream)
{
    (void)unused;
    return judged_slot_take_constants(&a->slots[0], a->constants, vault_get(&a->vault, 0), rank, stream);
}

static int poison_here(struct judge_arm *a, uint64_t slots, int rank, struct CUstream_st *stream)
{
    int status = 0;
    for (size_t i = 0; i < a->slot_count && !status; i++)
        status = slots >> i & 1 ? judged_slot_poison(&a->slots[i], rank, stream) : 0;
    return status;
}

/* A launch that is hot finds its inputs as the launch before has left them. */
static int spread_here(struct judge_arm *a, uint64_t slots, int rank, struct CUstream_st *stream)
{
    int status = 0;
    for (size_t i = 0; i < a->slot_count && a->vault.memory && !a->is_rotated && !status; i++)
        status = slots >> i & 1 ? judged_slot_spread(&a->slots[i], rank, stream) : 0;
    return status;
}

static int flush_here(struct judge_arm *a, uint64_t how, int rank, struct CUstream_st *stream)
{
    char *buffer = a->flushing[rank];
    struct compare_found unused;
    if (!buffer)
        return cudaErrorInvalidValue;
    return how == JUDGE_FLUSH_BY_WRITING
               ? (int)cudaMemsetAsync(buffer, 0, a->flush_bytes, stream)
               : compare_memory(buffer, NULL, 0, a->flush_bytes, buffer + a->flush_bytes, &unused, stream);
}

static int take_slots(struct judge *j, struct judge_arm *a, uint64_t slots, struct judge_reply *reply)
{
    return told(reply, on_each_gpu(j, a, take_here, slots), "cudaMemcpyAsync", "copy inputs to slots");
}

/* ---- inputs ---- */

static int draw_slots(struct judge *j, struct judge_arm *a, uint64_t slots, bool are_timed, struct judge_reply *reply)
{
    int status = 0;
    for (size_t i = 0; i < a->slot_count && !status; i++)
        status = slots >> i & 1 ? draw(j, a, i, are_timed, reply) : 0;
    return status;
}

/* The same for all launches, until inputs of another kind are asked for. */
static int draw_constants(struct judge *j, struct judge_arm *a, struct judge_reply *reply)
{
    const struct cpprof_draw wanted = {cpprof_bits(cpprof_bits(a->seed, CONSTANT_DRAWS), ++a->constant_draws), a->kind};
    struct task_problem *constants = NULL;
    struct err e = {0};
    if (!a->task->constant_inputs)
        return 0;
    int rc = task_problem_get(&constants, a->task, &a->config, &wanted, &e);
    if (!rc && (a->task->fill || !a->vault.memory))
        rc = task_problem_fill_constant(constants, &e);
    task_problem_release(a->constants);
    a->constants = constants;
    if (rc)
        return no_host_memory(reply);
    const int status = a->vault.memory ? vault_draw(&a->vault, 0, constants, true, j->stream) : 0;
    return told(reply, status ? status : on_each_gpu(j, a, take_constants_here, 0), "cudaMemcpyAsync",
                "fill constant inputs");
}

/* All are drawn before the first slot has any. */
static int fill_slots(struct judge *j, struct judge_arm *a, uint64_t slots, struct judge_reply *reply)
{
    const int status = draw_slots(j, a, slots, false, reply);
    a->drawn = 0;
    return status ? status : take_slots(j, a, slots, reply);
}

static uint64_t first_slots(size_t count)
{
    return ((uint64_t)1 << count) - 1; /* JUDGE_SLOTS_MAX is less than 64 */
}

/* The vault has the references of one problem at a time. */
static int expect(struct judge *j, struct judge_arm *a, struct task_problem *problem, struct judge_reply *reply)
{
    struct err e = {0};
    if (task_problem_expect(problem, &e))
        return no_host_memory(reply);
    return a->vault.memory ? told(reply, vault_expect(&a->vault, problem, j->stream), "cudaMemcpyAsync",
                                  "copy references to the device")
                           : 0;
}

static int place_all(struct judge *j, struct judge_arm *a, uint64_t workspace_bytes)
{
    int status = 0;
    for (size_t i = 0; i < a->slot_count && !status; i++)
        status = judged_slot_place(&a->slots[i], a->task, &a->layout, a->memory, i, j->stream);
    for (int rank = 0; rank < a->layout.ranks && workspace_bytes && !status; rank++)
        status = guarded_place(&a->workspaces[rank], a->memory[rank] + a->layout.workspace, workspace_bytes, false,
                               j->stream);
    return status;
}

/* On the GPU of the rank; that of rank 0 is current before and after. */
static int allocate_there(struct judge *j, struct judge_arm *a, int rank, struct judge_reply *reply)
{
    cudaIpcMemHandle_t handle;
    int status =
        rank ? told(reply, cudaSetDevice(ranked_task_device(j->device, rank)), "cudaSetDevice", "use another device")
             : 0;
    if (!status)
        status =
            told(reply, cudaMalloc((void **)&a->memory[rank], a->layout.bytes), "cudaMalloc", "allocate the buffers");
    if (!status && j->is_apart)
        status = told(reply, cudaIpcGetMemHandle(&handle, a->memory[rank]), "cudaIpcGetMemHandle",
                      "share the buffers with the runner");
    if (!status && j->is_apart)
        memcpy(reply->handles[rank], &handle, sizeof handle);
    return rank && cudaSetDevice(j->device) ? (int)cudaErrorInvalidDevice : status;
}

/* The token at its begin tells the runner whether it mapped this memory and no other. */
static int allocate(struct judge *j, struct judge_arm *a, struct judge_reply *reply)
{
    int status = 0;
    reply->bytes = a->layout.bytes;
    reply->token = unknown_number() >> 1;
    for (int rank = 0; rank < a->layout.ranks && !status; rank++) {
        const uint64_t token = reply->token + (uint64_t)rank;
        status = allocate_there(j, a, rank, reply);
        if (!status)
            status = told(reply, cudaMemsetAsync(a->memory[rank], 0, JUDGE_SCRATCH_AT, j->stream), "cudaMemsetAsync",
                          "close the gate");
        if (!status)
            status = told(reply,
                          cudaMemcpyAsync(a->memory[rank] + JUDGE_TOKEN_AT, &token, sizeof token,
                                          cudaMemcpyHostToDevice, j->stream),
                          "cudaMemcpyAsync", "write to the buffers");
    }
    return status;
}

static int count_slots(struct judge_arm *a, int device, struct judge_reply *reply)
{
    int l2_bytes = 0;
    const int status = told(reply, cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device),
                            "cudaDeviceGetAttribute", "ask for the size of the L2 cache");
    if (!status) {
        a->flush_bytes = FLUSH_TIMES * (size_t)l2_bytes;
        a->slot_count = judge_layout_series(a->task, &a->config, l2_bytes, &a->is_rotated);
    }
    return status;
}

static size_t own_bytes(const struct judge *j)
{
    size_t bytes = 0;
    for (const struct judge_arm *a = j->arms; a; a = a->next)
        bytes += (a->memory[0] ? a->layout.bytes : 0) + (a->vault.memory ? a->vault.bytes : 0);
    return bytes;
}

/* Where all that the judge needs is more than half of the device, honest arms may not leave it room. Below that whoever
 * took the rest would choose how much is looked at. */
static int check_room(const struct judge *j, const struct judge_arm *a, struct judge_reply *reply)
{
    const size_t needed = own_bytes(j) + a->vault.bytes + a->layout.bytes;
    size_t left = 0, all = 0;
    const int status = told(reply, cudaMemGetInfo(&left, &all), "cudaMemGetInfo", "ask for the memory of the device");
    if (status || needed > all / 2)
        return status;
    return told(reply, cudaErrorMemoryAllocation, "cudaMalloc",
                "hold references on the device: something else took its memory");
}

/* Without it the runner flushes. */
static void open_flush(struct judge_arm *a)
{
    int status = 0;
    for (int rank = a->layout.ranks - 1; rank >= 0 && a->vault.memory && !status; rank--) {
        status = rank_streams_use(&a->gpus, rank);
        if (!status)
            status = cudaMalloc((void **)&a->flushing[rank], a->flush_bytes + sizeof(struct compare_found));
    }
    if (status) {
        cudaGetLastError();
        close_flush(a);
    }
    rank_streams_use(&a->gpus, 0);
}

/* The buffers matter more: they must fit beside it. */
static int open_vault(struct judge *j, struct judge_arm *a, struct judge_reply *reply)
{
    char *buffers = NULL;
    vault_open(&a->vault, a->task, &a->layout, a->slot_count, a->kept_most);
    open_flush(a);
    if (a->vault.memory && cudaMalloc((void **)&buffers, a->layout.bytes))
        close_flush(a); /* the runner can do that */
    if (a->vault.memory && (buffers || !cudaMalloc((void **)&buffers, a->layout.bytes))) {
        cudaGetLastError();
        cudaFree(buffers);
        return 0;
    }
    cudaGetLastError();
    vault_close(&a->vault);
    return check_room(j, a, reply);
}

static size_t kept_most(const struct judge_arm *a)
{
    size_t bytes = 1;
    for (size_t i = 0; i < a->task->output_count; i++)
        bytes += a->layout.output_bytes[i];
    const size_t fitting = KEPT_BYTES / bytes;
    return fitting < KEPT_LEAST ? KEPT_LEAST : fitting < JUDGE_KEPT_MAX ? fitting : JUDGE_KEPT_MAX;
}

/* Beside a solution the kernels that compare would be among its own. */
static int reserve(struct judge *j, struct judge_arm *a, int device, struct judge_reply *reply)
{
    const int status = count_slots(a, device, reply);
    judge_layout_make(&a->layout, a->task, &a->config, a->slot_count, 0);
    a->kept_most = kept_most(a);
    return status || !j->is_apart ? status : open_vault(j, a, reply);
}

/* Without slots it is shared memory alone. */
static int try_out(struct judge *j, struct judge_arm *a, struct judge_reply *reply)
{
    judge_layout_make(&a->layout, a->task, &a->config, 0, 0);
    return allocate(j, a, reply);
}

static void begin_arm(struct judge *j, const struct judge_request *request, struct judge_reply *reply)
{
    struct judge_arm *a = calloc(1, sizeof *a);
    if (!a) {
        told(reply, cudaErrorMemoryAllocation, "calloc", "make an arm");
        return;
    }
    a->id = reply->arm = j->next_arm++;
    a->config = request->config;
    a->config.seed = 0;
    a->seed = cpprof_bits(j->salt, request->seed);
    struct err e = {0};
    int status = ranked_task_get(&a->task, j->task, &a->config, &e)
                     ? told(reply, cudaErrorInvalidValue, e.text, "judge it")
                     : open_device(j, request->device, reply);
    if (!status && j->is_apart) /* beside a solution its own streams are on all devices, which reach each other */
        status = told(reply, rank_streams_open(&a->gpus, ranked_task_ranks(a->task, &a->config)), "rank_streams_open",
                      "use all devices");
    if (!status)
        status = request->wish == JUDGE_TRY ? try_out(j, a, reply) : reserve(j, a, request->device, reply);
    if (status) {
        close_arm(a);
        return;
    }
    a->next = j->arms;
    j->arms = a;
}

/* Where outputs that were launched for a verdict wait until they are judged. */
static int place_kept(struct judge_arm *a, struct judge_reply *reply)
{
    for (size_t n = 0; n < a->kept_most; n++)
        for (size_t i = 0; i < a->task->output_count; i++) {
            a->kept[n].outputs[i] = a->vault.memory ? a->vault.kept[n][i] : malloc(a->layout.output_bytes[i] + 1);
            if (!a->kept[n].outputs[i])
                return no_host_memory(reply);
        }
    return 0;
}

static void describe(const struct judge_arm *a, struct judge_reply *reply)
{
    reply->slots = (uint32_t)a->slot_count;
    reply->in_turn = (uint32_t)a->in_turn;
    reply->is_rotated = a->is_rotated;
    reply->can_gate = a->vault.memory != NULL;
    reply->can_flush = a->flushing[0] != NULL;
}

/* The solution's `prepare` was called meanwhile. Where it left no memory for the buffers, the room for what they are
 * compared with is not given up: that is an error. */
static void make(struct judge *j, struct judge_arm *a, const struct judge_request *request, struct judge_reply *reply)
{
    judge_layout_make(&a->layout, a->task, &a->config, a->slot_count, request->workspace_bytes);
    a->in_turn = a->task->fill || !a->vault.memory ? IN_TURN_LEAST : a->slot_count;
    describe(a, reply);
    int status = allocate(j, a, reply);
    if (!status)
        status =
            told(reply, place_all(j, a, request->workspace_bytes), "cudaMemsetAsync", "write bands around buffers");
    if (!status)
        status = place_kept(a, reply);
    if (!status)
        status = draw_constants(j, a, reply);
    if (!status)
        status = fill_slots(j, a, first_slots(a->slot_count), reply);
    a->is_made = !status;
}

/* ---- before a launch ---- */

static int hash_outputs(struct judge *j, const struct judge_arm *a, uint64_t *hash)
{
    int status = 0;
    *hash = 0;
    for (size_t i = 0; i < a->in_turn && !status; i++) {
        uint64_t one;
        status = judged_slot_hash(&a->slots[i], &one, j->stream);
        *hash = cpprof_bits(*hash, i) + one;
    }
    return status;
}

/* Nothing is launched yet, so that outputs stay what they are. A thread or a process of the solution that waits for new
 * inputs, so that the launch finds its work done, has begun by then. */
static void watch_outputs(struct judge *j, struct judge_arm *a, bool are_left, struct judge_reply *reply)
{
    bool is_poisoned = true;
    uint64_t before = 0, after = 0;
    int status = cudaStreamSynchronize(j->stream);
    if (!status && are_left)
        status = hash_outputs(j, a, &before);
    usleep(POISON_REST_US);
    for (size_t i = 0; i < a->in_turn && !are_left && !status; i++)
        status = judged_slot_check_poison(&a->slots[i], unknown_number(), &is_poisoned, j->stream);
    if (!status && are_left)
        status = hash_outputs(j, a, &after);
    a->is_disturbed = !is_poisoned || before != after;
    told(reply, status, "cudaMemcpyAsync", "fetch poisoned outputs");
}

static int poison_slots(struct judge *j, struct judge_arm *a, uint64_t slots, struct judge_reply *reply)
{
    return told(reply, on_each_gpu(j, a, poison_here, slots), "cudaMemsetAsync", "poison outputs");
}

static int poison_workspaces(struct judge *j, const struct judge_arm *a, struct judge_reply *reply)
{
    int status = 0;
    for (int rank = 0; rank < a->layout.ranks && a->workspaces[rank].bytes && !status; rank++)
        status =
            cudaMemsetAsync(a->workspaces[rank].data, guarded_poison(CPPROF_F32), a->workspaces[rank].bytes, j->stream);
    return told(reply, status, "cudaMemsetAsync", "poison the workspace");
}

/* Outputs of earlier inputs are as wrong as poison, and half of the times they stay: whoever works only where there is
 * poison, or nothing yet, leaves them. What an earlier launch left in the workspace is overwritten. */
static void poison(struct judge *j, struct judge_arm *a, struct judge_reply *reply)
{
    const uint64_t slots = first_slots(a->in_turn);
    const bool are_left = a->poisons++ && a->vault.memory && unknown_number() % 2;
    int status = fill_slots(j, a, slots, reply);
    if (!status && !are_left)
        status = poison_slots(j, a, slots, reply);
    if (!status)
        status = poison_workspaces(j, a, reply);
    a->is_poisoned = !status;
    if (!status)
        watch_outputs(j, a, are_left, reply);
}

static void draw_ahead(struct judge *j, struct judge_arm *a, uint64_t slots, struct judge_reply *reply)
{
    int status = slots & ~first_slots(a->slot_count) ? (int)cudaErrorInvalidValue : 0;
    if (!told(reply, status, "judge", "draw inputs for slots that were made"))
        status = draw_slots(j, a, slots, true, reply);
    a->drawn = status ? 0 : slots;
}

/* Each GPU its own L2 cache, when its data is there and none reads the vault any more. */
static int end_in_state(struct judge *j, struct judge_arm *a, const struct judge_request *request,
                        struct judge_reply *reply)
{
    return request->flush
               ? told(reply, on_each_gpu(j, a, flush_here, request->flush), "cudaMemsetAsync", "flush the L2 cache")
               : told(reply, on_each_gpu(j, a, spread_here, request->launched), "spread_values",
                      "read inputs into the L2 cache");
}

static int open_gate(struct judge *j, struct judge_arm *a, const uint32_t *gate, struct judge_reply *reply)
{
    return told(reply,
                cudaMemcpyAsync(a->memory[0] + JUDGE_GATE_AT, gate, sizeof *gate, cudaMemcpyHostToDevice, j->stream),
                "cudaMemcpyAsync", "open the gate");
}

/* The runner's stream waits, with its launches behind it, until the gate opens. Inputs come last, but for the flush.
 * All of it is work of this process: while the device does that, it does little for a solution that looks at its
 * inputs. */
static void freshen(struct judge *j, struct judge_arm *a, const struct judge_request *request,
                    struct judge_reply *reply)
{
    const bool are_left = a->series_seen && a->vault.memory && unknown_number() % 2;
    if (!request->launched || request->launched != a->drawn || (request->gate && !a->vault.memory)) {
        told(reply, cudaErrorInvalidValue, "judge", "fill slots whose inputs are drawn");
        return;
    }
    int status = are_left ? 0 : poison_slots(j, a, request->launched, reply);
    if (!status)
        status = take_slots(j, a, request->launched, reply);
    if (!status)
        status = end_in_state(j, a, request, reply);
    if (!status && request->gate)
        status = open_gate(j, a, &request->gate, reply);
    a->fresh = status ? 0 : request->launched;
    a->drawn = 0;
    a->is_poisoned = false;
}

/* ---- after it ---- */

static int check_workspace(struct judge *j, const struct judge_arm *a, struct cpprof_verification *result)
{
    int status = 0;
    for (int rank = 0; rank < a->layout.ranks && a->workspaces[rank].bytes && !status; rank++) {
        bool is_whole = true;
        int64_t at = 0;
        status = guarded_check(&a->workspaces[rank], &is_whole, &at, j->stream);
        if (!status && !is_whole)
            judged_fault(result, "the launch wrote outside of its workspace, at byte %lld", (long long)at);
    }
    return status;
}

static size_t any_of(uint64_t slots)
{
    uint64_t nth = unknown_number() % (uint64_t)__builtin_popcountll(slots);
    size_t slot = 0;
    for (; !(slots >> slot & 1) || nth--; slot++)
        ;
    return slot;
}

/* There is room for some series. Each has the same chance to be kept. */
static size_t place_to_keep(struct judge_arm *a)
{
    const size_t seen = ++a->series_seen;
    return a->kept_count < a->kept_most ? a->kept_count++ : (size_t)(unknown_number() % seen);
}

/* The launches are over, and nobody knew which of their outputs would be asked for. */
static void keep(struct judge *j, struct judge_arm *a, uint64_t launched, struct judge_reply *reply)
{
    if (!launched || launched & ~a->fresh) {
        judged_fault(&a->series_result, "launches were timed whose inputs were not new");
        a->fresh = 0;
        return;
    }
    const size_t slot = any_of(launched), place = place_to_keep(a);
    a->fresh = 0;
    if (place >= a->kept_most)
        return;
    task_problem_release(a->kept[place].problem);
    a->kept[place].problem = task_problem_use(a->problems[slot]);
    int status = judged_slot_check_inputs(&a->slots[slot], &a->series_result, j->stream);
    for (size_t i = 0; i < a->task->output_count && !status; i++)
        status = cudaMemcpyAsync(a->kept[place].outputs[i], a->slots[slot].outputs[i].data, a->layout.output_bytes[i],
                                 cudaMemcpyDefault, j->stream);
    told(reply, status, "cudaMemcpyAsync", "keep outputs");
}

/* Then nobody knows what is right, and the process that asked ends with an error. */
static int tell_disagreement(const struct judged_look *look, struct judge_reply *reply)
{
    return told(reply, *look->disagreement ? (int)cudaErrorUnknown : 0, "the judge's two comparisons",
                look->disagreement);
}

/* Beside a solution no process is made: it could have a part in that. */
static int expect_kept(struct judge *j, const struct judge_arm *a, struct judge_reply *reply)
{
    struct task_problem *problems[JUDGE_KEPT_MAX];
    const int64_t until_ns = clock_now_ns() + REFERENCES_NS;
    struct err e = {0};
    int rc = 0;
    for (size_t i = 0; i < a->kept_count; i++)
        problems[i] = a->kept[i].problem;
    if (j->is_apart)
        rc = task_problem_expect_all(problems, a->kept_count, KEPT_LEAST, REFERENCES_NS, &e);
    for (size_t i = 0; !j->is_apart && i < a->kept_count && !rc && clock_now_ns() < until_ns; i++)
        rc = task_problem_expect(problems[i], &e);
    return rc ? no_host_memory(reply) : 0;
}

/* Only a part of what was timed: it was chosen when all was over. */
static int judge_kept(struct judge *j, struct judge_arm *a, struct judged_look *look, struct judge_reply *reply)
{
    int status = expect_kept(j, a, reply);
    for (size_t i = 0; i < a->kept_count && !status; i++) {
        struct judged_slot s = a->slots[0];
        uint64_t unused;
        if (i >= KEPT_LEAST && !a->kept[i].problem->is_expected)
            continue;
        s.problem = a->kept[i].problem;
        look->compare_on_host &= i < LOOKS_MOST;
        status = expect(j, a, a->kept[i].problem, reply);
        if (!status)
            status = judged_slot_compare(&s, look, a->kept[i].outputs, &reply->result, &unused);
        reply->kept++;
    }
    for (size_t i = 0; i < a->slot_count && !status; i++)
        status = judged_slot_check_bands(&a->slots[i], &reply->result, j->stream);
    if (a->series_result.bad_ratio != 0)
        judged_fault(&reply->result, "%s", a->series_result.hint);
    a->kept_count = a->series_seen = 0;
    a->series_result = (struct cpprof_verification){0};
    return status;
}

static uint64_t some_of(uint64_t launched)
{
    uint64_t chosen = 0;
    for (int looks = 0; launched && looks < LOOKS_MOST; looks++) {
        chosen |= (uint64_t)1 << any_of(launched);
        launched &= ~chosen;
    }
    return chosen;
}

/* The first reference shows how long one takes. */
static int expect_slots(struct judge *j, const struct judge_arm *a, uint64_t slots, struct judge_reply *reply)
{
    struct task_problem *problems[JUDGE_SLOTS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < a->slot_count; i++)
        if (slots >> i & 1)
            problems[count++] = a->problems[i];
    struct err e = {0};
    int rc = count ? task_problem_expect(problems[0], &e) : 0;
    if (!rc && count > 1 && j->is_apart)
        rc = task_problem_expect_all(problems + 1, count - 1, count - 1, REFERENCES_NS, &e);
    return rc ? no_host_memory(reply) : 0;
}

/* Some of the slots, if there are many. Outputs that this process did not poison may be those of an earlier launch. */
static int judge_launched(struct judge *j, struct judge_arm *a, uint64_t launched, struct judged_look *look,
                          struct judge_reply *reply)
{
    uint64_t unused, chosen = some_of(launched);
    int status = expect_slots(j, a, chosen, reply);
    for (size_t i = 0; i < a->slot_count && !status; i++) {
        if (!(chosen >> i & 1))
            continue;
        status = expect(j, a, a->problems[i], reply);
        if (!status)
            status = judged_slot_judge(&a->slots[i], look, NULL, &reply->result, &unused);
    }
    if (!a->is_poisoned)
        judged_fault(&reply->result, "outputs were not poisoned since they were last looked at");
    else if (a->is_disturbed)
        judged_fault(&reply->result, "outputs were written to before the launch: work of another stream, thread or "
                                     "process does not belong to it");
    return status;
}

/* An empty shape has no values: that nothing was written beside them is what counts. */
static void look(struct judge *j, struct judge_arm *a, uint64_t launched, struct judge_reply *reply)
{
    struct judged_look look = {.stream = j->stream, .compare_on_host = !a->is_witnessed};
    int status = launched & ~first_slots(a->slot_count) ? cudaErrorInvalidValue : 0;
    if (told(reply, status, "judge", "look at slots that were made"))
        return;
    status = a->series_seen || a->series_result.bad_ratio != 0 ? judge_kept(j, a, &look, reply)
                                                               : judge_launched(j, a, launched, &look, reply);
    if (!status)
        status = check_workspace(j, a, &reply->result);
    if (launched && !reply->result.values)
        reply->result.values = 1;
    a->is_poisoned = false;
    a->is_witnessed |= launched && !status && !*look.disagreement;
    if (!told(reply, status, "cudaMemcpyAsync", "fetch outputs"))
        tell_disagreement(&look, reply);
}

static void find_copies(const struct judge_arm *a, char **copies)
{
    for (size_t i = 0; i < a->task->output_count; i++)
        copies[i] = a->memory[a->layout.output_ranks[i]] + a->layout.copies[i];
}

/* The stream itself copied the outputs: work which it does not wait for came too late. */
static void judge_order(struct judge *j, struct judge_arm *a, struct judge_reply *reply)
{
    struct judged_look look = {.stream = j->stream};
    struct cpprof_verification later = {0};
    char *copies[CPPROF_ARRAYS_MAX];
    uint64_t unused;
    find_copies(a, copies);
    int status = expect(j, a, a->problems[1], reply);
    if (!status)
        status = judged_slot_judge(&a->slots[1], &look, copies, &reply->result, &reply->hash);
    if (!status && reply->result.bad_ratio != 0) {
        status = judged_slot_judge(&a->slots[1], &look, NULL, &later, &unused);
        if (!status && later.bad_ratio != 0)
            reply->result = later;
        else if (!status)
            judged_fault(&reply->result, "the outputs are right later, but not when the stream is done with the "
                                         "launch: work on another stream is not joined");
    }
    if (!status)
        status = check_workspace(j, a, &reply->result);
    if (!told(reply, status, "cudaMemcpyAsync", "fetch copies of outputs"))
        tell_disagreement(&look, reply);
}

/* The runner's stream put the inputs of the first slot into the second one, before its last launch. Whoever used what
 * was there earlier has begun too early. */
static void judge_ahead(struct judge *j, struct judge_arm *a, bool are_copied, struct judge_reply *reply)
{
    struct judged_slot *s = &a->slots[1];
    struct judged_look look = {.stream = j->stream};
    char *copies[CPPROF_ARRAYS_MAX];
    uint64_t unused;
    find_copies(a, copies);
    s->problem = a->problems[0];
    s->vaulted = vault_get(&a->vault, 0);
    int status = expect(j, a, a->problems[0], reply);
    if (!status)
        status = judged_slot_judge(s, &look, are_copied ? copies : NULL, &reply->result, &unused);
    if (reply->result.bad_ratio != 0)
        judged_fault(&reply->result,
                     are_copied
                         ? "inputs changed between two launches of a graph, and the outputs of the second one are "
                           "not theirs: it does not do all of its work"
                         : "inputs changed just before a launch, and its outputs are not theirs: an earlier "
                           "launch did some of its work");
    if (!told(reply, status, "cudaMemcpyAsync", "fetch outputs"))
        tell_disagreement(&look, reply);
    take_slots(j, a, UINT64_C(1) << 1, reply);
}

/* ---- requests ---- */

static void redraw(struct judge *j, struct judge_arm *a, uint32_t kind, struct judge_reply *reply)
{
    if (kind >= CPPROF_DRAW_KINDS)
        return;
    a->kind = (enum cpprof_draw_kind)kind;
    a->poisons = 0;
    /* No slot is left whose constant inputs were others. */
    if (!draw_constants(j, a, reply))
        fill_slots(j, a, first_slots(a->constants ? a->slot_count : a->in_turn), reply);
}

static const char *where_judged(const struct judge *j, const struct judge_arm *a)
{
    if (!j->is_apart)
        return "inside, ";
    return a && a->is_made && !a->vault.memory ? "on the host, " : "";
}

static void answer_for(struct judge *j, struct judge_arm *a, const struct judge_request *request,
                       struct judge_reply *reply)
{
    switch ((enum judge_wish)request->wish) {
    case JUDGE_REDRAW: redraw(j, a, request->draw, reply); return;
    case JUDGE_POISON: poison(j, a, reply); return;
    case JUDGE_DRAW: draw_ahead(j, a, request->launched, reply); return;
    case JUDGE_FRESH: freshen(j, a, request, reply); return;
    case JUDGE_OPEN: open_gate(j, a, &request->gate, reply); return;
    case JUDGE_KEEP: keep(j, a, request->launched, reply); return;
    case JUDGE_LOOK: look(j, a, request->launched, reply); return;
    case JUDGE_SETTLE: fill_slots(j, a, first_slots(IN_TURN_LEAST), reply); return;
    case JUDGE_ORDER: judge_order(j, a, reply); return;
    case JUDGE_AHEAD: judge_ahead(j, a, false, reply); return;
    case JUDGE_AMID: judge_ahead(j, a, true, reply); return;
    case JUDGE_END: end_arm(j, a); return;
    default: told(reply, cudaErrorInvalidValue, "judge", "understand a request"); return;
    }
}

void judge_answer(struct judge *j, const struct judge_request *request, struct judge_reply *reply)
{
    struct judge_arm *a = find(j, request->arm);
    *reply = (struct judge_reply){.arm = request->arm};
    if (request->wish == JUDGE_TRY || request->wish == JUDGE_RESERVE)
        begin_arm(j, request, reply);
    else if (request->wish == JUDGE_MAKE && a && a->slot_count && !a->memory[0])
        make(j, a, request, reply);
    else if (a && (a->is_made || request->wish == JUDGE_END))
        answer_for(j, a, request, reply);
    else
        told(reply, cudaErrorInvalidValue, "judge", "find an arm that was made");
    if (j->stream || !j->is_apart)
        told(reply, cudaStreamSynchronize(j->stream), "cudaStreamSynchronize", "end its work");
    if (request->wish == JUDGE_LOOK)
        snprintf(reply->note, sizeof reply->note, "%ssalt %016" PRIx64, where_judged(j, a), j->salt);
}
