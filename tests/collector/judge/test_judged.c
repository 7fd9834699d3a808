/* Does the judge find solutions that do not do the work, and leave alone those that do? The device is played: work of
 * the stream is done at once, and what a solution leaves to another stream is done when time passes. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/runner/device.h"
#include "collector/runner/judge/capture_nodes.h"
#include "collector/runner/judge/judge_client.h"
#include "collector/runner/judge/judge_layout.h"
#include "collector/runner/judge/judged.h"
#include "collector/runner/judge/task_problem.h"
#include "tests/collector/judge/played_stream.h"
#include "tests/test.h"

enum { N = 100, N_MAX = 1000, SERIES = 60, L2_ALL = 1 << 20, L2_ONE = 2 * N * 4 * 8, L2_NONE = 64 };

/* ---- the device ---- */

static struct {
    int l2_bytes;
    long allocations;
    void (*later)(const struct cpprof_call *call); /* what another stream still has to do */
    struct cpprof_call later_call;
} device;

static void pass_time(void)
{
    if (device.later)
        device.later(&device.later_call);
    device.later = NULL;
}

cudaError_t __wrap_cudaMalloc(void **out, size_t bytes);
cudaError_t __wrap_cudaMalloc(void **out, size_t bytes)
{
    *out = malloc(bytes);
    device.allocations++;
    return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t __wrap_cudaFree(void *at);
cudaError_t __wrap_cudaFree(void *at)
{
    free(at);
    device.allocations--;
    return cudaSuccess;
}

cudaError_t __wrap_cudaDeviceSynchronize(void);
cudaError_t __wrap_cudaDeviceSynchronize(void)
{
    pass_time();
    return cudaSuccess;
}

/* Nobody makes one here: the runner has its own, and ends it. */
cudaError_t __wrap_cudaStreamDestroy(cudaStream_t stream);
cudaError_t __wrap_cudaStreamDestroy(cudaStream_t stream)
{
    fail_msg("the stream %p was destroyed", (void *)stream);
    return cudaSuccess;
}

/* Work that nobody waits for goes on. */
int __wrap_usleep(unsigned us);
int __wrap_usleep(unsigned us)
{
    (void)us;
    pass_time();
    return 0;
}

/* The stream waits, and the others do not. */
cudaError_t __wrap_cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *context);
cudaError_t __wrap_cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *context)
{
    (void)stream, (void)function, (void)context;
    pass_time();
    return cudaSuccess;
}

cudaError_t __wrap_cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t __wrap_cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)event, (void)stream;
    return cudaSuccess;
}

cudaError_t __wrap_cudaGetDevice(int *out);
cudaError_t __wrap_cudaGetDevice(int *out)
{
    *out = 0;
    return cudaSuccess;
}

cudaError_t __wrap_cudaDeviceGetAttribute(int *out, enum cudaDeviceAttr attribute, int ordinal);
cudaError_t __wrap_cudaDeviceGetAttribute(int *out, enum cudaDeviceAttr attribute, int ordinal)
{
    (void)attribute, (void)ordinal;
    *out = device.l2_bytes;
    return cudaSuccess;
}

/* A graph is one launch, which was recorded while the stream was captured. */
static struct {
    bool is_captured, refuses;
    struct cpprof_call recorded; /* without a config: all was done while it was captured */
    long graphs, replays;
    size_t begun;
} capture;

cudaError_t __wrap_cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *out);
cudaError_t __wrap_cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *out)
{
    (void)stream;
    *out = capture.is_captured ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t __wrap_cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t __wrap_cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    (void)stream;
    assert_int_equal(mode, cudaStreamCaptureModeThreadLocal);
    capture.is_captured = true;
    capture.recorded = (struct cpprof_call){0};
    capture.begun++;
    return cudaSuccess;
}

cudaError_t __wrap_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out);
cudaError_t __wrap_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out)
{
    (void)stream;
    capture.is_captured = false;
    if (capture.refuses)
        return cudaErrorStreamCaptureInvalidated;
    struct cpprof_call *graph = malloc(sizeof *graph);
    *graph = capture.recorded;
    *out = (cudaGraph_t)graph;
    capture.graphs++;
    return cudaSuccess;
}

cudaError_t __wrap_cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags);
cudaError_t __wrap_cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
    (void)flags;
    struct cpprof_call *copy = malloc(sizeof *copy);
    memcpy(copy, graph, sizeof *copy);
    *out = (cudaGraphExec_t)copy;
    capture.graphs++;
    return cudaSuccess;
}

cudaError_t __wrap_cudaGraphUpload(cudaGraphExec_t graph, cudaStream_t stream);
cudaError_t __wrap_cudaGraphUpload(cudaGraphExec_t graph, cudaStream_t stream)
{
    (void)graph, (void)stream;
    return cudaSuccess;
}

cudaError_t __wrap_cudaGraphDestroy(cudaGraph_t graph);
cudaError_t __wrap_cudaGraphDestroy(cudaGraph_t graph)
{
    free(graph);
    capture.graphs--;
    return cudaSuccess;
}

cudaError_t __wrap_cudaGraphExecDestroy(cudaGraphExec_t graph);
cudaError_t __wrap_cudaGraphExecDestroy(cudaGraphExec_t graph)
{
    free(graph);
    capture.graphs--;
    return cudaSuccess;
}

/* A series has a node for each launch. */
static struct {
    bool is_told, is_beside; /* the nodes do not depend on each other */
    uintptr_t count;
    cudaGraphNode_t end;
} series;

