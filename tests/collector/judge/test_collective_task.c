/* Is a solution that works on several GPUs launched on all of them, and judged by what each has? Two GPUs are played:
 * their work is done at once, and each sees memory that a judge shares at addresses of its own. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/runner/device.h"
#include "collector/runner/judge/compare_device.h"
#include "collector/runner/judge/draw_device.h"
#include "collector/runner/judge/judge_answer.h"
#include "collector/runner/judge/judge_client.h"
#include "collector/runner/judge/judged.h"
#include "collector/runner/judge/launch_ranks.h"
#include "collector/runner/judge/task_library.h"
#include "collector/runner/variant_check.h"
#include "tests/collector/judge/played_stream.h"
#include "tests/test.h"

enum { N = 100, RANKS = 2, WORKSPACE = 64, TOKEN = 4711, BLOCKS_MAX = 16, L2_BYTES = 1 << 20 };

/* ---- the GPUs ---- */

static struct {
    int count, current, peers;
    unsigned made_current, waited_for; /* a bit for each */
    bool are_apart;                    /* none reaches the other */
    int peer_status;                   /* of the GPU behind the first one */
    long allocations, mapped, events;
    char log[1024];                    /* of events and launches, since it was emptied */
    uint64_t shared[RANKS][RANKS][32]; /* the memory of a rank, as a GPU sees it */
    int l2_bytes;
    struct {
        const char *at;
        size_t bytes;
        int owner;
    } blocks[BLOCKS_MAX]; /* of device memory */
    bool is_confused;     /* other memory is mapped than the judge's */
} gpus;

cudaError_t __wrap_cudaMalloc(void **out, size_t bytes);
cudaError_t __wrap_cudaMalloc(void **out, size_t bytes)
{
    size_t i = 0;
    while (i < BLOCKS_MAX && gpus.blocks[i].at)
        i++;
    assert_true(i < BLOCKS_MAX);
    gpus.blocks[i].at = *out = malloc(bytes);
    gpus.blocks[i].bytes = bytes;
    gpus.blocks[i].owner = gpus.current;
    gpus.allocations++;
    return cudaSuccess;
}

cudaError_t __wrap_cudaFree(void *at);
cudaError_t __wrap_cudaFree(void *at)
{
    for (size_t i = 0; i < BLOCKS_MAX; i++)
        if (gpus.blocks[i].at == at)
            gpus.blocks[i].at = NULL;
    free(at);
    gpus.allocations--;
    return cudaSuccess;
}

cudaError_t __wrap_cudaGetDeviceCount(int *out);
cudaError_t __wrap_cudaGetDeviceCount(int *out)
{
    *out = gpus.count;
    return cudaSuccess;
}

cudaError_t __wrap_cudaGetDevice(int *out);
cudaError_t __wrap_cudaGetDevice(int *out)
{
    *out = gpus.current;
    return cudaSuccess;
}

cudaError_t __wrap_cudaSetDevice(int device);
cudaError_t __wrap_cudaSetDevice(int device)
{
    if (device >= gpus.count)
        return cudaErrorInvalidDevice;
    gpus.current = device;
    gpus.made_current |= 1u << device;
    return cudaSuccess;
}

cudaError_t __wrap_cudaDeviceGetAttribute(int *out, enum cudaDeviceAttr attribute, int ordinal);
cudaError_t __wrap_cudaDeviceGetAttribute(int *out, enum cudaDeviceAttr attribute, int ordinal)
{
    (void)attribute, (void)ordinal;
    *out = gpus.l2_bytes;
    return cudaSuccess;
}

cudaError_t __wrap_cudaDeviceCanAccessPeer(int *out, int device, int peer);
cudaError_t __wrap_cudaDeviceCanAccessPeer(int *out, int device, int peer)
{
    *out = device != peer && !gpus.are_apart;
    return cudaSuccess;
}

/* The second time it says that it was done. */
cudaError_t __wrap_cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t __wrap_cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    const int bit = 1 << (gpus.current * RANKS + peer);
    const bool is_new = !(gpus.peers & bit);
    (void)flags;
    if (gpus.current && gpus.peer_status)
        return gpus.peer_status;
    gpus.peers |= bit;
    return peer == gpus.current ? cudaErrorInvalidDevice : is_new ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
}

