/* How does a solution run as a variant, without seeing what judges it? */
#define _GNU_SOURCE
#include "collector/runner/judge/judged.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "collector/runner/judge/gate.h"
#include "collector/runner/judge/guarded.h"
#include "collector/runner/judge/judge_client.h"
#include "collector/runner/judge/judge_layout.h"
#include "collector/runner/judge/judged_slot.h"
#include "collector/runner/judge/launch_ranks.h"
#include "collector/runner/judge/launch_time.h"
#include "collector/runner/judge/series_order.h"
#include "collector/runner/judge/task_library.h"
#include "collector/runner/variant_check.h"
#include "gpu/metrics.h"

enum { RENEWALS = 2, GATE_US = 20, GATE_LOOKS = 100000 }; /* of the gate, 2 s and more */

/* The buffers are the judge's. This is where they are in this process. */
struct judged_arm {
    const struct judged *of;
    const struct cpprof_task *task; /* with the arrays of all ranks */
    struct cpprof_config config;    /* seed 0 */
    uint64_t seed;
    uint32_t id;                /* the judge's; 0: it has none */
    struct CUstream_st *stream; /* of its set up */
    struct launch_ranks ranks;
    char *memory; /* of rank 0, as all that is read or written here: it is where rank 0 sees it */
    bool is_lost; /* the judge is gone: nothing is launched any more, since no output can count */
    bool can_refill, can_renew;
    uint32_t gate; /* the last value that was waited for */
    void *copies[CPPROF_ARRAYS_MAX];
    size_t input_bytes[CPPROF_ARRAYS_MAX], output_bytes[CPPROF_ARRAYS_MAX];
    size_t slots, alternating;                /* the first ones of them are launched in turn */
    cudaGraphExec_t replays[JUDGE_SLOTS_MAX]; /* a launch on each slot; NULL: it is called */
    void *state;                              /* the solution's */
    uint64_t order, launches;                 /* the order of the slots is a function of both */
    unsigned launched;                        /* slots, 1u << number, since the poison before the last launch */
    bool is_poisoned;                         /* since the last launch that was called */
    bool is_timed;              /* series were looked at since the last verification: this process times launches */
    bool is_captured;           /* a series was, and nothing was timed on new inputs since then */
    bool is_series;             /* that is captured now */
    size_t series_launches;     /* of the last one */
    struct series_order series; /* the launches that are captured */
    struct cpprof_verification earlier; /* of series since the last verification; the first one that is wrong stays */
};

static const struct judged *announced;
static const struct cpprof_task *judging; /* a process has one task, for functions that get the config alone */

/* ---- the judge ---- */

/* A variant returns a number of CUDA, which says neither what failed nor in which process. */
static int complain(int status, const char *trouble)
{
    fprintf(stderr, "the judge of the solutions failed: %s\n", trouble);
    return status ? status : (int)cudaErrorUnknown;
}

/* Returns 0 where the judge is gone, too: then the next verification is the failure, and not the process. */
static int ask(struct judged_arm *a, struct judge_request *request, struct judge_reply *reply)
{
    request->arm = a->id;
    *reply = (struct judge_reply){0};
    if (a->is_lost)
        return 0;
    a->is_lost = judge_client_ask(judging, a->stream, request, reply) == JUDGE_GONE;
    return a->is_lost || !reply->status ? 0 : complain(reply->status, reply->trouble);
}

static int tell(struct judged_arm *a, enum judge_wish wish, enum cpprof_draw_kind draw)
{
    struct judge_request request = {.wish = wish, .draw = draw};
    struct judge_reply reply;
    return ask(a, &request, &reply);
}

/* ---- set up ---- */

/* Memory is mapped no longer before the judge frees it. */
static void leave(struct judged_arm *a)
{
    launch_ranks_unmap(&a->ranks);
    if (a->id)
        tell(a, JUDGE_END, CPPROF_RANDOM);
}

static void teardown(void *opaque)
{
    struct judged_arm *a = opaque;
    for (size_t slot = 0; slot < a->slots; slot++)
        if (a->replays[slot])
            cudaGraphExecDestroy(a->replays[slot]);
    if (a->state && a->of->solution.release)
        a->of->solution.release(a->state);
    leave(a);
    launch_ranks_close(&a->ranks);
    series_order_end(&a->series);
    free(a);
}