int __wrap_capture_nodes_ends(cudaStream_t stream, cudaGraph_t *graph, const cudaGraphNode_t **ends, size_t *count);
int __wrap_capture_nodes_ends(cudaStream_t stream, cudaGraph_t *graph, const cudaGraphNode_t **ends, size_t *count)
{
    (void)stream;
    *graph = NULL;
    series.end = (cudaGraphNode_t)series.count;
    *ends = &series.end;
    *count = series.count != 0;
    return series.is_told ? cudaSuccess : cudaErrorNotSupported;
}

int __wrap_capture_nodes_all(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
int __wrap_capture_nodes_all(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    (void)graph, (void)nodes;
    *count = series.count;
    return 0;
}

int __wrap_capture_nodes_before(cudaGraphNode_t node, struct capture_edges *edges);
int __wrap_capture_nodes_before(cudaGraphNode_t node, struct capture_edges *edges)
{
    *edges = (struct capture_edges){.before = {(cudaGraphNode_t)((uintptr_t)node - 1)},
                                    .count = !series.is_beside && (uintptr_t)node > 1};
    return 0;
}

/* ---- the task: twice the input ---- */

static size_t values(const struct cpprof_config *config)
{
    return (size_t)config->value[0];
}

static int references;

static void reference(const struct cpprof_config *config, const void *const *inputs, double *const *outputs)
{
    references++;
    for (size_t i = 0; i < values(config); i++)
        outputs[0][i] = 2 * cpprof_value(CPPROF_F32, inputs[0], i);
}

static void where(const struct cpprof_config *config, size_t output, size_t index, char *text, size_t bytes)
{
    (void)config, (void)output;
    snprintf(text, bytes, "row %zu", index / 10);
}

static const struct cpprof_axis axes[] = {{"n", "values", CPPROF_AXIS_SHAPE, 0, N_MAX, N}};
static const struct cpprof_shape shapes[] = {{"small", {N}, 0}};
static const struct cpprof_array input = {"in", CPPROF_F32, values}, output = {"out", CPPROF_F32, values};
static const struct cpprof_task task = {
    .struct_bytes = sizeof task,
    .abi = CPPROF_TASK_ABI,
    .name = "double",
    .summary = "twice the input",
    .axes = axes,
    .axis_count = 1,
    .shapes = shapes,
    .shape_count = 1,
    .inputs = &input,
    .input_count = 1,
    .outputs = &output,
    .output_count = 1,
    .reference = reference,
    .tolerance = {1e-6, 0, "doubling is exact"},
    .where = where,
};

/* ---- solutions ---- */

static const float *in_of(const struct cpprof_call *call)
{
    return call->inputs[0];
}

static float *out_of(const struct cpprof_call *call)
{
    return call->outputs[0];
}

static void compute(const struct cpprof_call *call)
{
    for (size_t i = 0; i < values(call->config); i++)
        out_of(call)[i] = 2 * in_of(call)[i];
}

static struct {
    float cached[N_MAX];
    const void *seen[64];
    size_t seen_count, calls;
    struct cpprof_call last;
} memory; /* of solutions */

static int honest(void *state, const struct cpprof_call *call)
{
    (void)state;
    assert_int_equal(call->config->seed, 0); /* it must not know */
    assert_int_equal(call->struct_bytes, sizeof *call);
    memset(call->workspace, 7, 64);
    compute(call);
    return 0;
}

cudaError_t __wrap_cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream);
cudaError_t __wrap_cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream)
{
    (void)stream;
    const struct cpprof_call *call = (const void *)graph;
    capture.replays += call->config != NULL;
    if (call->config)
        compute(call);
    return cudaSuccess;
}

static int can_be_recorded(void *state, const struct cpprof_call *call)
{
    memory.calls++;
    if (!capture.is_captured)
        return honest(state, call);
    capture.recorded = *call;
    return 0;
}

static int does_nothing(void *state, const struct cpprof_call *call)
{
    (void)state, (void)call;
    return 0;
}

static int computes_once(void *state, const struct cpprof_call *call)
{
    (void)state;
    if (!memory.calls++)
        for (size_t i = 0; i < values(call->config); i++)
            memory.cached[i] = 2 * in_of(call)[i];
    memcpy(out_of(call), memory.cached, values(call->config) * sizeof(float));
    return 0;
}

static int computes_once_per_pointer(void *state, const struct cpprof_call *call)
{
    (void)state;
    for (size_t i = 0; i < memory.seen_count; i++)
        if (memory.seen[i] == call->inputs[0])
            return 0;
    if (memory.seen_count < 64)
        memory.seen[memory.seen_count++] = call->inputs[0];
    compute(call);
    return 0;
}

static int stops_after_ten(void *state, const struct cpprof_call *call)
{
    (void)state;
    if (memory.calls++ < 10)
        compute(call);
    return 0;
}

/* Copies the output that it computed at first for these inputs: right, as long as they do not move. */
static int keeps_outputs_per_pointer(void *state, const struct cpprof_call *call)
{
    (void)state;
    static float kept[64][N_MAX];
    size_t i = 0;
    while (i < memory.seen_count && memory.seen[i] != call->inputs[0])
        i++;
    if (i == memory.seen_count) {
        compute(call);
        memory.seen[memory.seen_count++] = call->inputs[0];
        memcpy(kept[i], out_of(call), values(call->config) * sizeof(float));
    }
    memcpy(out_of(call), kept[i], values(call->config) * sizeof(float));
    return 0;
}