cudaError_t __wrap_cudaDeviceSynchronize(void);
cudaError_t __wrap_cudaDeviceSynchronize(void)
{
    gpus.waited_for |= 1u << gpus.current;
    return cudaSuccess;
}

cudaError_t __wrap_cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *context);
cudaError_t __wrap_cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *context)
{
    (void)stream, (void)function, (void)context;
    return cudaSuccess;
}

cudaError_t __wrap_cudaStreamDestroy(cudaStream_t stream);
cudaError_t __wrap_cudaStreamDestroy(cudaStream_t stream)
{
    played_streams.made -= stream == played_streams.next;
    return cudaSuccess;
}

static void note(const char *what, uintptr_t which)
{
    const size_t length = strlen(gpus.log);
    snprintf(gpus.log + length, sizeof gpus.log - length, "%s%s %d", length ? ", " : "", what, (int)which);
}

/* -1: it is the host's. */
static int owner_of(const void *memory)
{
    const char *at = memory;
    for (size_t i = 0; i < BLOCKS_MAX; i++)
        if (gpus.blocks[i].at && at >= gpus.blocks[i].at && at < gpus.blocks[i].at + gpus.blocks[i].bytes)
            return gpus.blocks[i].owner;
    for (int viewer = 0; viewer < RANKS; viewer++)
        for (int rank = 0; rank < RANKS; rank++)
            if (at >= (const char *)gpus.shared[viewer][rank] && at < (const char *)(gpus.shared[viewer][rank] + 32))
                return rank;
    return -1;
}

/* Work on the memory of a GPU by itself, in its stream; of several alike in a row the first one. */
static void note_work(const char *what, const void *at, cudaStream_t stream)
{
    char text[80];
    const int owner = owner_of(at), of_stream = stream ? 1 : 0;
    if (gpus.current == owner && of_stream == owner)
        snprintf(text, sizeof text, "it %s on", what);
    else
        snprintf(text, sizeof text, "rank %d with GPU %d %s from afar on", of_stream, gpus.current, what);
    const char *last = strrchr(gpus.log, ',');
    char whole[96];
    snprintf(whole, sizeof whole, "%s%s %d", last ? ", " : "", text, owner);
    if (strcmp(last ? last : gpus.log, whole) != 0)
        note(text, (uintptr_t)owner);
}

static void look_at_write(const char *what, const void *to, size_t bytes, cudaStream_t stream)
{
    if (owner_of(to) >= 0)
        note_work(bytes == 2 * (size_t)gpus.l2_bytes                        ? "flushes"
                  : bytes == sizeof(uint32_t) && strcmp(what, "fills") != 0 ? "opens the gate"
                                                                            : what,
                  to, stream);
}

int __wrap_spread_values(const void *values, size_t bytes, struct CUstream_st *stream);
int __wrap_spread_values(const void *values, size_t bytes, struct CUstream_st *stream)
{
    assert_int_equal(bytes, N * sizeof(float));
    note_work("spreads", values, stream);
    return 0;
}

/* By reading: the result has to be on the same GPU. */
int __wrap_compare_memory(const void *got, const void *expected, unsigned char repeated, size_t bytes, void *scratch,
                          struct compare_found *found, struct CUstream_st *stream);
int __wrap_compare_memory(const void *got, const void *expected, unsigned char repeated, size_t bytes, void *scratch,
                          struct compare_found *found, struct CUstream_st *stream)
{
    (void)expected, (void)repeated;
    *found = (struct compare_found){0};
    assert_int_equal(bytes, 2 * gpus.l2_bytes);
    assert_int_equal(owner_of((char *)scratch + sizeof *found - 1), owner_of(got));
    note_work("reads", got, stream);
    return 0;
}

int __wrap_draw_values(const struct cpprof_draw *draw, enum cpprof_type type, void *values, size_t count,
                       struct CUstream_st *stream);
int __wrap_draw_values(const struct cpprof_draw *draw, enum cpprof_type type, void *values, size_t count,
                       struct CUstream_st *stream)
{
    (void)draw, (void)type;
    memset(values, 0, count * sizeof(float));
    note_work("draws", values, stream);
    return 0;
}

