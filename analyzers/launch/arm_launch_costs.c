/* What does each launch of an arm cost the host, and how long does the device wait? */
#include "analyzers/launch/arm_launch_costs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "stats/statistics.h"

/* One API call with all the kernels that it started. */
struct call {
    const struct variant_launch *api;
    bool has_kernel;
    int64_t start_ns, end_ns; /* first kernel's start, last kernel's end */
};

struct samples {
    double *items;
    size_t count, capacity;
};

/* Devices apart; more than so many share. */
enum { DEVICES_APART = 16 };

/* The measurements of one variant at one config. */
struct arm {
    const char *variant, *config;
    int64_t launches;
    double first_ns; /* the longest of the devices' first calls */
    struct samples api, queue, interval, idle, copying, other;
    struct samples kernel[DEVICES_APART];
};

struct arm_list {
    struct arm *items;
    size_t count, capacity;
};

static void arm_list_release(struct arm_list *arms)
{
    for (size_t i = 0; i < arms->count; i++) {
        struct arm *arm = &arms->items[i];
        free(arm->api.items);
        free(arm->queue.items);
        for (size_t d = 0; d < DEVICES_APART; d++)
            free(arm->kernel[d].items);
        free(arm->interval.items);
        free(arm->idle.items);
        free(arm->copying.items);
        free(arm->other.items);
    }
    free(arms->items);
}

static bool same_arm(const struct variant_launch *a, const struct variant_launch *b)
{
    return !strcmp(a->variant, b->variant) && !strcmp(a->config, b->config);
}

/* The arm of a launch; the last one first, because launches come in runs. */
static struct arm *arm_of(struct arm_list *arms, const struct variant_launch *launch)
{
    for (size_t i = arms->count; i-- > 0;)
        if (!strcmp(arms->items[i].variant, launch->variant) && !strcmp(arms->items[i].config, launch->config))
            return &arms->items[i];
    struct arm *arm = ARRAY_PUSH(arms);
    if (arm)
        *arm = (struct arm){.variant = launch->variant, .config = launch->config, .first_ns = NAN};
    return arm;
}

/* Reads the call that starts at `index` and returns the index behind it. */
static size_t read_call(const struct variant_launches *launches, size_t index, struct call *out)
{
    *out = (struct call){.api = &launches->items[index]};
    size_t i = index;
    do {
        const struct variant_launch *part = &launches->items[i];
        if (!part->has_kernel)
            continue;
        if (!out->has_kernel || part->kernel_start_ns < out->start_ns)
            out->start_ns = part->kernel_start_ns;
        if (!out->has_kernel || part->kernel_end_ns > out->end_ns)
            out->end_ns = part->kernel_end_ns;
        out->has_kernel = true;
    } while (++i < launches->count && launches->items[i].part > 0);
    return i;
}

/* Two calls that followed each other in one loop: same arm, thread and device,
 * both measured, nothing launched between them. */
static bool neighbours(const struct call *before, const struct call *call)
{
    const struct variant_launch *a = before->api, *b = call->api;
    return before->has_kernel && call->has_kernel && same_arm(a, b) && a->rank == b->rank && a->thread == b->thread &&
           a->device == b->device && a->phase == LAUNCH_PHASE_MEASURE && b->phase == LAUNCH_PHASE_MEASURE &&
           call->start_ns >= before->start_ns;
}

/* NAN for times so far apart that only damaged records have them. */
static double elapsed_ns(int64_t from_ns, int64_t to_ns)
{
    int64_t difference;
    return __builtin_sub_overflow(to_ns, from_ns, &difference) ? NAN : (double)difference;
}

static int push(struct samples *samples, double value)
{
    if (!isfinite(value))
        return 0;
    double *slot = ARRAY_PUSH(samples);
    if (!slot)
        return ERR_MEMORY;
    *slot = value;
    return 0;
}