static int skips_what_is_written(void *state, const struct cpprof_call *call)
{
    (void)state;
    if (isnan(out_of(call)[0]))
        compute(call);
    return 0;
}

static int leaves_a_tail(void *state, const struct cpprof_call *call)
{
    (void)state;
    for (size_t i = 0; i + 1 < values(call->config); i++)
        out_of(call)[i] = 2 * in_of(call)[i];
    return 0;
}

static int is_imprecise(void *state, const struct cpprof_call *call)
{
    (void)state;
    for (size_t i = 0; i < values(call->config); i++)
        out_of(call)[i] = 2.001f * in_of(call)[i];
    return 0;
}

static int overwrites_input(void *state, const struct cpprof_call *call)
{
    (void)state;
    compute(call);
    ((float *)(uintptr_t)call->inputs[0])[3] = 1;
    return 0;
}

static int writes_beyond(void *state, const struct cpprof_call *call)
{
    (void)state;
    compute(call);
    out_of(call)[values(call->config) + 2] = 1;
    return 0;
}

static int writes_before(void *state, const struct cpprof_call *call)
{
    (void)state;
    compute(call);
    out_of(call)[-1] = 1;
    return 0;
}

static int leaves_its_workspace(void *state, const struct cpprof_call *call)
{
    (void)state;
    compute(call);
    memset(call->workspace, 1, 65);
    return 0;
}

/* On another stream that waits for this one, but that this one does not wait for. */
static int does_not_join(void *state, const struct cpprof_call *call)
{
    (void)state;
    pass_time();
    device.later = compute;
    device.later_call = *call;
    return 0;
}

/* The work of a call is done in the next one. */
static int is_a_call_late(void *state, const struct cpprof_call *call)
{
    (void)state;
    if (memory.calls++)
        compute(&memory.last);
    memory.last = *call;
    return 0;
}

/* Computes for the next call, which may get the same buffers, when this one is done. */
static int works_ahead(void *state, const struct cpprof_call *call)
{
    (void)state;
    if (memory.calls++ && memory.last.inputs[0] == call->inputs[0])
        memcpy(out_of(call), memory.cached, values(call->config) * sizeof(float));
    else
        compute(call);
    for (size_t i = 0; i < values(call->config); i++)
        memory.cached[i] = 2 * in_of(call)[i];
    memory.last = *call;
    return 0;
}

/* ---- judging ---- */

static size_t workspace(const struct cpprof_config *config)
{
    (void)config;
    return 64;
}

struct judge {
    struct judged *judged;
    void *arm;
};

static uint64_t seed = 42;
static cudaStream_t stream; /* of the runner */

static void open_judge(struct judge *j, int (*launch)(void *, const struct cpprof_call *), int64_t n, int l2_bytes)
{
    const struct cpprof_solution solution = {
        .struct_bytes = sizeof solution, .abi = CPPROF_TASK_ABI, .launch = launch, .workspace = workspace};
    const struct cpprof_config config = {.value = {n}, .seed = seed};
    struct err e = {0};
    memset(&memory, 0, sizeof memory);
    memset(&device, 0, sizeof device);
    device.l2_bytes = l2_bytes;
    assert_int_equal(judged_make(&j->judged, &task, &solution, "v1", 2, &e), 0);
    judged_announce(&j->judged->variant);
    assert_int_equal(j->judged->variant.setup(&config, stream, &j->arm), 0);
}

static void close_judge(struct judge *j)
{
    j->judged->variant.teardown(j->arm);
    assert_int_equal(device.allocations, 0);
    free(j->judged);
}

static struct cpprof_verification judge_series(struct judge *j, int launches)
{
    const struct cpprof_variant *v = &j->judged->variant;
    struct cpprof_verification result;
    assert_int_equal(v->poison(j->arm, stream), 0);
    for (int i = 0; i < launches; i++)
        assert_int_equal(v->launch(j->arm, stream), 0);
    pass_time();
    assert_int_equal(v->verify(j->arm, stream, &result), 0);
    return result;
}

/* A launch is verified, some follow without being looked at, and the outputs of a series are verified. */
/* What is there already was computed beside the launches, by whoever waits for new inputs. */
static int fills_ahead(void *state, const struct cpprof_call *call)
{
    (void)state;
    if (isnan(out_of(call)[0]))
        compute(call);
    device.later = compute;
    device.later_call = *call;
    return 0;
}