cudaError_t __wrap_cudaIpcGetMemHandle(cudaIpcMemHandle_t *out, void *at);
cudaError_t __wrap_cudaIpcGetMemHandle(cudaIpcMemHandle_t *out, void *at)
{
    memset(out, owner_of(at), sizeof *out);
    return cudaSuccess;
}

/* An event is the number of its GPU, and one more. */
cudaError_t __wrap_cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags);
cudaError_t __wrap_cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
    (void)flags;
    *out = (cudaEvent_t)(uintptr_t)(gpus.current + 1);
    gpus.events++;
    return cudaSuccess;
}

cudaError_t __wrap_cudaEventDestroy(cudaEvent_t event);
cudaError_t __wrap_cudaEventDestroy(cudaEvent_t event)
{
    (void)event;
    gpus.events--;
    return cudaSuccess;
}

cudaError_t __wrap_cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t __wrap_cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    note(stream ? "rank 1 records" : "rank 0 records", (uintptr_t)event);
    return cudaSuccess;
}

cudaError_t __wrap_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t __wrap_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)flags;
    note(stream ? "rank 1 waits for" : "rank 0 waits for", (uintptr_t)event);
    return cudaSuccess;
}

/* The handle names the rank. */
cudaError_t __wrap_cudaIpcOpenMemHandle(void **out, cudaIpcMemHandle_t handle, unsigned flags);
cudaError_t __wrap_cudaIpcOpenMemHandle(void **out, cudaIpcMemHandle_t handle, unsigned flags)
{
    const int rank = handle.reserved[0];
    (void)flags;
    *out = gpus.shared[gpus.current][rank];
    gpus.shared[gpus.current][rank][0] = (uint64_t)(TOKEN + (gpus.is_confused ? 1 - rank : rank));
    gpus.mapped++;
    return cudaSuccess;
}

cudaError_t __wrap_cudaIpcCloseMemHandle(void *at);
cudaError_t __wrap_cudaIpcCloseMemHandle(void *at)
{
    assert_in_range((uintptr_t)at, (uintptr_t)gpus.shared[gpus.current], (uintptr_t)gpus.shared[gpus.current + 1] - 1);
    gpus.mapped--;
    return cudaSuccess;
}

int __wrap_usleep(useconds_t us);
int __wrap_usleep(useconds_t us)
{
    (void)us;
    return 0;
}

/* ---- the task: each rank gets the values of the next one ---- */

static int ranks_of_task;

static int ranks(const struct cpprof_config *config)
{
    (void)config;
    return ranks_of_task;
}

static size_t values(const struct cpprof_config *config)
{
    return (size_t)config->value[0];
}

static void reference(const struct cpprof_config *config, const void *const *inputs, double *const *outputs)
{
    for (int rank = 0; rank < ranks_of_task; rank++)
        for (size_t i = 0; i < values(config); i++)
            outputs[rank][i] = cpprof_value(CPPROF_F32, inputs[(rank + 1) % ranks_of_task], i);
}

/* Each rank gets all values of another one. */
static double link_bytes(const struct cpprof_config *config)
{
    return (double)(values(config) * sizeof(float));
}

static const struct cpprof_axis axes[] = {{"n", "values", CPPROF_AXIS_SHAPE, 0, 1000, 100}};
static const struct cpprof_array input = {"in", CPPROF_F32, values}, output = {"out", CPPROF_F32, values};
static const struct cpprof_task task = {.struct_bytes = sizeof task,
                                        .abi = CPPROF_TASK_ABI,
                                        .name = "shift",
                                        .axes = axes,
                                        .axis_count = 1,
                                        .inputs = &input,
                                        .input_count = 1,
                                        .outputs = &output,
                                        .output_count = 1,
                                        .reference = reference,
                                        .tolerance = {0, 0, "nothing is computed"},
                                        .ranks = ranks,
                                        .link_bytes = link_bytes};

/* ---- solutions ---- */

static void shift(const struct cpprof_rank *r, int rank)
{
    memcpy(r->outputs[rank], r->inputs[(rank + 1) % RANKS], N * sizeof(float));
    memset(r->workspaces[rank], 3, WORKSPACE);
}