/* What the device does from one launch of an arm to the next: it copies, it runs other kernels, or it waits. */
static int measure_gap(struct arm *arm, const struct variant_launches *launches, const struct call *before,
                       const struct call *call)
{
    const struct device_work *work = variant_launches_work_of(launches, call->api->rank, call->api->device);
    const double gap_ns = fmax(0, elapsed_ns(before->end_ns, call->start_ns)); /* launches may overlap */
    const bool is_gap = work && call->start_ns > before->end_ns && isfinite(gap_ns);
    const double any_ns = is_gap ? (double)interval_set_within_ns(&work->any, before->end_ns, call->start_ns) : 0;
    const double copy_ns = is_gap ? (double)interval_set_within_ns(&work->copies, before->end_ns, call->start_ns) : 0;
    return push(&arm->idle, gap_ns - any_ns) | push(&arm->copying, copy_ns) | push(&arm->other, any_ns - copy_ns);
}

static int measure(struct arm_list *arms, const struct variant_launches *launches, const struct call *call,
                   const struct call *before, struct err *e)
{
    struct arm *arm = arm_of(arms, call->api);
    if (!arm)
        return err_memory(e);
    double api_ns = elapsed_ns(call->api->api_start_ns, call->api->api_end_ns);
    int failed = 0;
    arm->launches++;
    if (call->api->first)
        arm->first_ns = fmax(arm->first_ns, api_ns); /* fmax passes NAN over */
    else
        failed |= push(&arm->api, api_ns);
    if (call->has_kernel && !call->api->first) {
        failed |= push(&arm->queue, elapsed_ns(call->api->api_start_ns, call->start_ns));
        failed |=
            push(&arm->kernel[(uint32_t)call->api->device % DEVICES_APART], elapsed_ns(call->start_ns, call->end_ns));
    }
    if (before->api && neighbours(before, call)) {
        failed |= push(&arm->interval, elapsed_ns(before->start_ns, call->start_ns));
        failed |= measure_gap(arm, launches, before, call);
    }
    return failed ? err_memory(e) : 0;
}

static int measure_all(struct arm_list *arms, const struct variant_launches *launches, struct err *e)
{
    struct call before = {0}, call;
    for (size_t i = 0; i < launches->count;) {
        i = read_call(launches, i, &call);
        enum launch_phase phase = call.api->phase;
        if (phase == LAUNCH_PHASE_FIRST || phase == LAUNCH_PHASE_MEASURE) {
            int rc = measure(arms, launches, &call, &before, e);
            if (rc)
                return rc;
        }
        before = call;
    }
    return 0;
}

/* Kernels of a collective wait for those that are launched after them: on the device where they are shortest they do so
 * least. */
static double shortest_median(const struct arm *arm)
{
    double shortest = NAN;
    for (size_t d = 0; d < DEVICES_APART; d++)
        shortest = fmin(shortest, median(arm->kernel[d].items, arm->kernel[d].count)); /* fmin passes NAN over */
    return shortest;
}

static int add_cost(struct analysis *a, struct arm *arm, struct err *e)
{
    struct launch_cost *cost = ARRAY_PUSH(&a->launches);
    if (!cost)
        return err_memory(e);
    *cost = (struct launch_cost){
        .variant = arena_copy(&a->arena, arm->variant),
        .config = arena_copy(&a->arena, arm->config),
        .launches = arm->launches,
        .first_ns = arm->first_ns,
        .median_ns = median(arm->api.items, arm->api.count),
        .mean_ns = mean(arm->api.items, arm->api.count),
        .queue_median_ns = median(arm->queue.items, arm->queue.count),
        .kernel_median_ns = shortest_median(arm),
        .interval_median_ns = median(arm->interval.items, arm->interval.count),
        .gap_median_ns = median(arm->idle.items, arm->idle.count),
        .copy_median_ns = median(arm->copying.items, arm->copying.count),
        .other_median_ns = median(arm->other.items, arm->other.count),
    };
    cost->max_ns = NAN;
    for (size_t i = 0; i < arm->api.count; i++)
        cost->max_ns = fmax(cost->max_ns, arm->api.items[i]); /* fmax passes NAN over */
    return 0;
}

int arm_launch_costs_add(struct analysis *a, const struct variant_launches *launches, struct err *e)
{
    struct arm_list arms = {0};
    int rc = measure_all(&arms, launches, e);
    for (size_t i = 0; i < arms.count && !rc; i++)
        rc = add_cost(a, &arms.items[i], e);
    arm_list_release(&arms);
    return rc;
}
