/* How does a solution run as a variant, without seeing what judges it? */
#define _GNU_SOURCE
#include "collector/runner/judge/judged.h"

#include <cuda_runtime.h>
#include <pthread.h>
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
#include "core/base/clock.h"
#include "core/gpu/metrics.h"

enum { GATE_US = 20, GATE_LOOKS = 100000 }; /* of the gate, 2 s and more */
enum { GATE_S = 2 };                        /* then a launch that waits is let go */

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
    bool can_gate, can_flush;
    uint32_t gate; /* the last value that was waited for */
    void *copies[CPPROF_ARRAYS_MAX];
    size_t input_bytes[CPPROF_ARRAYS_MAX], output_bytes[CPPROF_ARRAYS_MAX];
    /* The first ones are launched in turn outside of series. */
    size_t slots, in_turn;
    bool is_rotated;
    cudaGraphExec_t replays[JUDGE_SLOTS_MAX]; /* a launch on each slot; NULL: it is called */
    void *state;                              /* the solution's */
    int64_t set_up_ns;                        /* of its set_up; 0: it has none */
    uint64_t launches;
    uint64_t launched;          /* slots, 1 << number, since the poison before the last launch */
    bool is_poisoned;           /* since the last launch that was called */
    bool is_timed;              /* series were, since the last verification */
    uint64_t order;             /* nobody knows it */
    bool is_series;             /* one is captured now */
    bool is_refused;            /* a launch of the series failed */
    bool is_captured;           /* the last series was, since the last verification */
    size_t series_launches;     /* of the largest one since then */
    size_t captured;            /* launches of the last one */
    struct series_order series; /* the launches that are captured */
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
    rank_streams_close(&a->ranks.gpus);
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
    int status = rank_streams_open(&a.ranks.gpus, ranked_task_ranks(task, config));
    if (status)
        snprintf(trouble, JUDGE_TROUBLE_BYTES, "%.60s", cudaGetErrorString((cudaError_t)status));
    request.device = a.ranks.gpus.devices[0];
    if (!status && judge_client_ask(judging, a.stream, &request, &made) != JUDGE_GONE) {
        if ((status = made.status))
            memcpy(trouble, made.trouble, sizeof made.trouble);
        else {
            a.id = made.arm;
            status = launch_ranks_map(&a.ranks, a.id, &made, trouble);
            leave(&a);
        }
    }
    rank_streams_close(&a.ranks.gpus);
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
        .wish = JUDGE_RESERVE, .seed = a->seed, .config = a->config, .device = a->ranks.gpus.devices[0]};
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
    a->in_turn = made.in_turn;
    a->is_rotated = made.is_rotated;
    a->can_gate = made.can_gate;
    a->can_flush = made.can_flush;
    judge_layout_make(&layout, a->task, &a->config, made.slots, workspace);
    if (made.slots > JUDGE_SLOTS_MAX || made.in_turn > made.slots || !made.in_turn || layout.bytes != made.bytes)
        return complain(cudaErrorInvalidValue, "its buffers are not those that the runner reckons with");
    char trouble[JUDGE_TROUBLE_BYTES];
    status = launch_ranks_map(&a->ranks, a->id, &made, trouble);
    if (status)
        return complain(status, trouble);
    find_places(a, &layout, made.slots, workspace > 0);
    return 0;
}