static double bytes_of(const struct cpprof_config *config)
{
    return judge_layout_moved(judging, config); /* of one rank */
}

static void find_places(struct judged_arm *a, const struct judge_layout *layout, size_t slots, bool has_workspace)
{
    a->memory = a->ranks.views[0].memory[0];
    launch_ranks_find(&a->ranks, a->task, layout, slots, has_workspace);
    memcpy(a->input_bytes, layout->input_bytes, sizeof a->input_bytes);
    memcpy(a->output_bytes, layout->output_bytes, sizeof a->output_bytes);
    for (size_t i = 0; i < a->task->output_count; i++)
        a->copies[i] = a->ranks.views[0].memory[layout->output_ranks[i]] + layout->copies[i];
}

/* Can the runner map what the judge allocates? Whoever was asked and is gone since then is no reason not to run: what
 * nobody judges is wrong. No stream is known here; a judge inside writes a few bytes in the default one. */
static int try_to_map(const struct cpprof_task *task, const struct cpprof_config *config,
                      char trouble[JUDGE_TROUBLE_BYTES])
{
    struct judged_arm a = {0};
    struct judge_request request = {.wish = JUDGE_TRY, .config = *config};
    struct judge_reply made;
    request.config.seed = 0;
    int status = launch_ranks_open(&a.ranks, task, config);
    if (status)
        snprintf(trouble, JUDGE_TROUBLE_BYTES, "%.60s", cudaGetErrorString((cudaError_t)status));
    request.device = a.ranks.devices[0];
    if (!status && judge_client_ask(judging, a.stream, &request, &made) != JUDGE_GONE) {
        if ((status = made.status))
            memcpy(trouble, made.trouble, sizeof made.trouble);
        else {
            a.id = made.arm;
            status = launch_ranks_map(&a.ranks, a.id, &made, trouble);
            leave(&a);
        }
    }
    launch_ranks_close(&a.ranks);
    return status;
}

static int refuse(const struct cpprof_config *config, char *why, size_t why_bytes)
{
    const struct cpprof_task *task;
    char trouble[JUDGE_TROUBLE_BYTES];
    struct err e = {0};
    if (ranked_task_get(&task, judging, config, &e)) {
        snprintf(why, why_bytes, "%s", e.text);
        return 1;
    }
    if (launch_ranks_refuse(task, config, why, why_bytes))
        return 1;
    int status = try_to_map(task, config, trouble);
    if (status)
        snprintf(why, why_bytes, "needs a judge in a process of its own (or CPPROF_JUDGE=inside): %s", trouble);
    else if (announced && announced->try_out && task != judging) {
        snprintf(why, why_bytes, "is a function of a Python file, and the task works on several GPUs");
        return 1;
    } else if (announced && announced->try_out)
        status = announced->try_out(announced->given, config, why, why_bytes);
    return status;
}

/* Before `prepare`, which could leave the judge no memory on the device for inputs and references of its own. */
static int reserve(struct judged_arm *a)
{
    struct judge_request request = {
        .wish = JUDGE_RESERVE, .seed = a->seed, .config = a->config, .device = a->ranks.devices[0]};
    struct judge_reply reply;
    const int status = ask(a, &request, &reply);
    if (!status && !a->is_lost)
        a->id = reply.arm;
    return status;
}

static int open_memory(struct judged_arm *a)
{
    const size_t workspace = a->of->solution.workspace ? a->of->solution.workspace(&a->config) : 0;
    struct judge_request request = {.wish = JUDGE_MAKE, .workspace_bytes = workspace};
    struct judge_reply made;
    struct judge_layout layout;
    int status = ask(a, &request, &made);
    if (status || a->is_lost)
        return status;
    a->slots = made.slots;
    a->alternating = made.alternating;
    a->can_refill = made.can_refill;
    a->can_renew = made.can_renew;
    judge_layout_make(&layout, a->task, &a->config, made.slots, workspace);
    if (made.slots > JUDGE_SLOTS_MAX || made.alternating > made.slots || layout.bytes != made.bytes)
        return complain(cudaErrorInvalidValue, "its buffers are not those that the runner reckons with");
    char trouble[JUDGE_TROUBLE_BYTES];
    status = launch_ranks_map(&a->ranks, a->id, &made, trouble);
    if (status)
        return complain(status, trouble);
    find_places(a, &layout, made.slots, workspace > 0);
    return 0;
}