static int honest(void *state, const struct cpprof_call *call)
{
    (void)state;
    assert_int_equal(call->ranks, RANKS);
    note("launch", (uintptr_t)call->ranks);
    for (int rank = 0; rank < RANKS; rank++) {
        assert_int_equal(call->rank[rank].device, rank);
        shift(&call->rank[rank], rank);
    }
    gpus.current = 1; /* as a call may leave it */
    return 0;
}

static int of_one_rank(void *state, const struct cpprof_call *call)
{
    (void)state;
    assert_int_equal(call->ranks, 1);
    assert_int_equal(call->rank[0].device, 0);
    assert_ptr_equal(call->rank[0].stream, call->stream);
    assert_ptr_equal(call->rank[0].inputs[0], call->inputs[0]);
    assert_ptr_equal(call->rank[0].outputs[0], call->outputs[0]);
    assert_ptr_equal(call->rank[0].workspaces[0], call->workspace);
    note("launch", 1);
    memcpy(call->outputs[0], call->inputs[0], N * sizeof(float));
    return 0;
}

static int fails(void *state, const struct cpprof_call *call)
{
    (void)state, (void)call;
    gpus.current = 1;
    return cudaErrorLaunchFailure;
}

static int keeps_its_own(void *state, const struct cpprof_call *call)
{
    (void)state;
    for (int rank = 0; rank < RANKS; rank++)
        memcpy(call->rank[rank].outputs[rank], call->rank[rank].inputs[rank], N * sizeof(float));
    return 0;
}

static int leaves_one_out(void *state, const struct cpprof_call *call)
{
    (void)state;
    shift(&call->rank[0], 0);
    return 0;
}

static int writes_beyond(void *state, const struct cpprof_call *call)
{
    ((float *)call->rank[1].outputs[1])[N] = 1;
    return honest(state, call);
}

static int writes_before_the_other(void *state, const struct cpprof_call *call)
{
    const int status = honest(state, call);
    ((float *)(uintptr_t)call->rank[0].inputs[1])[3] = 1;
    return status;
}

static int writes_beyond_workspace(void *state, const struct cpprof_call *call)
{
    memset(call->rank[1].workspaces[1], 3, WORKSPACE + 1);
    return honest(state, call);
}

static int keeps_by_pointer(void *state, const struct cpprof_call *call)
{
    static float kept[N];
    static const void *of;
    honest(state, call);
    if (of == call->inputs[0])
        memcpy(call->rank[1].outputs[1], kept, sizeof kept);
    memcpy(kept, call->rank[1].outputs[1], sizeof kept);
    of = call->inputs[0];
    return 0;
}

static size_t workspace(const struct cpprof_config *config)
{
    (void)config;
    return WORKSPACE;
}

/* ---- a run ---- */

static struct judged *judged;
static const struct cpprof_config config = {.value = {N}, .seed = 42};

/* The runner's stream is NULL, that of rank 1 is not. */
static void play_gpus(void)
{
    static int of_rank_1;
    memset(&gpus, 0, sizeof gpus);
    memset(&played_streams, 0, sizeof played_streams);
    played_streams.next = (cudaStream_t)(void *)&of_rank_1;
    gpus.count = ranks_of_task = RANKS;
    gpus.l2_bytes = L2_BYTES;
}

static void make(int (*launch)(void *, const struct cpprof_call *))
{
    const struct cpprof_solution solution = {
        .struct_bytes = sizeof solution, .abi = CPPROF_TASK_ABI, .launch = launch, .workspace = workspace};
    struct err e = {0};
    play_gpus();
    assert_int_equal(judged_make(&judged, &task, &solution, "v1", 2, &e), 0);
    judged_announce(&judged->variant);
}

static void end(void)
{
    free(judged);
    judge_client_stop();
    assert_int_equal(gpus.allocations, 0);
    assert_int_equal(gpus.events, 0);
    assert_int_equal(played_streams.made, 0);
    assert_int_equal(gpus.current, 0);
}

