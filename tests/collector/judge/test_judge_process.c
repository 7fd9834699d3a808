/* Does a judge in a process of its own judge, and is one that is gone never a pass? The device is played: its memory is
 * shared memory of the system, mapped by both processes. This program is the judge, too. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/runner/device.h"
#include "collector/runner/judge/judge_client.h"
#include "collector/runner/judge/judge_layout.h"
#include "collector/runner/judge/judge_serve.h"
#include "collector/runner/judge/judged.h"
#include "collector/runner/judge/task_library.h"
#include "tests/collector/judge/played_compare.h"
#include "tests/collector/judge/played_stream.h"
#include "tests/test.h"

enum { N = 100, L2_BYTES = 1 << 20, SERIES = 40, BLOCKS_MAX = 64 };
enum { LAUNCHES_OF_ONE = 5 }; /* of a verification of one launch, with those for its order */

/* ---- the device ---- */

struct block {
    char name[JUDGE_HANDLE_BYTES - sizeof(size_t)];
    size_t bytes;
};

_Static_assert(sizeof(struct block) == sizeof(cudaIpcMemHandle_t), "it is what a handle holds");

static struct {
    void *at;
    struct block block;
    bool is_last; /* what a full device still had room for */
} blocks[BLOCKS_MAX];

/* A file that stands for memory which the runner's process took: the judge gets one more piece at a time, and none
 * where the file is not empty. */
static const char *all_memory(void)
{
    static char path[64];
    const char *mine = getenv("PLAYED_MEMORY_OF");
    snprintf(path, sizeof path, "/dev/shm/cpprof-played-all-%d", mine ? atoi(mine) : (int)getpid());
    return path;
}

static bool has_room(void)
{
    struct stat all;
    if (!stat(all_memory(), &all) && all.st_size)
        return false;
    for (size_t i = 0; i < BLOCKS_MAX; i++)
        if (blocks[i].at && blocks[i].is_last)
            return access(all_memory(), F_OK) != 0;
    return true;
}

static void *map_block(const struct block *b, int flags)
{
    const int file = shm_open(b->name, O_RDWR | flags, 0600);
    void *at = MAP_FAILED;
    if (file >= 0 && (!flags || !ftruncate(file, (off_t)b->bytes)))
        at = mmap(NULL, b->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return at == MAP_FAILED ? NULL : at;
}

static size_t block_at(const void *at)
{
    size_t i = 0;
    while (i < BLOCKS_MAX && blocks[i].at != at)
        i++;
    return i;
}

cudaError_t __wrap_cudaMalloc(void **out, size_t bytes);
cudaError_t __wrap_cudaMalloc(void **out, size_t bytes)
{
    static int made;
    const size_t i = block_at(NULL);
    if (i == BLOCKS_MAX || !has_room())
        return cudaErrorMemoryAllocation;
    blocks[i].is_last = access(all_memory(), F_OK) == 0;
    blocks[i].block.bytes = bytes;
    snprintf(blocks[i].block.name, sizeof blocks[i].block.name, "/cpprof-played-%d-%d", (int)getpid(), made++);
    shm_unlink(blocks[i].block.name); /* a judge that was killed had this number, too */
    *out = blocks[i].at = map_block(&blocks[i].block, O_CREAT | O_EXCL);
    return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* A small device has no room for a judge and solutions, and that is nobody's fault. */
cudaError_t __wrap_cudaMemGetInfo(size_t *left, size_t *all);
cudaError_t __wrap_cudaMemGetInfo(size_t *left, size_t *all)
{
    *left = 0;
    *all = getenv("PLAYED_SMALL") ? 1 << 20 : 1 << 30;
    return cudaSuccess;
}

cudaError_t __wrap_cudaFree(void *at);
cudaError_t __wrap_cudaFree(void *at)
{
    const size_t i = block_at(at);
    if (!at)
        return cudaSuccess;
    if (i == BLOCKS_MAX)
        return cudaErrorInvalidValue;
    shm_unlink(blocks[i].block.name);
    munmap(at, blocks[i].block.bytes);
    blocks[i].at = NULL;
    return cudaSuccess;
}

cudaError_t __wrap_cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *at);
cudaError_t __wrap_cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *at)
{
    const size_t i = block_at(at);
    if (i == BLOCKS_MAX)
        return cudaErrorInvalidValue;
    memcpy(handle, &blocks[i].block, sizeof *handle);
    return cudaSuccess;
}

static enum { SHARES, REFUSES, CONFUSES } sharing;
static long mapped;

