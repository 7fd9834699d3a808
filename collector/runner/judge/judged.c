/* How does a solution run as a variant, without seeing what judges it? */
#define _GNU_SOURCE
#include "collector/runner/judge/judged.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "collector/runner/judge/judged_slot.h"
#include "collector/runner/judge/task_library.h"

/* Launches alternate between slots as long as all of them fit into a quarter of the L2 cache: a launch with hot caches
 * finds its inputs there. Where not even one fits into the cache none is hot, and two alternate. Verification has two
 * in any case. */
enum { SLOTS_MAX = 8, SLOTS_LEAST = 2, L2_PART = 4, LATE_US = 2000 };

struct judged_arm {
    const struct judged *of;
    struct cpprof_config config; /* seed 0 */
    uint64_t seed;
    struct judged_slot slots[SLOTS_MAX];
    size_t slot_count, alternating; /* of them the first ones are launched in turn */
    struct guarded workspace;
    void *copies[CPPROF_ARRAYS_MAX]; /* room for the outputs of a slot */
    void *state;                     /* the solution's */
    uint64_t order, launches;        /* the order of the slots is a function of both */
    unsigned launched;               /* slots, 1u << number, since the poison before the last launch */
    bool is_poisoned;                /* since the last launch that was called */
};

static const struct judged *announced;
static const struct cpprof_task *judging; /* a process has one task, for functions that get the config alone */

/* ---- set up ---- */

static void teardown(void *opaque)
{
    struct judged_arm *a = opaque;
    if (a->state && a->of->solution.release)
        a->of->solution.release(a->state);
    for (size_t i = 0; i < a->slot_count; i++)
        judged_slot_close(&a->slots[i]);
    for (size_t i = 0; i < CPPROF_ARRAYS_MAX; i++)
        if (a->copies[i])
            cudaFree(a->copies[i]);
    guarded_close(&a->workspace);
    free(a);
}

static double bytes_of(const struct cpprof_config *config)
{
    const struct cpprof_task *t = judging;
    double bytes = 0;
    for (size_t i = 0; i < t->input_count; i++)
        bytes += (double)(t->inputs[i].count(config) * cpprof_type_bytes(t->inputs[i].type));
    for (size_t i = 0; i < t->output_count; i++)
        bytes += (double)(t->outputs[i].count(config) * cpprof_type_bytes(t->outputs[i].type));
    return bytes;
}

static int choose_slots(struct judged_arm *a)
{
    int device, l2_bytes = 0;
    int status = cudaGetDevice(&device);
    if (!status)
        status = cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device);
    const double one = bytes_of(&a->config);
    a->slot_count = SLOTS_LEAST;
    a->alternating = one > l2_bytes ? SLOTS_LEAST : 1;
    if (one * SLOTS_MAX * L2_PART <= l2_bytes)
        a->slot_count = a->alternating = SLOTS_MAX;
    return status;
}

/* The first slot has the inputs of the seed itself. */
static struct cpprof_draw draw_of(const struct judged_arm *a, size_t slot, enum cpprof_draw_kind kind)
{
    return (struct cpprof_draw){slot ? cpprof_bits(a->seed, slot) : a->seed, kind};
}

static int open_memory(struct judged_arm *a, struct CUstream_st *stream)
{
    const struct cpprof_task *task = a->of->task;
    int status = choose_slots(a);
    for (size_t i = 0; i < a->slot_count && !status; i++) {
        const struct cpprof_draw draw = draw_of(a, i, CPPROF_RANDOM);
        status = judged_slot_open(&a->slots[i], task, &a->config, &draw, stream);
    }
    for (size_t i = 0; i < task->output_count && !status; i++)
        status = cudaMalloc(&a->copies[i], a->slots[0].outputs[i].bytes + 1);
    const size_t workspace = a->of->solution.workspace ? a->of->solution.workspace(&a->config) : 0;
    return status || !workspace ? status : guarded_open(&a->workspace, workspace, false, stream);
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
    if (getrandom(&a->order, sizeof a->order, 0) != sizeof a->order)
        a->order = (uint64_t)time(NULL);
    /* Without data: no buffer is there yet. */
    int status = a->of->solution.prepare ? a->of->solution.prepare(&a->config, &a->state) : 0;
    if (status)
        a->state = NULL; /* one that fails has cleaned up */
    if (!status)
        status = open_memory(a, stream);
    if (status)
        teardown(a);
    else
        *state = a;
    return status;
}

/* ---- launch ---- */

static int launch_on(struct judged_arm *a, size_t slot, struct CUstream_st *stream)
{
    const struct cpprof_call call = {
        sizeof call, &a->config, a->slots[slot].input_data, a->slots[slot].output_data, a->workspace.data, stream};
    return a->of->solution.launch(a->state, &call);
}