/* What is found of a series of so many launches; of one launch it is looked at whether each GPU is done. */
static struct cpprof_verification judge(int (*launch)(void *, const struct cpprof_call *), int launches)
{
    struct cpprof_verification result = {0};
    void *arm = NULL;
    make(launch);
    assert_int_equal(judged->variant.setup(&config, NULL, &arm), 0);
    for (int round = 0; round < 3 && result.bad_ratio == 0; round++) {
        assert_int_equal(judged->variant.poison(arm, NULL), 0);
        for (int i = 0; i < launches; i++)
            assert_int_equal(judged->variant.launch(arm, NULL), 0);
        assert_int_equal(judged->variant.verify(arm, NULL, &result), 0);
        assert_int_equal(gpus.current, 0);
    }
    judged->variant.teardown(arm);
    end();
    return result;
}

static const char *refusal(void)
{
    static char why[200];
    *why = '\0';
    const int refused = judged->variant.refuse(&config, why, sizeof why);
    assert_true(!refused == !*why);
    return why;
}

/* ---- tests ---- */

TEST(a_right_solution_passes)
{
    for (int launches = 1; launches <= 40; launches += 39) {
        const struct cpprof_verification v = judge(honest, launches);
        assert_true(v.bad_ratio == 0);
        assert_true(v.values >= RANKS * N);
    }
}

TEST(what_a_gpu_does_wrong_is_found)
{
    static const struct {
        int (*launch)(void *, const struct cpprof_call *);
        const char *found;
    } wrong[] = {{keeps_its_own, "allowed: 0"},
                 {leaves_one_out, "never written"},
                 {writes_beyond, "beyond the end of out of rank 1"},
                 {writes_before_the_other, "into its input in of rank 1"},
                 {writes_beyond_workspace, "outside of its workspace, at byte 64"},
                 {keeps_by_pointer, ""}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        const struct cpprof_verification v = judge(wrong[i].launch, 1);
        assert_true(v.bad_ratio > 0);
        if (!strstr(v.hint, wrong[i].found))
            fail_msg("'%s' has no '%s'", v.hint, wrong[i].found);
    }
}

TEST(a_wrong_value_names_its_rank)
{
    const struct cpprof_verification v = judge(leaves_one_out, 1);
    assert_true(v.mismatch_count > 0);
    assert_non_null(strstr(v.mismatches[0].where, "out of rank 1["));
}

TEST(streams_wait_before_a_launch_and_behind_it)
{
    void *arm = NULL;
    make(honest);
    assert_int_equal(judged->variant.setup(&config, NULL, &arm), 0);
    *gpus.log = '\0';
    assert_int_equal(judged->variant.launch(arm, NULL), 0);
    assert_string_equal(gpus.log,
                        "rank 0 records 1, rank 1 waits for 1, launch 2, rank 1 records 2, rank 0 waits for 2");
    assert_int_equal(gpus.current, 0);
    judged->variant.teardown(arm);
    end();
}

TEST(each_reaches_the_other)
{
    void *arm = NULL;
    int devices[RANKS] = {-1, -1};
    make(honest);
    assert_int_equal(cpprof_variant_devices(&judged->variant, &config, devices, RANKS), RANKS);
    assert_int_equal(devices[0], 0);
    assert_int_equal(devices[1], 1);
    assert_int_equal(judged->variant.setup(&config, NULL, &arm), 0);
    assert_int_equal(gpus.peers, 1 << 1 | 1 << 2);
    judged->variant.teardown(arm);
    end();
}

/* Work that no launch waits for may be on any of them. */
TEST(each_is_waited_for_where_outputs_are_judged)
{
    struct cpprof_verification result;
    void *arm = NULL;
    make(honest);
    assert_int_equal(judged->variant.setup(&config, NULL, &arm), 0);
    assert_int_equal(judged->variant.poison(arm, NULL), 0);
    assert_int_equal(judged->variant.launch(arm, NULL), 0);
    assert_int_equal(gpus.waited_for, 0);
    assert_int_equal(judged->variant.verify(arm, NULL, &result), 0);
    assert_true(result.bad_ratio == 0);
    assert_int_equal(gpus.waited_for, (1 << RANKS) - 1);
    judged->variant.teardown(arm);
    end();
}

TEST(a_launch_that_fails_is_joined)
{
    void *arm = NULL;
    make(fails);
    assert_int_equal(judged->variant.setup(&config, NULL, &arm), 0);
    *gpus.log = '\0';
    assert_int_equal(judged->variant.launch(arm, NULL), cudaErrorLaunchFailure);
    assert_string_equal(gpus.log, "rank 0 records 1, rank 1 waits for 1, rank 1 records 2, rank 0 waits for 2");
    judged->variant.teardown(arm);
    end();
}