cudaError_t __wrap_cudaIpcOpenMemHandle(void **out, cudaIpcMemHandle_t handle, unsigned flags);
cudaError_t __wrap_cudaIpcOpenMemHandle(void **out, cudaIpcMemHandle_t handle, unsigned flags)
{
    struct block b;
    (void)flags;
    memcpy(&b, &handle, sizeof b);
    if (sharing == REFUSES)
        return cudaErrorNotSupported;
    *out = sharing == CONFUSES ? mmap(NULL, b.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                               : map_block(&b, 0);
    mapped += *out != NULL;
    return *out ? cudaSuccess : cudaErrorMapBufferObjectFailed;
}

cudaError_t __wrap_cudaIpcCloseMemHandle(void *at);
cudaError_t __wrap_cudaIpcCloseMemHandle(void *at)
{
    (void)at; /* its size is not known; the process is short */
    mapped--;
    return cudaSuccess;
}

cudaError_t __wrap_cudaDeviceSynchronize(void);
cudaError_t __wrap_cudaDeviceSynchronize(void)
{
    return cudaSuccess;
}

cudaError_t __wrap_cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *context);
cudaError_t __wrap_cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *context)
{
    (void)stream, (void)function, (void)context;
    return cudaSuccess;
}

cudaError_t __wrap_cudaGetDevice(int *out);
cudaError_t __wrap_cudaGetDevice(int *out)
{
    *out = 0;
    return cudaSuccess;
}

cudaError_t __wrap_cudaSetDevice(int device);
cudaError_t __wrap_cudaSetDevice(int device)
{
    return device ? cudaErrorInvalidDevice : cudaSuccess;
}

cudaError_t __wrap_cudaDeviceGetAttribute(int *out, enum cudaDeviceAttr attribute, int ordinal);
cudaError_t __wrap_cudaDeviceGetAttribute(int *out, enum cudaDeviceAttr attribute, int ordinal)
{
    const char *other = getenv("PLAYED_L2"); /* the judge looks at it when its first arm is made */
    (void)attribute, (void)ordinal;
    *out = other ? atoi(other) : L2_BYTES;
    return cudaSuccess;
}

enum { WAITING_MAX = 8 };

/* Work of a stream is done at once, but for launches of solutions that know of a gate: they are done when it opens. */
static struct {
    const volatile uint32_t *at;
    uint32_t value;
    bool is_missing; /* the driver knows no such wait */
    bool is_early;   /* it opens before the launch is in the stream */
    int flushes, looks;
    int (*launch)(void *state, const struct cpprof_call *call);
    struct cpprof_call waiting[WAITING_MAX];
    size_t count;
} gate;

int __wrap_gate_wait(struct CUstream_st *stream, void *at, uint32_t value);
int __wrap_gate_wait(struct CUstream_st *stream, void *at, uint32_t value)
{
    (void)stream;
    if (gate.is_missing)
        return cudaErrorNotSupported;
    gate.at = at;
    gate.value = value;
    gate.looks = 0;
    return 0;
}

static bool is_closed(void)
{
    return gate.at && *gate.at < gate.value;
}

static bool wait_for_gate(int (*launch)(void *, const struct cpprof_call *), const struct cpprof_call *call)
{
    if (!is_closed())
        return false;
    assert_true(gate.count < WAITING_MAX);
    gate.launch = launch;
    gate.waiting[gate.count++] = *call;
    return true;
}

static void launch_what_waited(void)
{
    const size_t count = is_closed() ? 0 : gate.count;
    gate.count = is_closed() ? gate.count : 0;
    for (size_t i = 0; i < count; i++)
        gate.launch(NULL, &gate.waiting[i]);
}

/* Launches take long. */
cudaError_t __wrap_cudaStreamQuery(cudaStream_t stream);
cudaError_t __wrap_cudaStreamQuery(cudaStream_t stream)
{
    (void)stream;
    return cudaErrorNotReady;
}

/* The gate is open when it is looked at again. */
cudaError_t __wrap_cudaEventQuery(cudaEvent_t event);
cudaError_t __wrap_cudaEventQuery(cudaEvent_t event)
{
    (void)event;
    if (!gate.is_early && !gate.looks++)
        return cudaErrorNotReady;
    launch_what_waited();
    return cudaSuccess;
}

cudaError_t __wrap_cudaStreamDestroy(cudaStream_t stream);
cudaError_t __wrap_cudaStreamDestroy(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

cudaError_t __wrap_cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t __wrap_cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)event, (void)stream;
    return cudaSuccess;
}

static int flush(void *unused)
{
    (void)unused;
    gate.flushes++;
    return 0;
}

/* ---- solutions ---- */

/* Inputs may differ in few values. */
static double sum_of(const float *in, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)in[i];
    return sum;
}

static double sum_of_inputs;

static int honest(void *state, const struct cpprof_call *call)
{
    const float *in = call->inputs[0];
    float *out = call->outputs[0];
    (void)state;
    sum_of_inputs = sum_of(in, (size_t)call->config->value[0]);
    for (size_t i = 0; i < (size_t)call->config->value[0]; i++)
        out[i] = 2 * in[i];
    memset(call->workspace, 3, 64);
    return 0;
}

/* Of 100 values one is wrong, from the second series on, where outputs are compared on the device first. */
static int is_wrong_later(void *state, const struct cpprof_call *call)
{
    static int calls;
    const int status = honest(state, call);
    if (calls++ >= LAUNCHES_OF_ONE)
        ((float *)call->outputs[0])[7] += 1;
    return status;
}