/* The solution packs the constant inputs; all of its work is over then. */
static int pack(struct judged_arm *a, struct CUstream_st *stream)
{
    if (!a->of->solution.set_up || !a->task->constant_inputs || a->is_lost)
        return 0;
    const int64_t begin_ns = clock_now_ns();
    int status = launch_ranks_set_up(&a->ranks, &a->of->solution, a->state, a->task, &a->config, stream);
    if (!status)
        status = launch_ranks_synchronize(&a->ranks);
    a->set_up_ns = clock_now_ns() - begin_ns;
    return status;
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
    a->slots = a->in_turn = 1; /* whatever becomes of the judge */
    struct err e = {0};
    int status = ranked_task_get(&a->task, a->of->task, config, &e) ? complain(cudaErrorInvalidValue, e.text) : 0;
    if (!status && (status = rank_streams_open(&a->ranks.gpus, ranked_task_ranks(a->task, config))))
        complain(status, "the devices of the runner cannot be used");
    if (!status)
        status = reserve(a);
    a->state = status ? NULL : announced->given;
    /* Without data: no buffer is there yet. */
    if (!status && a->of->solution.prepare && (status = a->of->solution.prepare(&a->config, &a->state)))
        a->state = NULL; /* one that fails has cleaned up */
    if (!status)
        status = rank_streams_use(&a->ranks.gpus, 0); /* it may have left another one */
    if (!status)
        status = open_memory(a);
    if (!status)
        status = pack(a, stream);
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

/* A launch on a slot. */
static int record(struct judged_arm *a, size_t slot, cudaGraphExec_t *out, struct CUstream_st *stream)
{
    cudaGraph_t graph = NULL;
    int status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (status)
        return status;
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
            status = record(a, slot, &a->replays[slot], stream);
    return status;
}

/* Each launch takes the next one: as many in a row as there are have inputs of their own. */
static size_t next_slot(struct judged_arm *a)
{
    return a->launches++ % (a->is_series ? a->slots : a->in_turn);
}

static int launch(void *opaque, struct CUstream_st *stream)
{
    struct judged_arm *a = opaque;
    const size_t slot = next_slot(a);
    if (a->is_poisoned)
        a->launched = 0;
    a->is_poisoned = false;
    a->launched |= (uint64_t)1 << slot;
    a->captured += a->is_series;
    a->series_launches = a->captured > a->series_launches ? a->captured : a->series_launches;
    const int status = launch_on(a, slot, stream);
    if (!status)
        series_order_launched(&a->series, stream);
    a->is_refused |= status != 0;
    return status;
}

/* A series is captured into a graph: a launch on each of its slots, from the first one on. */
static int begin_series(void *opaque, struct CUstream_st *stream)
{
    struct judged_arm *a = opaque;
    a->launched = 0;
    a->launches = 0;
    a->is_poisoned = false;
    a->is_series = true;
    a->is_refused = false;
    a->captured = 0;
    series_order_begin(&a->series, stream);
    return 0;
}

static int end_series(void *opaque, struct CUstream_st *stream)
{
    struct judged_arm *a = opaque;
    enum cudaStreamCaptureStatus is = cudaStreamCaptureStatusNone;
    a->is_series = false;
    series_order_end(&a->series);
    a->is_captured = !a->is_refused && !cudaStreamIsCapturing(stream, &is) && is != cudaStreamCaptureStatusInvalidated;
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
        status = ranked_task_is_constant(a->task, i)
                     ? 0
                     : cudaMemcpyAsync((void *)(uintptr_t)v->inputs[1][i], v->inputs[0][i], a->input_bytes[i],
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
    const size_t at = cpprof_bits(a->order, ++a->launches) % (a->series_launches + 1);
    int status = 0;
    for (size_t i = 0; i <= a->series_launches && !status; i++) {
        if (i == at && !(status = call_on(a, 1, stream)) && !(status = change_inputs(a, stream)) &&
            !(status = call_on(a, 1, stream)))
            status = copy_outputs(a, stream);
        if (!status)
            status = call_on(a, i < a->series_launches ? i : 1, stream);
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

/* ---- timed launches ---- */

/* Where the judge is gone: the stream must not wait for ever. */
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

/* A launch that waits for the GPU inside its call would wait for ever: nothing before it ends. It may hold a lock of
 * the driver, as one does that loads a kernel, so no call of this process opens the gate. */
struct gate_watch {
    struct judged_arm *of;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_over, is_opened;
};

static void *watch_gate(void *context)
{
    struct gate_watch *w = context;
    struct timespec end;
    int waited = 0;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += GATE_S;
    pthread_mutex_lock(&w->lock);
    while (!w->is_over && !waited)
        waited = pthread_cond_timedwait(&w->changed, &w->lock, &end);
    if (!w->is_over) {
        struct judge_request request = {.wish = JUDGE_OPEN, .gate = w->of->gate};
        struct judge_reply reply;
        w->is_opened = true;
        ask(w->of, &request, &reply);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static bool gate_watch_begin(struct gate_watch *w, struct judged_arm *a)
{
    *w = (struct gate_watch){.of = a};
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    return !pthread_create(&w->thread, NULL, watch_gate, w);
}

/* Returns whether the gate had to be opened. */
static bool gate_watch_end(struct gate_watch *w)
{
    pthread_mutex_lock(&w->lock);
    w->is_over = true;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    return w->is_opened;
}

/* A gate that the judge opened is open; that nothing is stuck before it is made sure all the same. The launch itself
 * takes as long as it takes. */
static int wait_for_launch(struct judged_arm *a, struct CUevent_st *opened, struct CUstream_st *stream)
{
    for (int looks = 0; looks < GATE_LOOKS && launch_time_is_to_come(opened); looks++)
        usleep(GATE_US);
    if (launch_time_is_to_come(opened)) {
        fprintf(stderr, "the judge filled slots, but the stream that waits for it does not go on: from now on it does "
                        "not wait\n");
        a->can_gate = false;
        open_gate(a);
    }
    return cudaStreamSynchronize(stream);
}

static uint64_t timed_slots(const struct judged_series *s)
{
    return ((uint64_t)1 << s->launches) - 1;
}

/* The fills make each device turn to this process before anything else. */
static int submit(struct judged_arm *a, struct judged_series *s, struct CUstream_st *stream)
{
    int status = (int)cudaMemsetAsync(a->memory + JUDGE_SCRATCH_AT, 0, sizeof(uint32_t), stream);
    if (!status)
        status = launch_ranks_turn(&a->ranks, stream);
    if (!status && s->flush && !(a->can_gate && a->can_flush))
        status = s->do_flush(s->context);
    if (!status && s->lead_in)
        status = s->lead_in(s->context);
    if (!status)
        status = cudaEventRecord(s->begin, stream);
    if (!status)
        status = s->graph ? (int)cudaGraphLaunch(s->graph, stream) : launch_on(a, 0, stream);
    return status ? status : (int)cudaEventRecord(s->end, stream);
}

static int submit_watched(struct judged_arm *a, struct judged_series *s, struct CUstream_st *stream)
{
    struct gate_watch watch;
    if (!gate_watch_begin(&watch, a))
        return cudaErrorUnknown;
    const int status = submit(a, s, stream);
    s->waits = gate_watch_end(&watch);
    s->is_timed = !s->waits;
    return status;
}

static struct judge_request fresh(const struct judged_arm *a, const struct judged_series *s, uint32_t gate)
{
    return (struct judge_request){.wish = JUDGE_FRESH,
                                  .arm = a->id,
                                  .launched = timed_slots(s),
                                  .gate = gate,
                                  .flush = gate && a->can_flush ? s->flush : JUDGE_NO_FLUSH};
}

/* All of it is in the stream before anybody knows the inputs. */
static int time_behind_gate(struct judged_arm *a, struct judged_series *s, struct CUstream_st *stream)
{
    struct judge_request request = fresh(a, s, a->gate);
    struct judge_reply reply;
    int status = cudaEventRecord(s->opened, stream);
    if (!status)
        status = submit_watched(a, s, stream);
    s->is_timed &= !status && launch_time_is_to_come(s->opened);
    const int asked = status || s->waits ? status : ask(a, &request, &reply);
    if (status || asked || a->is_lost) /* a second time does no harm */
        open_gate(a);
    const int ended = wait_for_launch(a, s->opened, stream);
    return asked ? asked : ended;
}

/* Where nobody else can fill the slots while the stream waits: they are filled before, and nothing else is different.
 */
static int time_without_gate(struct judged_arm *a, struct judged_series *s, struct CUstream_st *stream)
{
    struct judge_request request = fresh(a, s, 0);
    struct judge_reply reply;
    int status = ask(a, &request, &reply);
    if (!status)
        status = submit(a, s, stream);
    s->is_timed = !status;
    return status ? status : (int)cudaStreamSynchronize(stream);
}

static int keep(struct judged_arm *a, const struct judged_series *s)
{
    struct judge_request request = {.wish = JUDGE_KEEP, .launched = timed_slots(s)};
    struct judge_reply reply;
    return ask(a, &request, &reply);
}

/* Before a hot series, on inputs that were there: its code is in the L2 cache then. */
static int bring_code(struct judged_arm *a, const struct judged_series *s, struct CUstream_st *stream)
{
    return s->lead_in ? launch_on(a, 0, stream) : 0;
}

/* In the judge's own memory, while nothing waits. */
static int draw_ahead(struct judged_arm *a, const struct judged_series *s)
{
    struct judge_request request = {.wish = JUDGE_DRAW, .launched = timed_slots(s)};
    struct judge_reply reply;
    return ask(a, &request, &reply);
}

/* First it waits for work that an earlier launch left to other streams. */
int judged_time(void *state, struct CUstream_st *stream, struct judged_series *s)
{
    struct judged_arm *a = state;
    s->is_timed = s->waits = false;
    int status = bring_code(a, s, stream);
    if (!status)
        status = launch_ranks_synchronize(&a->ranks);
    if (!status)
        status = draw_ahead(a, s);
    if (status || a->is_lost)
        return status;
    a->can_gate = a->can_gate && !gate_wait(stream, a->memory + JUDGE_GATE_AT, ++a->gate);
    status = a->can_gate ? time_behind_gate(a, s, stream) : time_without_gate(a, s, stream);
    if (!status)
        status = launch_ranks_synchronize(&a->ranks);
    s->is_timed &= !status && !a->is_lost;
    if (status || a->is_lost || s->waits)
        return status;
    status = keep(a, s);
    a->is_timed |= !status;
    s->is_timed &= !status && !a->is_lost;
    return status;
}

int judged_series_launches(const struct cpprof_variant *variant, void *state)
{
    return variant_is_judged(variant) ? (int)((const struct judged_arm *)state)->slots : 0;
}

int judged_new_inputs(const struct cpprof_variant *variant, void *state)
{
    const struct judged_arm *a = variant_is_judged(variant) ? state : NULL;
    return a && a->ranks.is_mapped ? (int)a->in_turn : 0;
}

bool judged_is_rotated(void *state)
{
    return ((const struct judged_arm *)state)->is_rotated;
}

/* So many launches that were timed are behind it, and packing came before. */
static void add_kept(struct cpprof_verification *result, const struct judge_reply *reply, const struct judged_arm *a)
{
    char text[160], packed[48] = "";
    if (a->set_up_ns)
        snprintf(packed, sizeof packed, "; set up in %lld ns", (long long)a->set_up_ns);
    snprintf(text, sizeof text, "%u timed outputs%s%s; %.40s", reply->kept, a->can_gate ? "" : " without a gate",
             packed, reply->note);
    add_note(result, reply->kept ? text : reply->note);
}

/* Behind timed launches it is about those. */
static int verify(void *opaque, struct CUstream_st *stream, struct cpprof_verification *result)
{
    struct judged_arm *a = opaque;
    const bool is_timed = a->is_timed;
    struct judge_reply reply = {0};
    struct judge_request request = {.wish = JUDGE_LOOK, .launched = is_timed ? 1 : a->launched};
    *result = (struct cpprof_verification){0};
    a->is_timed = false;
    int status = cudaStreamSynchronize(stream);
    if (!status)
        status = ask(a, &request, &reply);
    if (!status && !a->is_lost) {
        *result = reply.result;
        if (request.launched)
            status = check_order(a, stream, result);
        a->is_captured = false;
        a->series_launches = 0;
    }
    if (a->is_lost) {
        nobody_judged(result);
        return 0;
    }
    if (status)
        return status;
    if (a->series.fault && result->bad_ratio == 0)
        judged_fault(result, "%s", a->series.fault);
    add_kept(result, &reply, a);
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
    int status = cudaStreamSynchronize(stream);
    if (!status)
        status = tell(state, JUDGE_REDRAW, kind);
    return status ? status : pack(state, stream);
}