TEST(what_fails_leaves_nothing)
{
    void *arm = NULL;
    make(honest);
    gpus.peer_status = cudaErrorTooManyPeers;
    assert_int_equal(judged->variant.setup(&config, NULL, &arm), cudaErrorTooManyPeers);
    assert_null(arm);
    end();
    make(honest);
    gpus.peer_status = cudaErrorTooManyPeers;
    assert_string_not_equal(refusal(), "");
    end();
}

/* As one without `ranks`: the second GPU is another program's. */
TEST(one_rank_uses_no_other_gpu)
{
    struct cpprof_verification result;
    void *arm = NULL;
    make(of_one_rank);
    ranks_of_task = 1;
    assert_int_equal(cpprof_variant_devices(&judged->variant, &config, &(int){0}, 1), 1);
    assert_string_equal(refusal(), "");
    assert_int_equal(judged->variant.setup(&config, NULL, &arm), 0);
    assert_int_equal(judged->variant.poison(arm, NULL), 0);
    *gpus.log = '\0';
    assert_int_equal(judged->variant.launch(arm, NULL), 0);
    assert_string_equal(gpus.log, "launch 1");
    assert_int_equal(judged->variant.verify(arm, NULL, &result), 0);
    assert_true(result.bad_ratio == 0);
    assert_int_equal(gpus.made_current, 0);
    assert_int_equal(gpus.peers, 0);
    assert_int_equal(gpus.events, 0);
    assert_int_equal(played_streams.made, 0);
    judged->variant.teardown(arm);
    end();
}

/* Half of what a rank moves, its inputs and outputs, comes from elsewhere. */
TEST(what_links_carry_is_counted)
{
    struct cpprof_declaration declared;
    make(honest);
    assert_true(cpprof_variant_bus_factor(&judged->variant, &config) == 0.5);
    cpprof_variant_declare(&judged->variant, &config, &declared);
    assert_int_equal(declared.expect_count, 1);
    assert_string_equal(declared.expect[0].metric, "nvlrx__bytes_data_user.sum");
    ranks_of_task = 1;
    assert_true(cpprof_variant_bus_factor(&judged->variant, &config) == 0);
    cpprof_variant_declare(&judged->variant, &config, &declared);
    assert_int_equal(declared.expect_count, 0);
    end();
}

/* As many as a variant may declare, and one more. */
TEST(what_a_task_expects_stays_expected)
{
    static struct cpprof_expect many[VARIANT_EXPECT_MAX];
    struct cpprof_declaration declared;
    make(honest);
    for (size_t i = 0; i < VARIANT_EXPECT_MAX; i++)
        many[i] = (struct cpprof_expect){"dram__bytes.sum", (double)i, INFINITY};
    judged->variant.expect = many;
    judged->variant.expect_count = VARIANT_EXPECT_MAX - 1;
    cpprof_variant_declare(&judged->variant, &config, &declared);
    assert_int_equal(declared.expect_count, VARIANT_EXPECT_MAX);
    assert_true(declared.expect[VARIANT_EXPECT_MAX - 2].min == VARIANT_EXPECT_MAX - 2);
    judged->variant.expect_count = VARIANT_EXPECT_MAX;
    cpprof_variant_declare(&judged->variant, &config, &declared);
    assert_ptr_equal(declared.expect, many);
    end();
}

TEST(a_try_takes_no_memory_for_arrays)
{
    static const struct cpprof_config large = {.value = {1 << 24}};
    struct judge_layout tried, used;
    ranks_of_task = 1;
    judge_layout_make(&tried, &task, &large, 0, 0);
    judge_layout_make(&used, &task, &large, 1, 0);
    assert_int_equal(tried.bytes, 2 << 20);
    assert_true(used.bytes > 3 * ((size_t)1 << 24) * sizeof(float));
}