static int waits_for_inputs(void *state, const struct cpprof_call *call)
{
    return wait_for_gate(waits_for_inputs, call) ? 0 : honest(state, call);
}

/* As one that reads what it has just launched: nothing of it can come before its inputs. */
static int waits_in_its_call(void *state, const struct cpprof_call *call)
{
    for (int looks = 0; is_closed() && looks < 10000; looks++)
        usleep(1000);
    return honest(state, call);
}

static bool is_series_new;

/* Inputs stay the same up to the end of a series, it reckons. */
static int works_once_in_a_series(void *state, const struct cpprof_call *call)
{
    static float kept[N];
    const size_t bytes = (size_t)call->config->value[0] * sizeof(float);
    if (wait_for_gate(works_once_in_a_series, call))
        return 0;
    if (!is_series_new)
        memcpy(call->outputs[0], kept, bytes);
    else if (!honest(state, call))
        memcpy(kept, call->outputs[0], bytes);
    is_series_new = false;
    return 0;
}

static pid_t victim;

static int kills_its_judge(void *state, const struct cpprof_call *call)
{
    (void)state, (void)call;
    kill(victim, SIGKILL);
    return 0;
}

static int does_nothing(void *state, const struct cpprof_call *call)
{
    (void)state, (void)call;
    return 0;
}

static int writes_beyond(void *state, const struct cpprof_call *call)
{
    ((float *)call->outputs[0])[call->config->value[0]] = 1;
    return honest(state, call);
}

static int overwrites_input(void *state, const struct cpprof_call *call)
{
    const int status = honest(state, call);
    ((float *)(uintptr_t)call->inputs[0])[3] = 1;
    return status;
}

static int writes_beyond_workspace(void *state, const struct cpprof_call *call)
{
    memset(call->workspace, 3, 65);
    return honest(state, call);
}

static size_t workspace(const struct cpprof_config *config)
{
    (void)config;
    return 64;
}

/* ---- a run ---- */

static struct cpprof_task task;
static struct judged *judged;
static void *arm;

/* The first child of this process, 0: there is none. */
static pid_t judge_process(void)
{
    char path[64];
    int pid = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)gettid());
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    if (fscanf(file, "%d", &pid) != 1)
        pid = 0;
    fclose(file);
    return pid;
}

/* What the plan says of the solution; "": it can run here. */
static const char *refusal(void)
{
    static char why[160];
    const struct cpprof_config config = {.value = {N}};
    *why = '\0';
    const int refused = judged->variant.refuse(&config, why, sizeof why);
    assert_true(!refused == !*why);
    return why;
}

static int (*prepare)(const struct cpprof_config *config, void **state);

static int set_up(int (*launch)(void *, const struct cpprof_call *))
{
    const struct cpprof_solution solution = {.struct_bytes = sizeof solution,
                                             .abi = CPPROF_TASK_ABI,
                                             .launch = launch,
                                             .workspace = workspace,
                                             .prepare = prepare};
    const struct cpprof_config config = {.value = {N}, .seed = 42};
    struct err e = {0};
    arm = NULL;
    assert_int_equal(judged_make(&judged, &task, &solution, "v1", 2, &e), 0);
    judged_announce(&judged->variant);
    return judged->variant.setup(&config, NULL, &arm);
}

static void tear_down(void)
{
    if (arm)
        judged->variant.teardown(arm);
    free(judged);
}

static void start(int (*launch)(void *, const struct cpprof_call *))
{
    judge_client_start_program("/proc/self/exe", LOADED_TASK, 0);
    assert_int_not_equal(judge_process(), 0);
    assert_int_equal(set_up(launch), 0);
}

static void start_with_cache(const char *l2_bytes, int (*launch)(void *, const struct cpprof_call *))
{
    setenv("PLAYED_L2", l2_bytes, 1);
    start(launch);
    unsetenv("PLAYED_L2");
}

/* 800 bytes of inputs and outputs: one slot is launched where they fit into the cache, two where they do not. */
static void start_with_one_slot(int (*launch)(void *, const struct cpprof_call *))
{
    start_with_cache("1000", launch);
}

static struct cpprof_verification judge_series(int launches)
{
    const struct cpprof_variant *v = &judged->variant;
    struct cpprof_verification result;
    assert_int_equal(v->poison(arm, NULL), 0);
    for (int i = 0; i < launches; i++)
        assert_int_equal(v->launch(arm, NULL), 0);
    assert_int_equal(v->verify(arm, NULL, &result), 0);
    return result;
}

static void stop(void)
{
    tear_down();
    judge_client_stop();
    assert_int_equal(judge_process(), 0);
    assert_int_equal(mapped, 0);
}

/* ---- tests ---- */

