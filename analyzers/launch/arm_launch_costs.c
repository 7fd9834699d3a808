/* What does each launch of an arm cost the host, and how long does the device wait? */
#include "analyzers/launch/arm_launch_costs.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/stats/statistics.h"

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

/* Devices that are kept apart; more of them share a place. */
enum { DEVICES_APART = 16 };

/* The measurements of one arm. */
struct measured {
    const struct arm *arm;
    int64_t launches;
    double first_ns; /* the longest of the devices' first calls */
    struct samples api, queue, interval, idle, copying, other;
    struct samples kernel[DEVICES_APART];
};

struct measured_list {
    struct measured *items; /* in the order of their first launches */
    size_t count, capacity;
    ARRAY_OF(size_t) places; /* by arm: its place above plus 1; 0 none yet */
};

static void measured_list_release(struct measured_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct measured *m = &list->items[i];
        free(m->api.items);
        free(m->queue.items);
        for (size_t d = 0; d < DEVICES_APART; d++)
            free(m->kernel[d].items);
        free(m->interval.items);
        free(m->idle.items);
        free(m->copying.items);
        free(m->other.items);
    }
    free(list->items);
    free(list->places.items);
}

static struct measured *measured_of(struct measured_list *list, const struct arm *arm)
{
    while (list->places.count <= arm->index)
        if (!ARRAY_PUSH(&list->places))
            return NULL;
    size_t *place = &list->places.items[arm->index];
    if (*place)
        return &list->items[*place - 1];
    struct measured *m = ARRAY_PUSH(list);
    if (m)
        *m = (struct measured){.arm = arm, .first_ns = NAN};
    *place = m ? list->count : 0;
    return m;
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
    return before->has_kernel && call->has_kernel && a->arm == b->arm && a->rank == b->rank && a->thread == b->thread &&
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

/* What the device does from one launch of an arm to the next: it copies, it runs other work, or it waits. */
static int measure_gap(struct measured *arm, const struct variant_launches *launches, const struct call *before,
                       const struct call *call)
{
    const struct device_work *work = variant_launches_work_of(launches, call->api->rank, call->api->device);
    const double gap_ns = fmax(0, elapsed_ns(before->end_ns, call->start_ns)); /* launches may overlap */
    const bool is_gap = work && call->start_ns > before->end_ns && isfinite(gap_ns);
    const double any_ns = is_gap ? (double)interval_set_within_ns(&work->any, before->end_ns, call->start_ns) : 0;
    const double copy_ns = is_gap ? (double)interval_set_within_ns(&work->copies, before->end_ns, call->start_ns) : 0;
    return push(&arm->idle, gap_ns - any_ns) | push(&arm->copying, copy_ns) | push(&arm->other, any_ns - copy_ns);
}

static int measure(struct measured_list *list, const struct variant_launches *launches, const struct call *call,
                   const struct call *before, struct err *e)
{
    struct measured *arm = measured_of(list, call->api->arm);
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

static int measure_all(struct measured_list *list, const struct variant_launches *launches, struct err *e)
{
    struct call before = {0}, call;
    for (size_t i = 0; i < launches->count;) {
        i = read_call(launches, i, &call);
        enum launch_phase phase = call.api->phase;
        if (phase == LAUNCH_PHASE_FIRST || phase == LAUNCH_PHASE_MEASURE) {
            int rc = measure(list, launches, &call, &before, e);
            if (rc)
                return rc;
        }
        before = call;
    }
    return 0;
}

/* Kernels of a collective wait for those that are launched after them: on the device where they are shortest they do so
 * least. */
static double shortest_median(const struct measured *arm)
{
    double shortest = NAN;
    for (size_t d = 0; d < DEVICES_APART; d++)
        shortest = fmin(shortest, median(arm->kernel[d].items, arm->kernel[d].count)); /* fmin passes NAN over */
    return shortest;
}

static int add_cost(struct analysis *a, struct measured *arm, struct err *e)
{
    struct launch_cost *cost = ARRAY_PUSH(&a->launches);
    if (!cost)
        return err_memory(e);
    *cost = (struct launch_cost){
        .arm = arm->arm,
        .variant = arena_copy(&a->arena, arm->arm->variant),
        .config = arena_copy(&a->arena, arm->arm->config),
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
    analysis_note(a, ARM_LAUNCHES, arm->arm, a->launches.count - 1);
    cost->max_ns = NAN;
    for (size_t i = 0; i < arm->api.count; i++)
        cost->max_ns = fmax(cost->max_ns, arm->api.items[i]); /* fmax passes NAN over */
    return 0;
}

int arm_launch_costs_add(struct analysis *a, const struct variant_launches *launches, struct err *e)
{
    struct measured_list list = {0};
    int rc = measure_all(&list, launches, e);
    for (size_t i = 0; i < list.count && !rc; i++)
        rc = add_cost(a, &list.items[i], e);
    measured_list_release(&list);
    return rc;
}