TEST(a_machine_without_them_is_refused)
{
    make(honest);
    assert_string_equal(refusal(), "");
    gpus.count = 1;
    assert_string_equal(refusal(), "needs 2 GPUs, and there is 1");
    gpus.count = 2;
    gpus.are_apart = true;
    assert_string_equal(refusal(), "device 0 cannot reach the memory of device 1");
    ranks_of_task = 9;
    assert_non_null(strstr(refusal(), "the task has 9 ranks at this shape: from 1 to 8"));
    ranks_of_task = 0;
    assert_non_null(strstr(refusal(), "the task has 0 ranks"));
    end();
}

TEST(too_many_arrays_are_refused)
{
    static struct cpprof_array many[5];
    struct cpprof_task wide = task;
    const struct cpprof_task *got;
    struct err e = {0};
    wide.inputs = many;
    wide.input_count = 5;
    ranks_of_task = 4;
    assert_int_equal(ranked_task_get(&got, &wide, &config, &e), ERR_USAGE);
    assert_string_equal(e.text, "the task has 5 arrays on each of 4 ranks: at most 16 in all can be judged");
}

TEST(tasks_of_one_rank_stay_what_they_are)
{
    const struct cpprof_task *got, *again;
    struct err e = {0};
    ranks_of_task = 1;
    assert_int_equal(ranked_task_get(&got, &task, &config, &e), 0);
    assert_ptr_equal(got, &task);
    ranks_of_task = 2;
    assert_int_equal(ranked_task_get(&got, &task, &config, &e), 0);
    assert_int_equal(ranked_task_get(&again, &task, &config, &e), 0);
    assert_ptr_equal(got, again);
    assert_int_equal(got->input_count, 2);
    assert_string_equal(got->outputs[1].name, "out of rank 1");
}

TEST(a_task_of_before_has_one_rank)
{
    struct cpprof_task before = task, got;
    struct err e = {0};
    assert_int_equal(task_copy(&got, &before, &e), 0);
    assert_ptr_equal(got.ranks, ranks);
    before.struct_bytes = offsetof(struct cpprof_task, ranks);
    assert_int_equal(task_copy(&got, &before, &e), 0);
    assert_null(got.ranks);
    assert_null(got.link_bytes);
    assert_int_equal(got.struct_bytes, sizeof got);
    before.struct_bytes--;
    assert_int_equal(task_copy(&got, &before, &e), ERR_USAGE);
    /* Wrong ranks are told when the task is loaded, by the shape that has them. */
    static const struct cpprof_shape large = {"large", {N}, 0};
    before = task;
    before.shapes = &large;
    before.shape_count = 1;
    ranks_of_task = RANKS;
    assert_int_equal(task_copy(&got, &before, &e), 0);
    ranks_of_task = 9;
    assert_int_equal(task_copy(&got, &before, &e), ERR_USAGE);
    assert_string_equal(e.text, "shape 'large': the task has 9 ranks at this shape: from 1 to 8 can be judged");
}

TEST(each_gpu_sees_memory_at_addresses_of_its_own)
{
    struct judge_reply made = {.token = TOKEN};
    char trouble[JUDGE_TROUBLE_BYTES] = "";
    struct launch_ranks r;
    play_gpus();
    made.handles[1][0] = 1;
    assert_int_equal(rank_streams_open(&r.gpus, RANKS), 0);
    assert_int_equal(launch_ranks_map(&r, 1, &made, trouble), 0);
    for (int viewer = 0; viewer < RANKS; viewer++)
        for (int rank = 0; rank < RANKS; rank++)
            assert_ptr_equal(r.views[viewer].memory[rank], gpus.shared[viewer][rank]);
    /* Before a timed launch each GPU turns to the runner, also those that are not rank 0's. */
    *gpus.log = '\0';
    played_streams.look = look_at_write;
    assert_int_equal(launch_ranks_turn(&r, NULL), 0);
    assert_string_equal(gpus.log, "rank 0 records 1, rank 1 waits for 1, it fills on 1, rank 1 records 2, "
                                  "rank 0 waits for 2");
    assert_int_equal(gpus.current, 0);
    launch_ranks_unmap(&r);
    gpus.is_confused = true;
    assert_int_not_equal(launch_ranks_map(&r, 1, &made, trouble), 0);
    assert_non_null(strstr(trouble, "other memory than the judge's"));
    launch_ranks_unmap(&r);
    rank_streams_close(&r.gpus);
    assert_int_equal(gpus.mapped, 0);
    assert_int_equal(gpus.current, 0);
}