TEST(a_right_solution_passes)
{
    start(honest);
    assert_string_equal(refusal(), "");
    for (int kind = -1; kind < CPPROF_DRAW_KINDS; kind++) {
        assert_int_equal(kind < 0 ? 0 : judged_redraw(arm, kind, NULL), 0);
        for (int launches = 1; launches <= SERIES; launches += SERIES - 1) {
            const struct cpprof_verification v = judge_series(launches);
            if (v.bad_ratio != 0 || !v.values || !v.output_hash || strncmp(v.hint, "salt ", 5) != 0)
                fail_msg("draw %d: %g of %d: '%s'", kind, v.bad_ratio, (int)v.values, v.hint);
        }
    }
    stop();
}

TEST(a_wrong_one_fails)
{
    static const struct {
        int (*launch)(void *, const struct cpprof_call *);
        const char *says;
    } wrong[] = {{does_nothing, "never written; salt "},
                 {writes_beyond, "beyond the end of out, 0 bytes behind"},
                 {overwrites_input, "wrote into its input in, at value 3"},
                 {writes_beyond_workspace, "outside of its workspace, at byte 64"},
                 {is_wrong_later, "allowed: 0 + 0 of the reference (doubling is exact)"}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        start(wrong[i].launch);
        if (wrong[i].launch == is_wrong_later)
            assert_true(judge_series(1).bad_ratio == 0);
        const struct cpprof_verification v = judge_series(SERIES);
        if (v.bad_ratio == 0 || !strstr(v.hint, wrong[i].says))
            fail_msg("%g: '%s' without '%s'", v.bad_ratio, v.hint, wrong[i].says);
        stop();
    }
}

/* One that says that outputs are right where the host says that they are wrong is no witness for either. */
TEST(a_judge_that_disagrees_with_itself_fails)
{
    struct cpprof_verification result;
    setenv("PLAYED_COMPARE", "blind", 1);
    start(does_nothing);
    unsetenv("PLAYED_COMPARE");
    for (int i = 0; i < 2; i++) { /* it is no witness afterwards, either */
        assert_int_equal(judged->variant.poison(arm, NULL), 0);
        assert_int_equal(judged->variant.launch(arm, NULL), 0);
        assert_int_not_equal(judged->variant.verify(arm, NULL, &result), 0);
        assert_int_equal(result.values, 0);
    }
    stop();
}

static struct judged_series time_one(bool is_cold)
{
    struct judged_series one = {.launches = 1, .flush = 1 + is_cold, .do_flush = flush}; /* by writing, by reading */
    assert_int_equal(judged_time(arm, NULL, &one), 0);
    return one;
}

static struct cpprof_verification verdict(void)
{
    struct cpprof_verification v;
    assert_int_equal(judged->variant.verify(arm, NULL, &v), 0);
    return v;
}

TEST(inputs_come_when_all_is_submitted)
{
    start_with_one_slot(waits_for_inputs);
    gate.flushes = 0;
    for (int i = 0; i < 3; i++) {
        const double before = sum_of_inputs;
        assert_true(time_one(i % 2).is_timed);
        assert_true(before != sum_of_inputs);
    }
    assert_int_equal(gate.flushes, 0); /* the judge did */
    struct cpprof_verification v = verdict();
    if (v.bad_ratio != 0 || v.values != 3 * N || strncmp(v.hint, "3 timed outputs; salt ", 22) != 0)
        fail_msg("%g of %d: '%s'", v.bad_ratio, (int)v.values, v.hint);
    gate.is_missing = true; /* then they come before */
    gate.at = NULL;
    assert_true(time_one(true).is_timed);
    assert_int_equal(gate.flushes, 1);
    gate.is_missing = false;
    v = verdict();
    assert_true(v.bad_ratio == 0 && !strncmp(v.hint, "1 timed outputs without a gate; salt ", 37));
    assert_true(judge_series(1).bad_ratio == 0);
    stop();
}

/* Then the events have time of the host between them. The outputs are judged all the same. */
TEST(a_launch_that_came_after_its_inputs_is_no_sample)
{
    start_with_one_slot(waits_for_inputs);
    gate.is_early = true;
    assert_false(time_one(true).is_timed);
    gate.is_early = false;
    assert_true(time_one(true).is_timed);
    const struct cpprof_verification v = verdict();
    assert_true(v.bad_ratio == 0 && v.values == 2 * N);
    stop();
}

/* It would wait for ever. */
TEST(a_launch_that_waits_for_the_device_is_no_sample)
{
    start_with_one_slot(waits_in_its_call);
    const struct judged_series s = time_one(true);
    assert_true(!s.is_timed && s.waits);
    gate.at = NULL;
    assert_true(judge_series(1).bad_ratio == 0);
    stop();
}

static void take_all_memory(void)
{
    char mine[16];
    snprintf(mine, sizeof mine, "%d", (int)getpid());
    setenv("PLAYED_MEMORY_OF", mine, 1);
    close(open(all_memory(), O_CREAT | O_RDWR, 0600));
}

static int takes_all_memory(const struct cpprof_config *config, void **state)
{
    (void)config, (void)state;
    take_all_memory();
    return 0;
}