TEST(every_cheat_is_found)
{
    static const struct {
        const char *name;
        int (*launch)(void *, const struct cpprof_call *);
        const char *says; /* part of the hint */
    } solutions[] = {
        {"does nothing", does_nothing, "never written"},
        {"computes once", computes_once, ""},
        {"computes once per pointer", computes_once_per_pointer, "never written"},
        {"keeps outputs per pointer", keeps_outputs_per_pointer, "allowed: "},
        {"stops after ten", stops_after_ten, "never written"},
        {"leaves a tail", leaves_a_tail, "1 of 1 bad values were never written"},
        {"is imprecise", is_imprecise, "allowed: 1e-06 + 0 of the reference (doubling is exact)"},
        {"overwrites its input", overwrites_input, "wrote into its input in, at value 3"},
        {"writes beyond", writes_beyond, "beyond the end of out, 8 bytes behind"}, /* 2 floats away */
        {"writes before", writes_before, "wrote 4 bytes before out"},
        {"leaves its workspace", leaves_its_workspace, "outside of its workspace, at byte 64"},
        {"does not join", does_not_join, "on another stream is not joined"},
        {"works ahead", works_ahead, "an earlier launch did some of its work"},
        {"fills ahead", fills_ahead, "outputs were written to before the launch"},
        {"is a call late", is_a_call_late, ""},
        {"skips what is written", skips_what_is_written, "an earlier launch did some of its work"},
    };
    static const int caches[] = {L2_ALL, L2_ONE, L2_NONE};
    for (size_t i = 0; i < COUNT_OF(solutions); i++)
        for (size_t cache = 0; cache < COUNT_OF(caches); cache++) {
            struct judge j;
            open_judge(&j, solutions[i].launch, N, caches[cache]);
            const struct cpprof_verification first = judge_series(&j, 1);
            for (int warm = 0; warm < 20; warm++)
                j.judged->variant.launch(j.arm, NULL);
            const struct cpprof_verification last = judge_series(&j, SERIES);
            if (last.bad_ratio == 0)
                fail_msg("'%s' passes with a cache of %d bytes", solutions[i].name, caches[cache]);
            if (!strstr(last.hint, solutions[i].says) && !strstr(first.hint, solutions[i].says))
                fail_msg("'%s': '%s' and '%s' without '%s'", solutions[i].name, first.hint, last.hint,
                         solutions[i].says);
            close_judge(&j);
        }
}

TEST(an_honest_solution_passes)
{
    static const int64_t sizes[] = {N, 1, 99, 0};
    static const int caches[] = {L2_ALL, L2_ONE, L2_NONE};
    for (size_t size = 0; size < 4; size++)
        for (size_t cache = 0; cache < 3; cache++) {
            struct judge j;
            open_judge(&j, honest, sizes[size], caches[cache]);
            for (int kind = -1; kind < CPPROF_DRAW_KINDS; kind++) {
                assert_int_equal(kind < 0 ? 0 : judged_redraw(j.arm, kind, NULL), 0);
                const struct cpprof_verification one = judge_series(&j, 1), many = judge_series(&j, SERIES);
                if (one.bad_ratio != 0 || many.bad_ratio != 0 || strncmp(one.hint, "inside, salt ", 13) ||
                    !one.values || !many.values)
                    fail_msg("n=%d, draw %d: %s%s", (int)sizes[size], kind, one.hint, many.hint);
                assert_true(one.output_hash && many.output_hash);
            }
            close_judge(&j);
        }
}

TEST(mismatches_have_places)
{
    struct judge j;
    open_judge(&j, leaves_a_tail, N, L2_ONE);
    const struct cpprof_verification result = judge_series(&j, 1);
    assert_int_equal(result.mismatch_count, 1);
    assert_int_equal(result.mismatches[0].index, 99);
    assert_string_equal(result.mismatches[0].where, "out[99], row 9, never written");
    assert_true(result.values == 100 && result.bad_ratio == 0.01);
    close_judge(&j);
}

static const void *seen[SERIES];
static size_t seen_count;

static int is_looked_at(void *state, const struct cpprof_call *call)
{
    if (seen_count < SERIES)
        seen[seen_count++] = call->inputs[0];
    return honest(state, call);
}

static size_t distinct(const void *const *pointers, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t before = 0;
        while (pointers[before] != pointers[i])
            before++;
        found += before == i;
    }
    return found;
}

/* As many as fit into a quarter of the cache, of 800 bytes each; four do in 12,800. Two take twice a small one each. */
TEST(launches_of_a_series_have_inputs_of_their_own)
{
    static const struct {
        int l2_bytes, launches;
        bool is_rotated;
    } caches[] = {{25600, 8, false}, {12800, 4, false}, {12799, 32, true},
                  {800, 4, true},    {399, 2, true},    {L2_ALL, 63, false}};
    for (size_t i = 0; i < COUNT_OF(caches); i++) {
        struct judge j;
        open_judge(&j, is_looked_at, N, caches[i].l2_bytes);
        const struct cpprof_variant *v = &j.judged->variant;
        const int launches = judged_series_launches(v, j.arm);
        assert_int_equal(launches, caches[i].launches);
        assert_int_equal(judged_is_rotated(j.arm), caches[i].is_rotated);
        for (int time = 0; time < 2; time++) {
            seen_count = 0;
            v->fork(j.arm, NULL);
            for (int launch = 0; launch < launches; launch++)
                v->launch(j.arm, NULL);
            v->join(j.arm, NULL);
            assert_int_equal(distinct(seen, seen_count), launches < SERIES ? launches : SERIES);
        }
        close_judge(&j);
    }
    assert_int_equal(judged_series_launches(&(struct cpprof_variant){0}, NULL), 0);
}

/* What a graph launches is captured once, between fork and join, and replayed without a call. */
TEST(replayed_launches_are_verified)
{
    struct judge j;
    struct cpprof_verification result;
    open_judge(&j, honest, N, L2_ALL);
    const struct cpprof_variant *v = &j.judged->variant;
    assert_true(cpprof_variant_forks_once(v));
    v->poison(j.arm, NULL);
    v->launch(j.arm, NULL);
    v->fork(j.arm, NULL);
    for (int i = 0; i < 3; i++)
        v->launch(j.arm, NULL);
    v->join(j.arm, NULL);
    assert_int_equal(v->verify(j.arm, NULL, &result), 0);
    assert_true(result.bad_ratio == 0);
    assert_true(result.values >= N && result.values <= 3 * N); /* the slots of three launches and no other */
    v->poison(j.arm, NULL);                                    /* and a replay that writes nothing */
    assert_int_equal(v->verify(j.arm, NULL, &result), 0);
    assert_true(result.bad_ratio > 0);
    assert_null(strstr(result.hint, "not poisoned"));
    close_judge(&j);
}