static int set_up(const struct cpprof_config *config, struct CUstream_st *stream, void **state)
{
    struct judged_arm *a = announced ? calloc(1, sizeof *a) : NULL;
    if (!a)
        return announced ? cudaErrorMemoryAllocation : cudaErrorUnknown;
    a->of = announced;
    a->config = *config;
    a->config.seed = 0;
    a->seed = config->seed;
    a->stream = stream;
    if (getrandom(&a->order, sizeof a->order, 0) != sizeof a->order)
        a->order = (uint64_t)time(NULL);
    struct err e = {0};
    int status = ranked_task_get(&a->task, a->of->task, config, &e) ? complain(cudaErrorInvalidValue, e.text) : 0;
    if (!status && (status = launch_ranks_open(&a->ranks, a->task, config)))
        complain(status, "the devices of the runner cannot be used");
    if (!status)
        status = reserve(a);
    a->state = status ? NULL : announced->given;
    /* Without data: no buffer is there yet. */
    if (!status && a->of->solution.prepare && (status = a->of->solution.prepare(&a->config, &a->state)))
        a->state = NULL; /* one that fails has cleaned up */
    if (!status && a->ranks.count > 1)
        status = cudaSetDevice(a->ranks.devices[0]); /* it may have left another one */
    if (!status)
        status = open_memory(a);
    if (status)
        teardown(a);
    else
        *state = a;
    return status;
}

/* ---- launch ---- */

static int call_on(struct judged_arm *a, size_t slot, struct CUstream_st *stream)
{
    return launch_ranks_call(&a->ranks, &a->of->solution, a->state, &a->config, slot, stream);
}

/* While the stream is captured, the solution itself is called: its launch becomes part of the graph. */
static int launch_on(struct judged_arm *a, size_t slot, struct CUstream_st *stream)
{
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    if (a->is_lost)
        return 0;
    if (!a->replays[slot])
        return call_on(a, slot, stream);
    const int status = cudaStreamIsCapturing(stream, &capture);
    if (status)
        return status;
    return capture == cudaStreamCaptureStatusNone ? (int)cudaGraphLaunch(a->replays[slot], stream)
                                                  : call_on(a, slot, stream);
}

/* A launch on each slot from `first` on. */
static int record(struct judged_arm *a, size_t first, size_t end, cudaGraphExec_t *out, struct CUstream_st *stream)
{
    cudaGraph_t graph = NULL;
    int status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (status)
        return status;
    for (size_t slot = first; slot < end && !status; slot++)
        status = call_on(a, slot, stream);
    const int ended = cudaStreamEndCapture(stream, &graph);
    if (!status)
        status = ended;
    if (!status && (status = cudaGraphInstantiate(out, graph, 0)))
        *out = NULL;
    if (!status && (status = cudaGraphUpload(*out, stream))) {
        cudaGraphExecDestroy(*out);
        *out = NULL;
    }
    if (graph)
        cudaGraphDestroy(graph);
    return status;
}

int judged_replay(const struct cpprof_variant *variant, void *state, struct CUstream_st *stream)
{
    struct judged_arm *a = state;
    int status = 0;
    for (size_t slot = 0; variant_is_judged(variant) && slot < a->slots && !a->is_lost && !status; slot++)
        if (!a->replays[slot])
            status = record(a, slot, slot + 1, &a->replays[slot], stream);
    return status;
}

static size_t next_slot(struct judged_arm *a)
{
    return a->alternating > 1 ? cpprof_bits(a->order, a->launches++) % a->alternating : 0;
}