static void give_memory_back(void)
{
    unlink(all_memory());
    unsetenv("PLAYED_MEMORY_OF");
    prepare = NULL;
}

/* The judge has its own before. */
TEST(a_solution_cannot_take_the_memory_of_the_judge)
{
    char mine[16];
    snprintf(mine, sizeof mine, "%d", (int)getpid());
    setenv("PLAYED_MEMORY_OF", mine, 1); /* for the judge, which is started first */
    prepare = takes_all_memory;
    start_with_one_slot(waits_for_inputs);
    assert_true(time_one(true).is_timed);
    const struct cpprof_verification v = verdict();
    assert_true(v.bad_ratio == 0 && !strncmp(v.hint, "1 timed outputs; salt ", 22));
    stop();
    give_memory_back();
}

static int takes_the_last_piece(const struct cpprof_config *config, void **state)
{
    return takes_all_memory(config, state) || truncate(all_memory(), 1);
}

/* The judge does not make room for the buffers. */
TEST(a_solution_that_leaves_no_buffers_is_an_error)
{
    char mine[16];
    snprintf(mine, sizeof mine, "%d", (int)getpid());
    setenv("PLAYED_MEMORY_OF", mine, 1);
    judge_client_start_program("/proc/self/exe", LOADED_TASK, 0);
    prepare = takes_the_last_piece;
    assert_int_equal(set_up(honest), cudaErrorMemoryAllocation);
    assert_null(arm);
    stop();
    give_memory_back();
}

/* Nor does who took it earlier leave it without, where the device has plenty. */
TEST(memory_that_is_gone_before_is_an_error)
{
    take_all_memory();
    judge_client_start_program("/proc/self/exe", LOADED_TASK, 0);
    assert_int_equal(set_up(honest), cudaErrorMemoryAllocation);
    assert_null(arm);
    stop();
    give_memory_back();
}

/* Then a part of the outputs is looked at for poison alone. */
TEST(a_judge_without_memory_on_the_device_says_so)
{
    setenv("PLAYED_SMALL", "1", 1);
    take_all_memory();
    start(honest);
    unsetenv("PLAYED_SMALL");
    assert_true(time_one(true).is_timed);
    struct cpprof_verification v = verdict();
    assert_true(v.bad_ratio == 0 && strstr(v.hint, "without a gate; on the host, salt "));
    v = judge_series(1);
    assert_true(v.bad_ratio == 0 && !strncmp(v.hint, "on the host, salt ", 18));
    stop();
    give_memory_back();
}

TEST(whoever_does_not_look_at_inputs_is_wrong_then)
{
    start_with_one_slot(works_once_in_a_series);
    for (int series = 0; series < 2; series++) {
        is_series_new = series == 0;
        assert_true(time_one(true).is_timed);
    }
    const struct cpprof_verification v = verdict();
    assert_true(v.bad_ratio == 0.5 && strstr(v.hint, "allowed: 0 + 0"));
    gate.at = NULL;
    stop();
}

static bool is_looked_at_closely;

static int skips_what_is_there(void *state, const struct cpprof_call *call)
{
    return is_looked_at_closely || isnan(((const float *)call->outputs[0])[0]) ? honest(state, call) : 0;
}

/* They are no poison every time, and wrong all the same. */
TEST(outputs_of_other_inputs_are_there_before_a_series)
{
    struct cpprof_verification v = {0};
    start(skips_what_is_there);
    gate.is_missing = true;
    for (int series = 0; series < 20; series++)
        time_one(true);
    gate.is_missing = false;
    is_looked_at_closely = true;
    assert_int_equal(judged->variant.verify(arm, NULL, &v), 0);
    assert_true(v.bad_ratio != 0 && strstr(v.hint, "allowed: 0 + 0"));
    is_looked_at_closely = false;
    stop();
}

static void assert_not_judged(const char *why)
{
    const struct cpprof_verification v = judge_series(1);
    assert_true(v.values > 0 && v.bad_ratio == 1);
    if (!strstr(v.hint, "nobody judged it") || !strstr(v.hint, why))
        fail_msg("'%s'", v.hint);
}

/* By the solution itself, before its outputs are looked at. Nothing after it passes. */
TEST(a_judge_that_is_killed_is_a_failure)
{
    start(honest);
    assert_true(judge_series(1).bad_ratio == 0);
    judged->variant.launch(arm, NULL);
    kill(judge_process(), SIGKILL);
    assert_not_judged("signal 9 (Killed)");
    assert_string_equal(refusal(), "");
    assert_not_judged("signal 9 (Killed)");
    tear_down();
    assert_int_equal(set_up(honest), 0);
    assert_not_judged("signal 9 (Killed)");
    stop();
}

/* Then nothing waits for ever. */
TEST(a_judge_that_is_killed_leaves_no_launch_behind)
{
    start(kills_its_judge);
    victim = judge_process();
    assert_false(time_one(true).is_timed);
    assert_int_equal(*gate.at, gate.value);
    assert_not_judged("signal 9 (Killed)");
    gate.at = NULL;
    stop();
}