static int is_captured(void *state, const struct cpprof_call *call)
{
    series.count++;
    return honest(state, call);
}

TEST(launches_beside_others_are_wrong)
{
    for (int is_beside = 0; is_beside < 2; is_beside++) {
        struct judge j;
        open_judge(&j, is_captured, N, L2_ALL);
        memset(&series, 0, sizeof series);
        series.is_told = true;
        series.is_beside = is_beside;
        j.judged->variant.fork(j.arm, NULL);
        for (int i = 0; i < 3; i++)
            j.judged->variant.launch(j.arm, NULL);
        j.judged->variant.join(j.arm, NULL);
        const struct cpprof_verification result = judge_series(&j, 1);
        assert_true(result.bad_ratio == is_beside);
        assert_true(!is_beside == !strstr(result.hint, "does not wait for the one before it"));
        close_judge(&j);
    }
    series.is_told = false;
}

/* A launch of a graph that is not the first one on its buffers there does nothing. */
static int works_once_in_a_graph(void *state, const struct cpprof_call *call)
{
    static size_t known;
    (void)state;
    if (known != capture.begun)
        memory.seen_count = 0;
    known = capture.begun;
    for (size_t i = 0; capture.is_captured && i < memory.seen_count; i++)
        if (memory.seen[i] == call->inputs[0])
            return 0;
    if (capture.is_captured)
        memory.seen[memory.seen_count++] = call->inputs[0];
    compute(call);
    return 0;
}

TEST(launches_amid_a_graph_do_their_work)
{
    for (int is_honest = 0; is_honest < 2; is_honest++) {
        struct judge j;
        open_judge(&j, is_honest ? honest : works_once_in_a_graph, N, L2_ALL);
        for (int time = 0; time < 20; time++) { /* it is another place each time */
            j.judged->variant.fork(j.arm, NULL);
            for (int i = 0; i < 3; i++)
                j.judged->variant.launch(j.arm, NULL);
            j.judged->variant.join(j.arm, NULL);
            const struct cpprof_verification result = judge_series(&j, SERIES);
            assert_int_equal(result.bad_ratio == 0, is_honest);
            assert_true(is_honest || strstr(result.hint, "between two launches of a graph"));
        }
        close_judge(&j);
        assert_int_equal(capture.graphs, 0);
    }
}

static int refuses_graphs(void *state, const struct cpprof_call *call)
{
    return capture.is_captured ? 901 : honest(state, call);
}

/* Else the graph that nobody could make would be what makes it wrong. */
TEST(launches_that_no_graph_can_hold_are_verified)
{
    struct judge j;
    open_judge(&j, refuses_graphs, N, L2_ALL);
    capture.is_captured = true;
    j.judged->variant.fork(j.arm, NULL);
    assert_int_not_equal(j.judged->variant.launch(j.arm, NULL), 0);
    j.judged->variant.join(j.arm, NULL);
    capture.is_captured = false;
    const struct cpprof_verification result = judge_series(&j, 1);
    assert_true(result.bad_ratio == 0);
    close_judge(&j);
}

static bool is_idle;

static int rests_meanwhile(void *state, const struct cpprof_call *call)
{
    return is_idle ? 0 : honest(state, call);
}

static int leads_in(void *unused)
{
    (void)unused;
    return 0;
}

static void time_one(struct judge *j, bool is_cold)
{
    struct judged_series one = {.launches = 1, .lead_in = is_cold ? NULL : leads_in};
    assert_int_equal(judged_time(j->arm, stream, &one), 0);
    assert_true(one.is_timed && !one.waits);
}

/* Whoever is right only where the last series is verified. */
TEST(each_series_is_judged)
{
    for (int rests = 0; rests < 2; rests++) {
        struct judge j;
        struct cpprof_verification result;
        open_judge(&j, rests_meanwhile, N, L2_ONE);
        for (int turn = 0; turn < 4; turn++) {
            is_idle = rests && turn == 1;
            time_one(&j, turn % 2);
        }
        is_idle = false;
        assert_int_equal(j.judged->variant.verify(j.arm, NULL, &result), 0);
        assert_int_equal(result.values, 4 * N);
        assert_true(result.bad_ratio == (rests ? 0.25 : 0));
        assert_non_null(strstr(result.hint, "4 timed outputs without a gate; inside, salt "));
        assert_true(!rests || strstr(result.hint, "never written; 4"));
        assert_true(judge_series(&j, 1).bad_ratio == 0);
        close_judge(&j);
    }
}

/* Of more series than can be kept, each has the same chance. */
TEST(any_series_may_be_kept)
{
    struct judge j;
    struct cpprof_verification result;
    int found = 0;
    open_judge(&j, rests_meanwhile, N, L2_ONE);
    for (int run = 0; run < 40; run++) {
        for (int turn = 0; turn < 2 * JUDGE_KEPT_MAX; turn++) {
            is_idle = turn == 0;
            time_one(&j, true);
        }
        is_idle = false;
        assert_int_equal(j.judged->variant.verify(j.arm, NULL, &result), 0);
        assert_int_equal(result.values, JUDGE_KEPT_MAX * N);
        found += result.bad_ratio > 0;
    }
    close_judge(&j);
    assert_in_range(found, 4, 36); /* 20 on average: fewer or more happen once in 10^7 */
}