static int launch(void *opaque, struct CUstream_st *stream)
{
    struct judged_arm *a = opaque;
    const size_t slot = next_slot(a);
    if (a->is_poisoned)
        a->launched = 0;
    a->is_poisoned = false;
    a->launched |= 1u << slot;
    a->series_launches += a->is_series;
    const int status = launch_on(a, slot, stream);
    if (!status)
        series_order_launched(&a->series, stream);
    return status;
}

/* A series is captured into a graph. When that is replayed it writes the slots of these launches. */
static int begin_series(void *opaque, struct CUstream_st *stream)
{
    struct judged_arm *a = opaque;
    a->launched = 0;
    a->is_poisoned = false;
    a->is_captured = a->is_series = true;
    a->series_launches = 0;
    series_order_begin(&a->series, stream);
    return 0;
}

static int end_series(void *opaque, struct CUstream_st *stream)
{
    struct judged_arm *a = opaque;
    (void)stream;
    a->is_series = false;
    series_order_end(&a->series);
    return 0;
}

/* A judge in another process does not wait for this stream. Each judge is done when it replies. */
static int poison(void *opaque, struct CUstream_st *stream)
{
    struct judged_arm *a = opaque;
    const int status = cudaStreamSynchronize(stream);
    a->is_poisoned = true;
    return status ? status : tell(a, JUDGE_POISON, CPPROF_RANDOM);
}

/* ---- verify ---- */

static int poison_outputs(const struct judged_arm *a, size_t slot, struct CUstream_st *stream)
{
    const struct rank_view *v = &a->ranks.views[0];
    int status = 0;
    for (size_t i = 0; i < a->task->output_count && !status; i++)
        status =
            cudaMemsetAsync(v->outputs[slot][i], guarded_poison(a->task->outputs[i].type), a->output_bytes[i], stream);
    return status;
}

/* The second slot gets the inputs of the first one. */
static int change_inputs(const struct judged_arm *a, struct CUstream_st *stream)
{
    const struct rank_view *v = &a->ranks.views[0];
    int status = 0;
    for (size_t i = 0; i < a->task->input_count && !status; i++)
        status = cudaMemcpyAsync((void *)(uintptr_t)v->inputs[1][i], v->inputs[0][i], a->input_bytes[i],
                                 cudaMemcpyDeviceToDevice, stream);
    return status;
}

static int copy_outputs(const struct judged_arm *a, struct CUstream_st *stream)
{
    const struct rank_view *v = &a->ranks.views[0];
    int status = 0;
    for (size_t i = 0; i < a->task->output_count && !status; i++)
        status = cudaMemcpyAsync(a->copies[i], v->outputs[1][i], a->output_bytes[i], cudaMemcpyDeviceToDevice, stream);
    return status;
}

/* On the second slot, when the stream has waited: what an earlier launch left to other streams is done then. Where
 * inputs change, what is there is right for others: as wrong as poison, and does not look like it. */
static int launch_late(struct judged_arm *a, bool with_other_inputs, struct CUstream_st *stream)
{
    int status = launch_time_hold(stream);
    if (!status)
        status = with_other_inputs ? change_inputs(a, stream) : poison_outputs(a, 1, stream);
    return status ? status : launch_on(a, 1, stream);
}

/* After a launch on the first slot, so that results which are kept from one call to the next show. The outputs are
 * copied by the stream itself, so that work which it does not wait for comes too late. */
static int launch_in_order(struct judged_arm *a, struct CUstream_st *stream)
{
    int status = launch_on(a, 0, stream);
    if (!status)
        status = launch_late(a, false, stream);
    if (!status)
        status = copy_outputs(a, stream);
    return status ? status : launch_ranks_synchronize(&a->ranks);
}

/* After a launch on the same slot, whose inputs change in between: work that was begun for a later launch is wrong. */
static int launch_again(struct judged_arm *a, struct CUstream_st *stream)
{
    int status = launch_on(a, 1, stream);
    if (!status)
        status = launch_late(a, true, stream);
    return status ? status : launch_ranks_synchronize(&a->ranks);
}

/* Amid as many launches as a graph has that is timed: a solution that leaves work out where a launch is not the first
 * one of a graph, or not the last one, cannot know which ones these are. */