static int launch(void *opaque, struct CUstream_st *stream)
{
    struct judged_arm *a = opaque;
    const size_t slot = a->alternating > 1 ? cpprof_bits(a->order, a->launches++) % a->alternating : 0;
    if (a->is_poisoned)
        a->launched = 0;
    a->is_poisoned = false;
    a->launched |= 1u << slot;
    return launch_on(a, slot, stream);
}

/* A series is captured into a graph. When that is replayed it writes the slots of these launches. */
static int begin_series(void *opaque, struct CUstream_st *stream)
{
    struct judged_arm *a = opaque;
    (void)stream;
    a->launched = 0;
    a->is_poisoned = false;
    return 0;
}

static int end_series(void *opaque, struct CUstream_st *stream)
{
    (void)opaque, (void)stream;
    return 0;
}

/* Also what an earlier launch left in the workspace. */
static int poison(void *opaque, struct CUstream_st *stream)
{
    struct judged_arm *a = opaque;
    int status = 0;
    for (size_t i = 0; i < a->slot_count && !status; i++)
        status = judged_slot_poison(&a->slots[i], stream);
    if (!status && a->workspace.bytes)
        status = cudaMemsetAsync(a->workspace.data, guarded_poison(CPPROF_F32), a->workspace.bytes, stream);
    a->is_poisoned = true;
    return status;
}

/* ---- verify ---- */

static int check_workspace(const struct judged_arm *a, struct cpprof_verification *result)
{
    bool is_whole = true;
    int64_t at = 0;
    const int status = a->workspace.bytes ? guarded_check(&a->workspace, &is_whole, &at) : 0;
    if (!status && !is_whole)
        judged_fault(result, "the launch wrote outside of its workspace, at byte %lld", (long long)at);
    return status;
}

static void be_late(void *unused)
{
    (void)unused;
    usleep(LATE_US);
}

/* Of the second slot, after a launch on the first one, so that results which are kept from one call to the next show.
 */
static int launch_late(struct judged_arm *a, struct CUstream_st *stream)
{
    const struct judged_slot *s = &a->slots[1];
    int status = launch_on(a, 0, stream);
    if (!status)
        status = cudaLaunchHostFunc(stream, be_late, NULL);
    if (!status)
        status = judged_slot_poison(s, stream);
    if (!status)
        status = launch_on(a, 1, stream);
    for (size_t i = 0; i < a->of->task->output_count && !status; i++)
        status =
            cudaMemcpyAsync(a->copies[i], s->outputs[i].data, s->outputs[i].bytes, cudaMemcpyDeviceToDevice, stream);
    return status ? status : (int)cudaDeviceSynchronize();
}

/* Is a launch all on its stream? The stream waits first, so that work which does not wait for it is done before the
 * outputs are poisoned; and the outputs are copied by the stream itself, so that work which it does not wait for comes
 * too late. */
static int check_order(struct judged_arm *a, struct CUstream_st *stream, struct cpprof_verification *result)
{
    struct cpprof_verification copied = {0}, later = {0};
    uint64_t hash = 0, unused;
    int status = launch_late(a, stream);
    if (!status)
        status = judged_slot_judge(&a->slots[1], a->copies, &copied, &hash);
    if (!status && copied.bad_ratio != 0)
        status = judged_slot_judge(&a->slots[1], NULL, &later, &unused);
    if (!status && result->bad_ratio == 0 && copied.bad_ratio != 0) {
        *result = later.bad_ratio != 0 ? later : copied;
        if (later.bad_ratio == 0)
            judged_fault(result, "the outputs are right later, but not when the stream is done with the launch: work "
                                 "on another stream is not joined");
    }
    result->output_hash = hash;
    return status;
}

/* An empty shape has no values: that nothing was written beside them is what counts. */
static int verify(void *opaque, struct CUstream_st *stream, struct cpprof_verification *result)
{
    struct judged_arm *a = opaque;
    uint64_t hash;
    *result = (struct cpprof_verification){0};
    int status = cudaStreamSynchronize(stream);
    for (size_t i = 0; i < a->slot_count && !status; i++)
        if (a->launched >> i & 1)
            status = judged_slot_judge(&a->slots[i], NULL, result, &hash);
    if (!status && a->launched)
        status = check_order(a, stream, result);
    if (!status)
        status = check_workspace(a, result);
    if (!status && a->launched && !result->values)
        result->values = 1;
    return status;
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
    struct judged_arm *a = state;
    int status = 0;
    for (size_t i = 0; i < a->slot_count && !status; i++) {
        const struct cpprof_draw draw = draw_of(a, i, kind);
        status = judged_slot_redraw(&a->slots[i], &draw, stream);
    }
    return status;
}

const char *judged_draw_name(enum cpprof_draw_kind kind)
{
    static const char *const names[CPPROF_DRAW_KINDS] = {"random",  "constant", "sorted",
                                                         "one-hot", "large",    "subnormal"};
    return names[kind];
}