/* A judge in a process of its own, whose stream is NULL. */
static void answer(struct judge *j, uint32_t arm, struct judge_request request)
{
    struct judge_reply reply;
    request.arm = arm;
    judge_answer(j, &request, &reply);
    if (reply.status)
        fail_msg("wish %u: %s", request.wish, reply.trouble);
}

#define FORK "rank 0 records 1, rank 1 waits for 1, "
#define JOIN ", rank 1 records 2, rank 0 waits for 2"
#define FILL FORK "it fills on 1, it fills on 0" JOIN ", " FORK "it copies on 1, it copies on 0" JOIN ", " FORK
#define OPEN JOIN ", it opens the gate on 0"

TEST(each_gpu_fills_and_flushes_its_own_before_the_gate_opens)
{
    static const struct {
        int ranks, l2_bytes;
        uint32_t flush;
        const char *log;
    } cases[] = {
        {2, L2_BYTES, JUDGE_NO_FLUSH, FILL "it spreads on 1, it spreads on 0" OPEN},
        {2, L2_BYTES, JUDGE_FLUSH_BY_WRITING, FILL "it flushes on 1, it flushes on 0" OPEN},
        {2, L2_BYTES, JUDGE_FLUSH_BY_READING, FILL "it reads on 1, it reads on 0" OPEN},
        {2, 8192, JUDGE_NO_FLUSH, FILL "rank 1 records 2, rank 0 waits for 2, it opens the gate on 0"}, /* rotated */
        {1, L2_BYTES, JUDGE_NO_FLUSH, "it fills on 0, it copies on 0, it spreads on 0, it opens the gate on 0"},
        {1, L2_BYTES, JUDGE_FLUSH_BY_WRITING, "it fills on 0, it copies on 0, it flushes on 0, it opens the gate on 0"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct judge j;
        play_gpus();
        ranks_of_task = cases[i].ranks;
        gpus.l2_bytes = cases[i].l2_bytes;
        judge_init(&j, &task, true);
        j.device = 0;
        answer(&j, 0, (struct judge_request){.wish = JUDGE_RESERVE, .config = config});
        answer(&j, 1, (struct judge_request){.wish = JUDGE_MAKE});
        answer(&j, 1, (struct judge_request){.wish = JUDGE_DRAW, .launched = 7});
        *gpus.log = '\0';
        played_streams.look = look_at_write;
        answer(&j, 1, (struct judge_request){.wish = JUDGE_FRESH, .launched = 7, .gate = 1, .flush = cases[i].flush});
        assert_string_equal(gpus.log, cases[i].log);
        assert_int_equal(gpus.current, 0);
        answer(&j, 1, (struct judge_request){.wish = JUDGE_END});
        assert_int_equal(gpus.allocations + gpus.events + played_streams.made, 0);
        assert_true(cases[i].ranks > 1 || !gpus.made_current);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_solution_passes),
        cmocka_unit_test(what_a_gpu_does_wrong_is_found),
        cmocka_unit_test(a_wrong_value_names_its_rank),
        cmocka_unit_test(streams_wait_before_a_launch_and_behind_it),
        cmocka_unit_test(each_reaches_the_other),
        cmocka_unit_test(each_is_waited_for_where_outputs_are_judged),
        cmocka_unit_test(a_launch_that_fails_is_joined),
        cmocka_unit_test(what_fails_leaves_nothing),
        cmocka_unit_test(one_rank_uses_no_other_gpu),
        cmocka_unit_test(what_links_carry_is_counted),
        cmocka_unit_test(what_a_task_expects_stays_expected),
        cmocka_unit_test(a_try_takes_no_memory_for_arrays),
        cmocka_unit_test(a_machine_without_them_is_refused),
        cmocka_unit_test(too_many_arrays_are_refused),
        cmocka_unit_test(tasks_of_one_rank_stay_what_they_are),
        cmocka_unit_test(a_task_of_before_has_one_rank),
        cmocka_unit_test(each_gpu_sees_memory_at_addresses_of_its_own),
        cmocka_unit_test(each_gpu_fills_and_flushes_its_own_before_the_gate_opens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