static int capture_amid(struct judged_arm *a, struct CUstream_st *stream)
{
    const size_t at = cpprof_bits(~a->order, a->launches) % (a->series_launches + 1);
    int status = 0;
    for (size_t i = 0; i <= a->series_launches && !status; i++) {
        if (i == at && !(status = call_on(a, 1, stream)) && !(status = change_inputs(a, stream)) &&
            !(status = call_on(a, 1, stream)))
            status = copy_outputs(a, stream);
        if (!status)
            status = call_on(a, i < a->series_launches ? next_slot(a) : 1, stream);
    }
    return status;
}

static int launch_amid(struct judged_arm *a, struct CUstream_st *stream)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t ready = NULL;
    int status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (status)
        return status;
    status = capture_amid(a, stream);
    const int ended = cudaStreamEndCapture(stream, &graph);
    if (!status)
        status = ended;
    if (!status)
        status = cudaGraphInstantiate(&ready, graph, 0);
    if (!status)
        status = cudaGraphLaunch(ready, stream);
    if (!status)
        status = launch_ranks_synchronize(&a->ranks);
    if (ready)
        cudaGraphExecDestroy(ready);
    if (graph)
        cudaGraphDestroy(graph);
    return status;
}

/* Is each launch all on its stream, and all its own? */
static int check_order(struct judged_arm *a, struct CUstream_st *stream, struct cpprof_verification *result)
{
    static const struct {
        enum judge_wish wish;
        int (*launch)(struct judged_arm *a, struct CUstream_st *stream);
    } checks[] = {{JUDGE_ORDER, launch_in_order}, {JUDGE_AMID, launch_amid}, {JUDGE_AHEAD, launch_again}};
    int status = tell(a, JUDGE_SETTLE, CPPROF_RANDOM);
    for (size_t i = 0; i < sizeof checks / sizeof checks[0] && !status && !a->is_lost; i++) {
        if (checks[i].wish == JUDGE_AMID && !a->is_captured)
            continue;
        struct judge_request request = {.wish = checks[i].wish};
        struct judge_reply reply;
        status = checks[i].launch(a, stream);
        if (!status)
            status = ask(a, &request, &reply);
        if (status || a->is_lost)
            return status;
        if (result->bad_ratio == 0 && reply.result.bad_ratio != 0)
            *result = reply.result;
        if (reply.hash)
            result->output_hash = reply.hash;
    }
    return status;
}

/* Behind what is wrong, so that it can be looked for again. */
static void add_note(struct cpprof_verification *result, const char *note)
{
    const size_t length = strnlen(result->hint, sizeof result->hint - 1), needed = strlen(note) + 2;
    const size_t room = sizeof result->hint - 1 - needed, kept = length < room ? length : room;
    snprintf(result->hint + kept, sizeof result->hint - kept, "%s%s", kept ? "; " : "", note);
}

static void nobody_judged(struct cpprof_verification *result)
{
    *result = (struct cpprof_verification){.values = 1};
    judged_fault(result, "nobody judged it, since the process of the judge is gone: %.80s", judge_client_end());
}

static int look(struct judged_arm *a, unsigned launched, struct CUstream_st *stream, struct judge_reply *reply)
{
    struct judge_request request = {.wish = JUDGE_LOOK, .launched = launched};
    const int status = cudaStreamSynchronize(stream);
    return status ? status : ask(a, &request, reply);
}

/* Counts the values of both; the first verdict that is wrong is told. */
static void join_verdicts(struct cpprof_verification *first, const struct cpprof_verification *second)
{
    const uint64_t values = first->values + second->values;
    const double max_abs_err = fmax(first->max_abs_err, second->max_abs_err);
    if (first->bad_ratio == 0)
        *first = *second;
    first->values = values;
    first->max_abs_err = max_abs_err;
}

static int look_meanwhile(struct judged_arm *a, unsigned launched, struct CUstream_st *stream)
{
    struct judge_reply reply;
    const int status = look(a, launched, stream, &reply);
    if (status || a->is_lost)
        return status;
    add_note(&reply.result, reply.note);
    join_verdicts(&a->earlier, &reply.result);
    return 0;
}