/* As a solution finds it. */
static int socket_to_judge(void)
{
    struct stat file;
    int found = -1, count = 0;
    for (int fd = 3; fd < 64; fd++)
        if (!fstat(fd, &file) && S_ISSOCK(file.st_mode)) {
            found = fd;
            count++;
        }
    assert_int_equal(count, 1);
    return found;
}

static void forge(const struct judge_request *request)
{
    assert_int_equal(send(socket_to_judge(), request, sizeof *request, MSG_NOSIGNAL), sizeof *request);
}

/* What a solution writes into the socket is no request. */
TEST(a_forged_request_ends_the_judge)
{
    start(honest);
    assert_true(judge_series(1).bad_ratio == 0);
    forge(&(struct judge_request){.wish = JUDGE_END, .arm = 1, .number = 1});
    assert_not_judged("ended with status 0");
    stop();
}

/* One with the right number is answered, and its reply is not taken for that to the runner's. RESERVE and MAKE were the
 * first. */
TEST(a_reply_to_a_forged_request_is_none)
{
    struct judge_reply reply;
    start(does_nothing);
    forge(&(struct judge_request){.wish = JUDGE_SETTLE, .arm = 1, .number = 3});
    assert_int_equal(judge_client_ask(&task, NULL, &(struct judge_request){.wish = JUDGE_AHEAD, .arm = 1}, &reply),
                     JUDGE_GONE);
    assert_not_judged("ended with status 0");
    stop();
}

/* Says of everything that it is right. */
static pid_t start_false_judge(int in_place_of)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    const pid_t false_judge = fork();
    if (!false_judge) {
        struct judge_request request;
        close(ends[0]);
        close(in_place_of);
        while (recv(ends[1], &request, sizeof request, 0) == (ssize_t)sizeof request) {
            const struct judge_reply reply = {
                .number = request.number, .nonce = request.nonce, .arm = request.arm, .result.values = 1};
            send(ends[1], &reply, sizeof reply, MSG_NOSIGNAL);
        }
        _exit(0);
    }
    dup2(ends[0], in_place_of);
    close(ends[0]);
    close(ends[1]);
    return false_judge;
}

TEST(another_socket_in_its_place_is_none)
{
    start(does_nothing);
    const pid_t false_judge = start_false_judge(socket_to_judge());
    assert_not_judged("ended with status 0");
    assert_int_equal(waitpid(false_judge, NULL, 0), false_judge);
    stop();
}

/* ---- a judge that cpprof has started ---- */

static pid_t reporting;
static int report;

