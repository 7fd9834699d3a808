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
#include "collector/runner/judge/vault.h"

enum { POISON_REST_US = 1000 };
/* Longer the judge does not take to draw other inputs before a launch. */
#define RENEW_MOST_NS       100000000
#define RENEW_ON_HOST_BYTES ((size_t)64 << 20)

_Static_assert(sizeof(cudaIpcMemHandle_t) == JUDGE_HANDLE_BYTES, "a handle of CUDA is of another size");

struct judge_arm {
    uint32_t id;
    const struct cpprof_task *task; /* with the arrays of all ranks */
    struct cpprof_config config;    /* seed 0 */
    uint64_t seed;                  /* with the salt */
    struct judge_layout layout;
    char *memory[JUDGE_RANKS_MAX]; /* of rank 0 on the judge's device, which reaches the others over links */
    size_t slot_count, alternating, turn, poisons;
    size_t renewals;   /* how often all inputs were drawn anew */
    bool is_made;      /* its buffers hold inputs */
    bool is_poisoned;  /* since outputs were last looked at */
    bool is_disturbed; /* outputs were written to between that and the launch */
    bool is_witnessed; /* the comparison on the device agreed with the one on the host */
    struct vault vault;
    struct judged_slot slots[JUDGE_SLOTS_MAX];
    struct task_problem *problems[JUDGE_SLOTS_MAX]; /* slot i has the inputs of problem i + turn, unless refilled */
    struct guarded workspaces[JUDGE_RANKS_MAX];
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

static struct cpprof_draw draw_of(const struct judge_arm *a, size_t number, enum cpprof_draw_kind kind)
{
    return (struct cpprof_draw){cpprof_bits(a->seed, a->renewals * a->slot_count + number + 1), kind};
}

/* For half of the arms and draws, by chance, the second problem differs from the first one in a few values: outputs
 * that were kept under other values are wrong then. Else all values differ, which shows in every output. */
static uint64_t near_of(const struct judge_arm *a, size_t number, enum cpprof_draw_kind kind)
{
    const bool is_near = number == 1 && kind == CPPROF_RANDOM && cpprof_bits(a->seed, ~a->renewals) % 2;
    return is_near ? draw_of(a, 0, kind).seed : 0;
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

static void close_arm(struct judge_arm *a)
{
    for (int rank = 0; rank < JUDGE_RANKS_MAX; rank++)
        if (a->memory[rank])
            cudaFree(a->memory[rank]);
    vault_close(&a->vault);
    for (size_t i = 0; i < JUDGE_SLOTS_MAX; i++)
        task_problem_release(a->problems[i]);
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

static int draw(struct judge *j, struct judge_arm *a, enum cpprof_draw_kind kind, struct judge_reply *reply)
{
    for (size_t i = 0; i < a->slot_count; i++) {
        const struct cpprof_draw wanted = draw_of(a, i, kind);
        struct task_problem *problem = NULL;
        struct err e = {0};
        if (task_problem_get_near(&problem, a->task, &a->config, &wanted, near_of(a, i, kind), &e))
            return told(reply, cudaErrorMemoryAllocation, "malloc", "hold inputs and references in host memory");
        task_problem_release(a->problems[i]);
        a->problems[i] = problem;
    }
    int status = 0;
    for (size_t i = 0; i < a->slot_count && a->vault.memory && !status; i++)
        status = vault_put(&a->vault, i, a->problems[i], j->stream);
    return told(reply, status, "cudaMemcpyAsync", "copy inputs and references to the device");
}

/* Slot i gets the inputs of problem i + turn. */
static int fill_slots(struct judge *j, struct judge_arm *a, size_t turn, struct judge_reply *reply)
{
    int status = 0;
    for (size_t i = 0; i < a->slot_count && !status; i++) {
        const size_t nth = (i + turn) % a->slot_count;
        status = judged_slot_take(&a->slots[i], a->problems[nth], vault_get(&a->vault, nth), j->stream);
    }
    return told(reply, status, "cudaMemcpyAsync", "copy inputs to the device");
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

/* All work of the judge is that of one device, which reads and writes the memory of the others. */
static int reach(struct judge *j, int rank, struct judge_reply *reply)
{
    const int status = rank ? (int)cudaDeviceEnablePeerAccess(ranked_task_device(j->device, rank), 0) : 0;
    if (status == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError();
        return 0;
    }
    return told(reply, status, "cudaDeviceEnablePeerAccess", "reach the memory of another device");
}

/* The token at its begin tells the runner whether it mapped this memory and no other. */
static int allocate(struct judge *j, struct judge_arm *a, struct judge_reply *reply)
{
    int status = 0;
    reply->bytes = a->layout.bytes;
    reply->token = unknown_number() >> 1;
    for (int rank = 0; rank < a->layout.ranks && !status; rank++) {
        const uint64_t token = reply->token + (uint64_t)rank;
        status = reach(j, rank, reply);
        if (!status)
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
    if (!status)
        judge_layout_slots(a->task, &a->config, l2_bytes, &a->slot_count, &a->alternating);
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

/* The buffers matter more: they must fit beside it. */
static int open_vault(struct judge *j, struct judge_arm *a, struct judge_reply *reply)
{
    char *buffers = NULL;
    vault_open(&a->vault, a->task, &a->layout, a->slot_count);
    if (a->vault.memory && !cudaMalloc((void **)&buffers, a->layout.bytes)) {
        cudaFree(buffers);
        return 0;
    }
    cudaGetLastError();
    vault_close(&a->vault);
    return check_room(j, a, reply);
}

/* Beside a solution the kernels that compare would be among its own. */
static int reserve(struct judge *j, struct judge_arm *a, int device, struct judge_reply *reply)
{
    const int status = count_slots(a, device, reply);
    judge_layout_make(&a->layout, a->task, &a->config, a->slot_count, 0);
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
    if (!status)
        status = request->wish == JUDGE_TRY ? try_out(j, a, reply) : reserve(j, a, request->device, reply);
    if (status) {
        close_arm(a);
        return;
    }
    a->next = j->arms;
    j->arms = a;
}

/* The solution's `prepare` was called meanwhile. Where it left no memory for the buffers, the room for what they are
 * compared with is not given up: that is an error. */
static void make(struct judge *j, struct judge_arm *a, const struct judge_request *request, struct judge_reply *reply)
{
    judge_layout_make(&a->layout, a->task, &a->config, a->slot_count, request->workspace_bytes);
    reply->slots = (uint32_t)a->slot_count;
    reply->alternating = (uint32_t)a->alternating;
    reply->can_refill = a->vault.memory != NULL;
    reply->can_renew = reply->can_refill || a->layout.bytes < RENEW_ON_HOST_BYTES;
    int status = allocate(j, a, reply);
    if (!status)
        status =
            told(reply, place_all(j, a, request->workspace_bytes), "cudaMemsetAsync", "write bands around buffers");
    if (!status)
        status = draw(j, a, CPPROF_RANDOM, reply);
    if (!status)
        status = fill_slots(j, a, 0, reply);
    a->is_made = !status;
}

/* ---- before a launch ---- */

static int hash_outputs(struct judge *j, const struct judge_arm *a, uint64_t *hash)
{
    int status = 0;
    *hash = 0;
    for (size_t i = 0; i < a->slot_count && !status; i++) {
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
    for (size_t i = 0; i < a->slot_count && !are_left && !status; i++)
        status = judged_slot_check_poison(&a->slots[i], unknown_number(), &is_poisoned, j->stream);
    if (!status && are_left)
        status = hash_outputs(j, a, &after);
    a->is_disturbed = !is_poisoned || before != after;
    told(reply, status, "cudaMemcpyAsync", "fetch poisoned outputs");
}

/* How many of the slots that are launched in turn would keep their inputs? */
static size_t kept_by(const struct judge_arm *a, size_t turn)
{
    size_t kept = 0;
    for (size_t i = 0; i < a->alternating; i++)
        kept += a->slots[i].problem == a->problems[(i + turn) % a->slot_count];
    return kept;
}

/* Where no slot keeps its inputs; with refilled ones there may be no such turn. */
static size_t next_turn(const struct judge_arm *a)
{
    size_t least = a->slot_count, turn;
    for (turn = 0; turn < a->slot_count; turn++)
        least = kept_by(a, turn) < least ? kept_by(a, turn) : least;
    do
        turn = unknown_number() % a->slot_count;
    while (kept_by(a, turn) > least);
    return turn;
}

/* From the second time on inputs move to other slots, so that an output which was kept for a pointer is wrong now. What
 * is there is as wrong as poison then, and half of the times it stays: whoever works only where there is poison, or
 * nothing yet, leaves what is right for other inputs. Also what an earlier launch left in the workspace is overwritten.
 */
static void poison(struct judge *j, struct judge_arm *a, struct judge_reply *reply)
{
    bool are_left = false;
    if (a->poisons++) {
        a->turn = next_turn(a);
        are_left = a->vault.memory && !kept_by(a, a->turn) && unknown_number() % 2;
    }
    int status = fill_slots(j, a, a->turn, reply);
    for (size_t i = 0; i < a->slot_count && !are_left && !status; i++)
        status = told(reply, judged_slot_poison(&a->slots[i], j->stream), "cudaMemsetAsync", "poison outputs");
    a->is_poisoned = !status;
    for (int rank = 0; rank < a->layout.ranks && a->workspaces[rank].bytes && !status; rank++)
        status = told(
            reply,
            cudaMemsetAsync(a->workspaces[rank].data, guarded_poison(CPPROF_F32), a->workspaces[rank].bytes, j->stream),
            "cudaMemsetAsync", "poison the workspace");
    if (!reply->status)
        watch_outputs(j, a, are_left, reply);
}

static int64_t drawing_ns(const struct judge_arm *a)
{
    int64_t sum_ns = 0;
    for (size_t i = 0; i < a->slot_count; i++)
        sum_ns += a->problems[i]->made_ns;
    return sum_ns;
}

/* A problem that is freed may leave its address to a new one, which the slot does not hold. */
static int draw_anew(struct judge *j, struct judge_arm *a, enum cpprof_draw_kind kind, struct judge_reply *reply)
{
    const int status = draw(j, a, kind, reply);
    for (size_t i = 0; i < a->slot_count && !status; i++)
        a->slots[i].problem = NULL;
    a->turn = a->poisons = 0;
    return status;
}

/* Nobody has had these inputs, so that nothing can be kept for them. They are read as when outputs are judged, so that
 * the L2 cache has them in the same way before launches on new inputs and on the same again. */
static void renew(struct judge *j, struct judge_arm *a, struct judge_reply *reply)
{
    struct cpprof_verification unused = {0};
    int status = 0;
    if (drawing_ns(a) < RENEW_MOST_NS) {
        a->renewals++;
        if (draw_anew(j, a, CPPROF_RANDOM, reply))
            return;
    }
    poison(j, a, reply);
    for (size_t i = 0; i < a->slot_count && !status && !reply->status; i++)
        status = judged_slot_check_inputs(&a->slots[i], &unused, j->stream);
    told(reply, status, "cudaMemcpyAsync", "read inputs");
}

/* The runner's stream waits, with the launch behind it, until the gate opens. Nothing comes between the inputs and that
 * but the poison. */
static void refill(struct judge *j, struct judge_arm *a, const struct judge_request *request, struct judge_reply *reply)
{
    size_t slot = 0, nth;
    while (slot < a->slot_count && request->launched != 1u << slot)
        slot++;
    if (slot == a->slot_count || !a->vault.memory) {
        told(reply, cudaErrorInvalidValue, "judge", "fill one slot that was made");
        return;
    }
    do
        nth = unknown_number() % a->slot_count;
    while (a->problems[nth] == a->slots[slot].problem);
    int status = judged_slot_take(&a->slots[slot], a->problems[nth], vault_get(&a->vault, nth), j->stream);
    if (!status)
        status = judged_slot_poison(&a->slots[slot], j->stream);
    if (!status)
        status = cudaMemcpyAsync(a->memory[0] + JUDGE_GATE_AT, &request->gate, sizeof request->gate,
                                 cudaMemcpyHostToDevice, j->stream);
    told(reply, status, "cudaMemcpyAsync", "fill a slot before a launch");
    a->is_poisoned = !status;
    a->is_disturbed = false;
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

/* Then nobody knows what is right, and the process that asked ends with an error. */
static int tell_disagreement(const struct judged_look *look, struct judge_reply *reply)
{
    return told(reply, *look->disagreement ? (int)cudaErrorUnknown : 0, "the judge's two comparisons",
                look->disagreement);
}

/* An empty shape has no values: that nothing was written beside them is what counts. Outputs that this process did not
 * poison may be those of an earlier launch. */
static void look(struct judge *j, struct judge_arm *a, uint32_t launched, struct judge_reply *reply)
{
    struct judged_look look = {.stream = j->stream, .compare_on_host = !a->is_witnessed};
    uint64_t unused;
    int status = launched >> a->slot_count ? cudaErrorInvalidValue : 0;
    if (told(reply, status, "judge", "look at slots that were made"))
        return;
    for (size_t i = 0; i < a->slot_count && !status; i++)
        if (launched >> i & 1)
            status = judged_slot_judge(&a->slots[i], &look, NULL, &reply->result, &unused);
    if (!status)
        status = check_workspace(j, a, &reply->result);
    if (launched && !reply->result.values)
        reply->result.values = 1;
    if (!a->is_poisoned)
        judged_fault(&reply->result, "outputs were not poisoned since they were last looked at");
    else if (a->is_disturbed)
        judged_fault(&reply->result, "outputs were written to before the launch: work of another stream, thread or "
                                     "process does not belong to it");
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
static void judge_order(struct judge *j, const struct judge_arm *a, struct judge_reply *reply)
{
    struct judged_look look = {.stream = j->stream};
    struct cpprof_verification later = {0};
    char *copies[CPPROF_ARRAYS_MAX];
    uint64_t unused;
    find_copies(a, copies);
    int status = judged_slot_judge(&a->slots[1], &look, copies, &reply->result, &reply->hash);
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
    const int status = judged_slot_judge(s, &look, are_copied ? copies : NULL, &reply->result, &unused);
    if (reply->result.bad_ratio != 0)
        judged_fault(&reply->result,
                     are_copied
                         ? "inputs changed between two launches of a graph, and the outputs of the second one are "
                           "not theirs: it does not do all of its work"
                         : "inputs changed just before a launch, and its outputs are not theirs: an earlier "
                           "launch did some of its work");
    if (!told(reply, status, "cudaMemcpyAsync", "fetch outputs"))
        tell_disagreement(&look, reply);
    fill_slots(j, a, 0, reply);
}

/* ---- requests ---- */

static void redraw(struct judge *j, struct judge_arm *a, uint32_t kind, struct judge_reply *reply)
{
    if (kind < CPPROF_DRAW_KINDS && !draw_anew(j, a, (enum cpprof_draw_kind)kind, reply))
        fill_slots(j, a, 0, reply);
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
    case JUDGE_RENEW: renew(j, a, reply); return;
    case JUDGE_REFILL: refill(j, a, request, reply); return;
    case JUDGE_LOOK: look(j, a, request->launched, reply); return;
    case JUDGE_SETTLE: fill_slots(j, a, 0, reply); return;
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