/* Known by all of their values. */
static int keeps_by_content(void *state, const struct cpprof_call *call)
{
    static float kept[64][N_MAX], keys[64][N_MAX];
    const size_t bytes = values(call->config) * sizeof(float);
    size_t i = 0;
    (void)state;
    while (i < memory.seen_count && memcmp(keys[i], in_of(call), bytes) != 0)
        i++;
    if (i == memory.seen_count) {
        compute(call);
        memcpy(keys[memory.seen_count++], in_of(call), bytes);
        memcpy(kept[i], out_of(call), bytes);
    }
    memcpy(out_of(call), kept[i], bytes);
    return 0;
}

TEST(no_timed_launch_has_inputs_that_were_there)
{
    struct judge j;
    open_judge(&j, keeps_by_content, N, L2_ONE);
    for (int turn = 1; turn <= 20; turn++) {
        time_one(&j, true);
        assert_int_equal(memory.seen_count, turn);
    }
    const size_t before = memory.seen_count;
    time_one(&j, false); /* the launch before it has inputs that were there */
    assert_int_equal(memory.seen_count, before + 1);
    close_judge(&j);
}

/* Nobody else may say which inputs were timed. */
TEST(what_was_not_new_does_not_count)
{
    struct judge j;
    struct cpprof_verification result;
    struct judge_reply reply;
    open_judge(&j, honest, N, L2_ONE);
    time_one(&j, true);
    const struct judge_request again = {.wish = JUDGE_KEEP, .arm = 1, .launched = 1};
    for (uint32_t arm = 1; arm < 4096; arm++) {
        struct judge_request of = again;
        of.arm = arm;
        judge_client_ask(&task, stream, &of, &reply);
    }
    assert_int_equal(j.judged->variant.verify(j.arm, NULL, &result), 0);
    assert_true(result.bad_ratio == 1 && strstr(result.hint, "whose inputs were not new"));
    close_judge(&j);
}

/* Work in a second stream of the process would make launches in graphs take longer. */
TEST(the_judge_works_in_the_stream_of_the_runner)
{
    static const int caches[] = {L2_ALL, L2_ONE, L2_NONE};
    static int runners;
    stream = (cudaStream_t)(void *)&runners;
    for (size_t cache = 0; cache < 3; cache++) {
        struct judge j;
        judge_client_stop(); /* the next one is new */
        memset(&played_streams, 0, sizeof played_streams);
        played_streams.own = stream;
        open_judge(&j, honest, N, caches[cache]);
        const long at_first = played_streams.in_own;
        assert_true(judge_series(&j, 1).bad_ratio == 0);
        assert_int_equal(judged_redraw(j.arm, CPPROF_SORTED, stream), 0);
        time_one(&j, false);
        assert_true(judge_series(&j, SERIES).bad_ratio == 0);
        close_judge(&j);
        assert_true(at_first > 0 && played_streams.in_own > at_first);
        assert_int_equal(played_streams.elsewhere, 0);
        assert_int_equal(played_streams.made, 0);
    }
    judge_client_stop();
    stream = NULL;
    memset(&played_streams, 0, sizeof played_streams);
}

/* Each slot has its own graph, and a launch that is part of a series is called. */
TEST(single_launches_are_replayed)
{
    static const int caches[] = {L2_ALL, L2_ONE, L2_NONE};
    for (size_t cache = 0; cache < 3; cache++) {
        struct judge j;
        open_judge(&j, can_be_recorded, N, caches[cache]);
        const struct cpprof_variant *v = &j.judged->variant;
        capture.refuses = true;
        assert_int_equal(judged_replay(v, j.arm, NULL), cudaErrorStreamCaptureInvalidated);
        capture.refuses = false;
        assert_true(judge_series(&j, SERIES).bad_ratio == 0);
        assert_int_equal(capture.replays, 0);
        assert_int_equal(judged_replay(v, j.arm, NULL), 0);
        const size_t calls = memory.calls;
        const struct cpprof_verification result = judge_series(&j, SERIES);
        assert_true(result.bad_ratio == 0 && result.values >= N);
        assert_int_equal(judged_redraw(j.arm, CPPROF_SORTED, NULL), 0);
        assert_true(judge_series(&j, 1).bad_ratio == 0);
        assert_int_equal(memory.calls, calls);
        assert_true(capture.replays > SERIES);
        capture.is_captured = true;
        assert_int_equal(v->launch(j.arm, NULL), 0);
        capture.is_captured = false;
        assert_int_equal(memory.calls, calls + 1);
        close_judge(&j);
        assert_int_equal(capture.graphs, 0);
        capture.replays = 0;
    }
    const struct cpprof_variant other = {.struct_bytes = sizeof other};
    assert_int_equal(judged_replay(&other, NULL, NULL), 0);
}

/* No value was compared: that is no pass. */
TEST(nothing_launched_is_nothing_verified)
{
    struct judge j;
    struct cpprof_verification result;
    open_judge(&j, honest, N, L2_ALL);
    assert_int_equal(j.judged->variant.verify(j.arm, NULL, &result), 0);
    assert_int_equal(result.values, 0);
    close_judge(&j);
}

static void is_infinite(const struct cpprof_config *config, const void *const *inputs, double *const *outputs)
{
    (void)inputs;
    for (size_t i = 0; i < values(config); i++)
        outputs[0][i] = (double)INFINITY;
}