static void start_reporting(int (*launch)(void *, const struct cpprof_call *))
{
    int ends[2];
    char value[32];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    assert_true((report = memfd_create("judged", MFD_CLOEXEC)) > 4);
    reporting = fork();
    if (!reporting) {
        const int socket = fcntl(ends[1], F_DUPFD, 16), file = fcntl(report, F_DUPFD, 16);
        dup2(socket, 3);
        dup2(file, 4);
        execl("/proc/self/exe", "cpprof-judge", "3", LOADED_TASK, "0", "4", "time", "5", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    snprintf(value, sizeof value, "socket:%d", ends[0]);
    setenv("CPPROF_JUDGE", value, 1);
    judge_client_start(LOADED_TASK);
    unsetenv("CPPROF_JUDGE");
    assert_string_equal(judge_client_end(), "");
    assert_int_equal(set_up(launch), 0);
}

/* What it wrote is `expected`. */
static void stop_reporting(const char *expected)
{
    char text[4096] = "";
    tear_down();
    judge_client_stop();
    assert_int_equal(waitpid(reporting, NULL, 0), reporting);
    assert_true(pread(report, text, sizeof text - 1, 0) >= 0);
    close(report);
    assert_string_equal(text, expected);
}

#define CASE "time,5,\"n=100\",\"small\",\"\",42"

TEST(it_writes_down_what_it_found)
{
    start_reporting(honest);
    const struct cpprof_verification one = judge_series(1);
    assert_int_equal(judged_redraw(arm, CPPROF_SORTED, NULL), 0);
    const struct cpprof_verification all = judge_series(4 * SERIES);
    assert_true(one.bad_ratio == 0 && one.values == N);
    if (all.bad_ratio != 0 || all.values != 4 * N) /* of four slots */
        fail_msg("%g of %d: '%s'", all.bad_ratio, (int)all.values, all.hint);
    stop_reporting(CASE ",yes,100,0,\"\"\n" CASE " sorted,yes,400,0,\"\"\n");
}

/* Timed launches are judged when all are over. */
TEST(what_is_wrong_stays_so)
{
    gate.is_missing = true;
    start_reporting(does_nothing);
    time_one(true);
    judged->solution.launch = honest;
    time_one(true);
    gate.is_missing = false;
    assert_true(verdict().bad_ratio != 0);
    assert_true(judge_series(1).bad_ratio == 0);
    stop_reporting(CASE ",no,200,,\"100 of 100 bad values were never written\"\n" CASE ",yes,100,0,\"\"\n");
}

/* A verification of which a part was never made is none. */
TEST(a_part_is_no_verification)
{
    struct judge_reply reply;
    start_reporting(honest);
    assert_true(judge_series(1).bad_ratio == 0);
    assert_int_equal(judged->variant.poison(arm, NULL), 0);
    for (int i = 0; i < JUDGE_SLOTS_MAX; i++) /* on each slot */
        assert_int_equal(judged->variant.launch(arm, NULL), 0);
    for (unsigned wish = JUDGE_LOOK; wish <= JUDGE_SETTLE; wish++) {
        const struct judge_request request = {.wish = wish, .arm = 1, .launched = wish == JUDGE_LOOK};
        assert_int_equal(judge_client_ask(&task, NULL, &request, &reply), JUDGE_SAID);
    }
    stop_reporting(CASE ",yes,100,0,\"\"\n");
}

/* Sizes that the task does not allow could be computed wrong. */
TEST(a_shape_that_is_none_of_the_task_ends_it)
{
    static const struct judge_request none[] = {{.wish = JUDGE_RESERVE, .config.value = {INT64_C(1) << 62}},
                                                {.wish = JUDGE_RESERVE, .config.value = {N, 1}},
                                                {.wish = JUDGE_TRY, .config.value = {INT64_C(1) << 62}},
                                                {.wish = JUDGE_TRY, .config.value = {N, 1}},
                                                {.wish = JUDGE_MAKE, .workspace_bytes = UINT64_MAX}};
    for (size_t i = 0; i < COUNT_OF(none); i++) {
        struct judge_reply reply;
        start_reporting(honest);
        assert_int_equal(judge_client_ask(&task, NULL, &none[i], &reply), JUDGE_GONE);
        assert_not_judged("cpprof had started it");
        stop_reporting("");
    }
}

/* Whoever asks in the runner's name, or changed what the runner knows, gets no other verdict. */
TEST(only_poisoned_outputs_of_real_slots_are_right)
{
    struct judge_reply reply;
    const struct judge_request slot = {.wish = JUDGE_LOOK, .arm = 1, .launched = 1},
                               nowhere = {.wish = JUDGE_LOOK, .arm = 1, .launched = 1u << 20};
    start_with_cache("25600", honest); /* eight slots */
    assert_true(judge_series(1).bad_ratio == 0);
    assert_int_equal(judge_client_ask(&task, NULL, &slot, &reply), JUDGE_SAID);
    assert_true(reply.result.bad_ratio == 1 && strstr(reply.result.hint, "not poisoned"));
    assert_int_equal(judge_client_ask(&task, NULL, &nowhere, &reply), JUDGE_SAID);
    assert_int_not_equal(reply.status, 0);
    assert_int_equal(reply.result.values, 0);
    assert_true(judge_series(1).bad_ratio == 0);
    stop();
}

/* The salt is in a solution's process no earlier than its first verification. */
TEST(only_a_verification_tells_the_salt)
{
    static const uint32_t wishes[] = {JUDGE_TRY, JUDGE_POISON, JUDGE_SETTLE, JUDGE_LOOK};
    struct judge_reply reply;
    start(honest);
    for (size_t i = 0; i < COUNT_OF(wishes); i++) {
        const struct judge_request request = {.wish = wishes[i], .arm = 1};
        assert_int_equal(judge_client_ask(&task, NULL, &request, &reply), JUDGE_SAID);
        assert_int_equal(!!*reply.note, wishes[i] == JUDGE_LOOK);
    }
    stop();
}

static double input_of_a_run(void)
{
    start(honest);
    judge_series(1);
    stop();
    return sum_of_inputs;
}

TEST(inputs_are_new_unless_asked_for_again)
{
    const double one = input_of_a_run(), other = input_of_a_run();
    assert_true(one != other);
    start(honest);
    char salt[32] = "";
    const struct cpprof_verification v = judge_series(1);
    const double first = sum_of_inputs;
    assert_int_equal(sscanf(v.hint, "salt %31s", salt), 1);
    stop();
    setenv("CPPROF_SALT", salt, 1);
    const double again = input_of_a_run();
    unsetenv("CPPROF_SALT");
    assert_true(first == again);
}

TEST(a_machine_that_does_not_share_is_no_failure_of_the_solution)
{
    judge_client_start_program("/proc/self/exe", LOADED_TASK, 0);
    sharing = REFUSES;
    assert_int_equal(set_up(honest), cudaErrorNotSupported);
    assert_null(arm);
    assert_string_equal(refusal(), "needs a judge in a process of its own (or CPPROF_JUDGE=inside): "
                                   "cudaIpcOpenMemHandle: operation not supported");
    tear_down();
    sharing = CONFUSES;
    assert_int_equal(set_up(honest), cudaErrorInvalidValue);
    assert_null(arm);
    tear_down();
    sharing = SHARES;
    judge_client_stop();
    assert_int_equal(mapped, 0);
}

TEST(a_judge_that_cannot_start_is_an_error)
{
    static const char *const starts[][3] = {
        {"/nowhere/cpprof-judge", LOADED_TASK, "/nowhere/cpprof-judge: No such file"},
        {"/proc/self/exe", "/nowhere/libtask.so", "cannot load the task: /nowhere/libtask.so"},
        {"/bin/false", LOADED_TASK, "/bin/false: it ended with status 1"}};
    for (size_t i = 0; i < COUNT_OF(starts); i++) {
        judge_client_start_program(starts[i][0], starts[i][1], 0);
        assert_int_equal(set_up(honest), cudaErrorUnknown);
        assert_null(arm);
        assert_non_null(strstr(refusal(), starts[i][2]));
        tear_down();
        judge_client_stop();
        assert_int_equal(judge_process(), 0);
    }
}

/* A library that is to be loaded into every process is not loaded into the judge. */
TEST(nothing_is_loaded_into_the_judge)
{
    static const char *const variables[] = {"LD_PRELOAD", "LD_AUDIT", "CUDA_INJECTION64_PATH"};
    static const char script[] =
        "#!/bin/sh\n[ -z \"$LD_PRELOAD$LD_AUDIT$CUDA_INJECTION64_PATH\" ] && [ -n \"$PATH\" ] && exit 8\nexit 9\n";
    char path[] = "/tmp/cpprof-judge-XXXXXX";
    const int file = mkstemp(path);
    assert_true(write(file, script, strlen(script)) == (ssize_t)strlen(script));
    assert_int_equal(fchmod(file, 0700), 0);
    close(file);
    for (size_t i = 0; i < COUNT_OF(variables); i++)
        setenv(variables[i], "/nowhere.so", 1);
    judge_client_start_program(path, LOADED_TASK, 0);
    for (size_t i = 0; i < COUNT_OF(variables); i++)
        unsetenv(variables[i]);
    assert_int_equal(set_up(honest), cudaErrorUnknown);
    assert_non_null(strstr(refusal(), "it ended with status 8"));
    tear_down();
    judge_client_stop();
    unlink(path);
}

static int take_loaded_task(void **state)
{
    (void)state;
    static struct cpprof_task loaded;
    const struct cpprof_task *(*entry)(void) = NULL;
    void *symbol = dlsym(dlopen(LOADED_TASK, RTLD_NOW), TASK_SYMBOL);
    struct err e = {0};
    memcpy(&entry, &symbol, sizeof entry);
    const int rc = symbol ? task_copy(&loaded, entry(), &e) : 1;
    task = loaded;
    return rc;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_solution_passes),
        cmocka_unit_test(a_wrong_one_fails),
        cmocka_unit_test(a_judge_that_disagrees_with_itself_fails),
        cmocka_unit_test(inputs_come_when_all_is_submitted),
        cmocka_unit_test(a_launch_that_came_after_its_inputs_is_no_sample),
        cmocka_unit_test(a_launch_that_waits_for_the_device_is_no_sample),
        cmocka_unit_test(a_solution_cannot_take_the_memory_of_the_judge),
        cmocka_unit_test(a_solution_that_leaves_no_buffers_is_an_error),
        cmocka_unit_test(memory_that_is_gone_before_is_an_error),
        cmocka_unit_test(a_judge_without_memory_on_the_device_says_so),
        cmocka_unit_test(whoever_does_not_look_at_inputs_is_wrong_then),
        cmocka_unit_test(outputs_of_other_inputs_are_there_before_a_series),
        cmocka_unit_test(a_judge_that_is_killed_is_a_failure),
        cmocka_unit_test(a_judge_that_is_killed_leaves_no_launch_behind),
        cmocka_unit_test(a_forged_request_ends_the_judge),
        cmocka_unit_test(a_reply_to_a_forged_request_is_none),
        cmocka_unit_test(another_socket_in_its_place_is_none),
        cmocka_unit_test(it_writes_down_what_it_found),
        cmocka_unit_test(what_is_wrong_stays_so),
        cmocka_unit_test(a_part_is_no_verification),
        cmocka_unit_test(a_shape_that_is_none_of_the_task_ends_it),
        cmocka_unit_test(only_poisoned_outputs_of_real_slots_are_right),
        cmocka_unit_test(only_a_verification_tells_the_salt),
        cmocka_unit_test(nothing_is_loaded_into_the_judge),
        cmocka_unit_test(inputs_are_new_unless_asked_for_again),
        cmocka_unit_test(a_machine_that_does_not_share_is_no_failure_of_the_solution),
        cmocka_unit_test(a_judge_that_cannot_start_is_an_error),
    };
    if (!strcmp(argv[0], "cpprof-judge"))
        _exit(judge_serve(argc, argv)); /* as cpprof-judge ends */
    return cmocka_run_group_tests(tests, take_loaded_task, NULL);
}