int judged_look(void *state, struct CUstream_st *stream)
{
    struct judged_arm *a = state;
    a->is_timed = true;
    return look_meanwhile(a, a->launched, stream);
}

/* ---- inputs just before a launch ---- */

/* Where the judge does not: the stream must not wait for ever. */
static int open_gate(struct judged_arm *a)
{
    cudaStream_t other;
    int status = cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    if (status)
        return status;
    status = cudaMemcpyAsync(a->memory + JUDGE_GATE_AT, &a->gate, sizeof a->gate, cudaMemcpyHostToDevice, other);
    if (!status)
        status = cudaStreamSynchronize(other);
    cudaStreamDestroy(other);
    return status;
}

/* Work that is still to come is no error, and must not look like one of the next launch. */
/* A gate that the judge opened is open; that nothing is stuck before it is made sure all the same. The launch itself
 * takes as long as it takes. */
static int wait_for_launch(struct judged_arm *a, struct CUevent_st *begin, struct CUstream_st *stream)
{
    for (int looks = 0; looks < GATE_LOOKS && launch_time_is_to_come(begin); looks++)
        usleep(GATE_US);
    if (launch_time_is_to_come(begin)) {
        fprintf(stderr,
                "the judge filled a slot, but the stream that waits for it does not go on: from now on no inputs "
                "come just before a launch\n");
        a->can_refill = false;
        open_gate(a);
    }
    return cudaStreamSynchronize(stream);
}

/* The kernel of the fill makes the device turn to this process before the first event. */
static int close_gate(struct judged_arm *a, struct CUstream_st *stream, const struct judged_refill *refill)
{
    int status = cudaMemsetAsync(a->memory + JUDGE_SCRATCH_AT, 0, sizeof(uint32_t), stream);
    if (!status && refill->before)
        status = refill->before(refill->context);
    return status ? status : (int)cudaEventRecord(refill->begin, stream);
}

/* The judge works while the launch is called, so that a launch which waits for its stream does not wait for ever. Where
 * it was done before all of the launch was in the stream, time of the host is between the events. */
static int launch_behind_gate(struct judged_arm *a, size_t slot, struct CUstream_st *stream,
                              struct judged_refill *refill)
{
    const struct judge_request request = {.wish = JUDGE_REFILL, .arm = a->id, .launched = 1u << slot, .gate = a->gate};
    struct judge_reply reply = {0};
    int status = close_gate(a, stream, refill);
    const bool is_asked = !status && judge_client_begin(&request) == JUDGE_SAID;
    if (is_asked)
        status = launch_on(a, slot, stream);
    if (is_asked && !status)
        status = cudaEventRecord(refill->end, stream);
    refill->is_done = is_asked && !status && launch_time_is_to_come(refill->begin);
    const bool is_filled = is_asked && judge_client_end_question(&reply) == JUDGE_SAID && !reply.status;
    a->is_lost |= !status && !is_filled && !reply.status;
    if (!is_filled)
        open_gate(a);
    const int ended = wait_for_launch(a, refill->begin, stream);
    if (reply.status)
        return complain(reply.status, reply.trouble);
    return status ? status : ended;
}

/* The slots of a series before it stay those that were launched. */
int judged_refilled(void *state, struct CUstream_st *stream, struct judged_refill *refill)
{
    struct judged_arm *a = state;
    refill->is_done = false;
    if (!a->can_refill || a->is_lost)
        return 0;
    int status = cudaStreamSynchronize(stream);
    if (status)
        return status;
    status = gate_wait(stream, a->memory + JUDGE_GATE_AT, ++a->gate);
    if (status) {
        a->can_refill = false;
        return status == cudaErrorNotSupported ? 0 : status;
    }
    const size_t slot = next_slot(a);
    status = launch_behind_gate(a, slot, stream, refill);
    refill->is_done &= !status && !a->is_lost;
    return status || a->is_lost ? status : look_meanwhile(a, 1u << slot, stream);
}

/* ---- on new inputs, and on the same again ---- */

/* What a launch on each slot takes, a launch; the least of several times. */
struct renewed {
    struct judged_arm *a;
    cudaGraphExec_t graph; /* NULL: they are called */
    double new_ns, again_ns;
};