/* A part of an infinite reference is infinite, too, and every number is that near. */
TEST(only_infinity_is_near_infinity)
{
    static const float got[] = {INFINITY, -INFINITY, 1, NAN};
    struct cpprof_task infinite = task;
    const struct cpprof_config config = {.value = {4}};
    struct cpprof_verification result = {0};
    struct compare_found found;
    struct task_problem *problem;
    struct err e = {0};
    infinite.reference = is_infinite;
    infinite.tolerance.relative = 1e-3;
    assert_int_equal(task_problem_get(&problem, &infinite, &config, &(struct cpprof_draw){1, CPPROF_RANDOM}, &e), 0);
    assert_int_equal(task_problem_expect(problem, &e), 0);
    task_problem_compare(problem, 0, got, &result, &found);
    assert_true(result.values == 4 && result.bad_ratio == 0.75 && found.bad == 3 && found.first == 1);
    task_problem_release(problem);
}

/* The arms of a process that are verified with the same inputs share references, one after the other too. */
TEST(arms_share_references)
{
    enum { ELSEWHERE_UNUSED = 77 };
    struct judge first, second;
    const int before = references;
    open_judge(&first, honest, ELSEWHERE_UNUSED, L2_ALL);
    assert_int_equal(references, before); /* nobody has asked */
    const struct cpprof_verification one = judge_series(&first, 1);
    const int asked = references;
    assert_in_range(asked - before, 1, 3);
    close_judge(&first);
    open_judge(&second, honest, ELSEWHERE_UNUSED, L2_ALL);
    const struct cpprof_verification other = judge_series(&second, 1);
    assert_int_equal(references, asked);
    assert_true(one.output_hash == other.output_hash);
    assert_int_equal(judged_redraw(second.arm, CPPROF_SORTED, NULL), 0);
    assert_true(judge_series(&second, SERIES).bad_ratio == 0);
    close_judge(&second);
}

/* Also where the problem of a slot is the one that it had, or has its address. */
TEST(inputs_of_a_draw_are_put_there_anew)
{
    struct judge j;
    open_judge(&j, is_looked_at, N, L2_ONE);
    seen_count = 0;
    assert_int_equal(judged_redraw(j.arm, CPPROF_SORTED, NULL), 0);
    assert_int_equal(j.judged->variant.launch(j.arm, NULL), 0);
    ((float *)(uintptr_t)seen[0])[3] = -77;
    assert_int_equal(judged_redraw(j.arm, CPPROF_SORTED, NULL), 0);
    assert_true(judge_series(&j, 1).bad_ratio == 0);
    close_judge(&j);
}

static int fails(const struct cpprof_config *config, void **state)
{
    (void)config, (void)state;
    return cudaErrorNotSupported;
}

TEST(a_failed_preparation_is_said_and_cleaned_up)
{
    const struct cpprof_solution solution = {
        .struct_bytes = sizeof solution, .abi = CPPROF_TASK_ABI, .launch = honest, .prepare = fails};
    const struct cpprof_config config = {.value = {N}, .seed = 42};
    struct judged *judged;
    struct err e = {0};
    void *arm = NULL;
    memset(&device, 0, sizeof device);
    assert_int_equal(judged_make(&judged, &task, &solution, "v1", 2, &e), 0);
    judged_announce(&judged->variant);
    assert_int_equal(judged->variant.setup(&config, NULL, &arm), cudaErrorNotSupported);
    assert_null(arm);
    assert_int_equal(device.allocations, 0);
    free(judged);
}

/* ---- constant inputs ---- */

static void weighted(const struct cpprof_config *config, const void *const *inputs, double *const *outputs)
{
    for (size_t i = 0; i < values(config); i++)
        outputs[0][i] = cpprof_value(CPPROF_F32, inputs[0], i) + cpprof_value(CPPROF_F32, inputs[1], i);
}

static const struct cpprof_array weighted_inputs[] = {{"in", CPPROF_F32, values}, {"weights", CPPROF_F32, values}};

/* It stays: problems that may be used again point to it. */
static const struct cpprof_task *weighted_task(void)
{
    static struct cpprof_task made;
    made = task;
    made.tolerance.relative = 1e-6;
    made.inputs = weighted_inputs;
    made.input_count = 2;
    made.reference = weighted;
    made.constant_inputs = 1u << 1;
    return &made;
}

static struct {
    float weights[N], others[N];
    const void *at;
    int set_ups, launches;
} packed;

static int packs(void *state, const struct cpprof_call *call)
{
    (void)state;
    assert_null(call->inputs[0]);
    assert_null(call->outputs[0]);
    assert_null(call->workspace);
    assert_int_equal(call->ranks, 1);
    memcpy(packed.others, packed.weights, sizeof packed.others);
    memcpy(packed.weights, call->inputs[1], sizeof packed.weights);
    packed.at = call->inputs[1];
    packed.set_ups++;
    packed.launches = 0;
    return 0;
}

static int uses_packed(void *state, const struct cpprof_call *call)
{
    (void)state;
    assert_ptr_equal(call->inputs[1], packed.at); /* one copy for all slots */
    assert_memory_equal(call->inputs[1], packed.weights, sizeof packed.weights);
    for (size_t i = 0; i < values(call->config); i++)
        out_of(call)[i] = in_of(call)[i] + packed.weights[i];
    return 0;
}