static int launch_each(void *context, cudaStream_t stream)
{
    struct renewed *r = context;
    int status = r->graph ? (int)cudaGraphLaunch(r->graph, stream) : 0;
    for (size_t slot = 0; slot < r->a->alternating && !r->graph && !status; slot++)
        status = launch_on(r->a, slot, stream);
    return status;
}

/* What was written before the stream came to the launches is gone. */
static int poison_each(void *context, cudaStream_t stream)
{
    const struct judged_arm *a = ((const struct renewed *)context)->a;
    int status = 0;
    for (size_t slot = 0; slot < a->alternating && !status; slot++)
        status = poison_outputs(a, slot, stream);
    return status;
}

static int time_each(struct renewed *r, bool is_new, cudaStream_t stream)
{
    const struct launch_work work = {launch_each, is_new ? poison_each : NULL, r, r->a->memory + JUDGE_SCRATCH_AT};
    double ns, *least_ns = is_new ? &r->new_ns : &r->again_ns;
    const int status = launch_time(&work, stream, &ns);
    *least_ns = fmin(*least_ns, ns / (double)r->a->alternating); /* fmin leaves a NAN out */
    return status;
}

/* The judge looks at the outputs between both, and changes nothing. */
static int time_pair(struct renewed *r, struct CUstream_st *stream)
{
    int status = tell(r->a, JUDGE_RENEW, CPPROF_RANDOM);
    if (!status)
        status = time_each(r, true, stream);
    if (!status)
        status = look_meanwhile(r->a, (1u << r->a->alternating) - 1, stream);
    return status ? status : time_each(r, false, stream);
}

/* Behind the series that were timed: first in a graph, where they were, then called. Nothing has to be loaded for it
 * and no counter is read, so that a solution cannot tell these launches from those by what is in its process. */
static int time_renewed(struct renewed *r, struct CUstream_st *stream)
{
    struct judged_arm *a = r->a;
    const bool as_graph = a->is_captured;
    int status = 0;
    a->is_timed = a->is_captured = false;
    if (as_graph && record(a, 0, a->alternating, &r->graph, stream)) {
        cudaGetLastError();
        return 0;
    }
    for (int i = 0; i < RENEWALS && !status && !a->is_lost; i++)
        status = time_pair(r, stream);
    if (r->graph)
        cudaGraphExecDestroy(r->graph);
    return status;
}

static void add_notes(struct cpprof_verification *result, const struct renewed *r, const char *note)
{
    char text[128];
    if (isnan(r->new_ns) || isnan(r->again_ns))
        add_note(result, note);
    else {
        snprintf(text, sizeof text, "new %.0f ns, again %.0f ns; %.40s", r->new_ns, r->again_ns, note);
        add_note(result, text);
    }
}

static int verify(void *opaque, struct CUstream_st *stream, struct cpprof_verification *result)
{
    struct judged_arm *a = opaque;
    struct renewed renewed = {.a = a, .new_ns = NAN, .again_ns = NAN};
    struct judge_reply reply;
    *result = (struct cpprof_verification){0};
    int status = look(a, a->launched, stream, &reply);
    if (!status && !a->is_lost) {
        *result = reply.result;
        if (a->launched)
            status = check_order(a, stream, result);
        if (!status && a->is_timed && a->can_renew && !a->is_lost)
            status = time_renewed(&renewed, stream);
    }
    if (a->is_lost) {
        nobody_judged(result);
        return 0;
    }
    if (status)
        return status;
    if (a->series.fault && result->bad_ratio == 0)
        judged_fault(result, "%s", a->series.fault);
    add_notes(result, &renewed, reply.note);
    if (a->earlier.values || a->earlier.bad_ratio != 0) {
        join_verdicts(&a->earlier, result);
        *result = a->earlier;
        a->earlier = (struct cpprof_verification){0};
    }
    return 0;
}

/* ---- the variant ---- */

static size_t shared_bytes(const struct cpprof_config *config)
{
    (void)config;
    return 0; /* the solution's own matter */
}

static double not_known(const struct cpprof_config *config)
{
    (void)config;
    return NAN;
}

static double link_bytes_of(const struct cpprof_config *config)
{
    const double bytes = judging->link_bytes ? judging->link_bytes(config) : 0;
    return ranked_task_ranks(judging, config) > 1 && bytes > 0 ? bytes : 0;
}

/* How much of `bytes` crosses links. */
static double bus_factor_of(const struct cpprof_config *config)
{
    return link_bytes_of(config) / (judging->bytes ? judging->bytes(config) : bytes_of(config));
}

/* How many bytes they are is for the analyzer: here it is asked that they are counted. All arms have the same task. */
static void declare_links(const struct cpprof_config *config, struct cpprof_declaration *declaration)
{
    static struct cpprof_expect expect[VARIANT_EXPECT_MAX];
    const size_t count = declaration->expect_count;
    if (!link_bytes_of(config) || count >= VARIANT_EXPECT_MAX)
        return;
    for (size_t i = 0; i < count; i++)
        expect[i] = declaration->expect[i];
    expect[count] = (struct cpprof_expect){metric_by_id("nvlink_received_data")->name, 0, INFINITY};
    declaration->expect = expect;
    declaration->expect_count = count + 1;
}

static int devices_of(const struct cpprof_config *config, int *device, int devices_max)
{
    const int ranks = ranked_task_ranks(judging, config);
    int first = 0;
    cudaGetDevice(&first);
    for (int rank = 0; rank < ranks && rank < devices_max; rank++)
        device[rank] = ranked_task_device(first, rank);
    return ranks;
}

static const char *pattern_of(const struct cpprof_task *task, const struct cpprof_solution *solution)
{
    return task->kernels ? task->kernels : solution->kernels ? solution->kernels : ".";
}

int judged_make(struct judged **out, const struct cpprof_task *task, const struct cpprof_solution *solution,
                const char *name, size_t name_length, struct err *e)
{
    struct judged *j = calloc(1, sizeof *j);
    if (!j)
        return err_memory(e);
    j->task = task;
    const int rc = solution_take(&j->solution, solution, e);
    if (rc) {
        free(j);
        return rc;
    }
    snprintf(j->name, sizeof j->name, "%.63s/%.*s", task->name, name_length > 63 ? 63 : (int)name_length, name);
    j->variant = (struct cpprof_variant){
        .struct_bytes = sizeof j->variant,
        .name = j->name,
        .summary = j->solution.summary ? j->solution.summary : task->summary,
        .kernel_pattern = pattern_of(task, &j->solution),
        .axes = task->axes,
        .axis_count = task->axis_count,
        .shapes = task->shapes,
        .shape_count = task->shape_count,
        .expect = task->expect,
        .expect_count = task->expect_count,
        .refuse = refuse,
        .shared_bytes = shared_bytes,
        .flops = task->flops ? task->flops : not_known,
        .bytes = task->bytes ? task->bytes : bytes_of,
        .setup = set_up,
        .poison = poison,
        .launch = launch,
        .verify = verify,
        .teardown = teardown,
        .fork = begin_series,
        .join = end_series,
        .devices = task->ranks ? devices_of : NULL,
        .bus_factor = task->ranks && task->link_bytes ? bus_factor_of : NULL,
        .declare = task->ranks && task->link_bytes ? declare_links : NULL,
    };
    judging = task;
    *out = j;
    return 0;
}

bool variant_is_judged(const struct cpprof_variant *variant)
{
    return variant->setup == set_up;
}

void judged_announce(const struct cpprof_variant *variant)
{
    if (variant_is_judged(variant))
        announced = (const struct judged *)variant;
}

unsigned judged_draws(const struct cpprof_variant *variant)
{
    if (!variant_is_judged(variant))
        return 0;
    const unsigned draws = ((const struct judged *)variant)->task->draws;
    return draws ? draws & ~(1u << CPPROF_RANDOM) : 1u << CPPROF_CONSTANT | 1u << CPPROF_SORTED | 1u << CPPROF_ONE_HOT;
}

int judged_redraw(void *state, enum cpprof_draw_kind kind, struct CUstream_st *stream)
{
    const int status = cudaStreamSynchronize(stream);
    return status ? status : tell(state, JUDGE_REDRAW, kind);
}