static int keeps_the_result(void *state, const struct cpprof_call *call)
{
    (void)state;
    for (size_t i = 0; i < values(call->config) && !packed.launches; i++)
        memory.cached[i] = in_of(call)[i] + packed.weights[i];
    packed.launches++;
    memcpy(out_of(call), memory.cached, values(call->config) * sizeof(float));
    return 0;
}

static int writes_weights(void *state, const struct cpprof_call *call)
{
    uses_packed(state, call);
    ((float *)(uintptr_t)call->inputs[1])[3] = packed.weights[3] = 1;
    out_of(call)[3] = in_of(call)[3] + 1;
    return 0;
}

static void open_weighted(struct judge *j, const struct cpprof_task *of,
                          int (*launches)(void *, const struct cpprof_call *), uint64_t run_seed, int l2_bytes)
{
    const struct cpprof_solution solution = {
        .struct_bytes = sizeof solution, .abi = CPPROF_TASK_ABI, .launch = launches, .set_up = packs};
    const struct cpprof_config config = {.value = {N}, .seed = run_seed};
    struct err e = {0};
    memset(&device, 0, sizeof device);
    memset(&packed, 0, sizeof packed);
    device.l2_bytes = l2_bytes;
    assert_int_equal(judged_make(&j->judged, of, &solution, "v1", 2, &e), 0);
    judged_announce(&j->judged->variant);
    assert_int_equal(j->judged->variant.setup(&config, NULL, &j->arm), 0);
    assert_int_equal(packed.set_ups, 1);
}

TEST(constant_inputs_can_be_packed)
{
    static const int caches[] = {L2_ALL, L2_ONE, L2_NONE};
    const struct cpprof_task *of = weighted_task();
    for (size_t cache = 0; cache < 3; cache++) {
        struct judge j;
        open_weighted(&j, of, uses_packed, 42, caches[cache]);
        for (int kind = -1; kind < CPPROF_DRAW_KINDS; kind++) {
            assert_int_equal(kind < 0 ? 0 : judged_redraw(j.arm, kind, NULL), 0);
            assert_int_equal(packed.set_ups, kind + 2);
            assert_memory_not_equal(packed.weights, packed.others, sizeof packed.weights);
            const struct cpprof_verification one = judge_series(&j, 1), many = judge_series(&j, SERIES);
            if (one.bad_ratio != 0 || many.bad_ratio != 0 || !strstr(many.hint, "salt "))
                fail_msg("draw %d: %s, %s", kind, one.hint, many.hint);
        }
        close_judge(&j);
    }
}

TEST(results_of_constant_inputs_alone_are_wrong)
{
    const struct cpprof_task *of = weighted_task();
    struct judge j;
    open_weighted(&j, of, keeps_the_result, 42, L2_ALL);
    judge_series(&j, 1);
    assert_true(judge_series(&j, SERIES).bad_ratio != 0);
    close_judge(&j);
    open_weighted(&j, of, writes_weights, 42, L2_ALL);
    assert_non_null(strstr(judge_series(&j, 1).hint, "wrote into its input weights, at value 3"));
    close_judge(&j);
}

/* A quarter of the cache holds the constant input of 400 bytes, and 800 for each launch. */
TEST(constant_inputs_are_there_once)
{
    static struct judge_layout layout;
    const struct cpprof_task *of = weighted_task();
    const struct cpprof_config config = {.value = {N}};
    bool is_rotated;
    judge_layout_make(&layout, of, &config, 3, 0);
    for (size_t slot = 1; slot < 3; slot++) {
        assert_true(layout.inputs[slot][1] == layout.inputs[0][1]);
        assert_true(layout.inputs[slot][0] > layout.inputs[slot - 1][0]);
    }
    assert_true(judge_layout_moved(of, &config) == 800);
    assert_int_equal(judge_layout_series(of, &config, 4 * (400 + 8 * 800), &is_rotated), 8);
    assert_false(is_rotated);
    assert_int_equal(judge_layout_series(of, &config, 4 * (400 + 4 * 800) - 4, &is_rotated), 36); /* 28,792 / 800 */
    assert_true(is_rotated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cheat_is_found),
        cmocka_unit_test(an_honest_solution_passes),
        cmocka_unit_test(mismatches_have_places),
        cmocka_unit_test(launches_of_a_series_have_inputs_of_their_own),
        cmocka_unit_test(replayed_launches_are_verified),
        cmocka_unit_test(launches_beside_others_are_wrong),
        cmocka_unit_test(each_series_is_judged),
        cmocka_unit_test(launches_amid_a_graph_do_their_work),
        cmocka_unit_test(launches_that_no_graph_can_hold_are_verified),
        cmocka_unit_test(any_series_may_be_kept),
        cmocka_unit_test(no_timed_launch_has_inputs_that_were_there),
        cmocka_unit_test(what_was_not_new_does_not_count),
        cmocka_unit_test(the_judge_works_in_the_stream_of_the_runner),
        cmocka_unit_test(single_launches_are_replayed),
        cmocka_unit_test(nothing_launched_is_nothing_verified),
        cmocka_unit_test(only_infinity_is_near_infinity),
        cmocka_unit_test(arms_share_references),
        cmocka_unit_test(inputs_of_a_draw_are_put_there_anew),
        cmocka_unit_test(constant_inputs_can_be_packed),
        cmocka_unit_test(results_of_constant_inputs_alone_are_wrong),
        cmocka_unit_test(constant_inputs_are_there_once),
        cmocka_unit_test(a_failed_preparation_is_said_and_cleaned_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
