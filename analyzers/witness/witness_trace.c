/* What does the trace say that the calls of each arm launched, and for how long was the GPU at work? */
#include <math.h>
#include <stdlib.h>

#include "analyzers/witness/witness.h"
#include "core/base/array.h"
#include "core/base/splitmix.h"
#include "core/run/variant_launches.h"

enum { STREAMS_MAX = 256 }; /* of one arm; more are not told apart */

/* The launches of each arm, phase by phase, in the order of their calls. */
struct sorted_launch {
    size_t arm;
    const struct variant_launch *launch;
    size_t place; /* in the list */
};

static int sorted_order(const void *left, const void *right)
{
    const struct sorted_launch *a = left, *b = right;
    if (a->arm != b->arm)
        return a->arm < b->arm ? -1 : 1;
    if (a->launch->phase != b->launch->phase)
        return a->launch->phase < b->launch->phase ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static struct seen_calls *calls_of(struct witnessed *arm, enum launch_phase phase)
{
    switch (phase) {
    case LAUNCH_PHASE_VERIFY: return &arm->verified;
    case LAUNCH_PHASE_MEASURE: return &arm->measured;
    case LAUNCH_PHASE_FIRST: /* libraries do some things once */
    case LAUNCH_PHASE_OTHER: break;
    }
    return NULL;
}

/* A phase that was gone through launched something, if only nothing. */
static void take_ranges(struct witnessing *w, const struct variant_launches *launches)
{
    for (size_t i = 0; i < launches->ranges.count; i++) {
        const struct variant_range *range = &launches->ranges.items[i];
        struct witnessed *arm = witnessed_find(w, range->arm);
        struct seen_calls *calls = arm ? calls_of(arm, range->phase) : NULL;
        if (!calls || isnan(calls->calls))
            continue;
        if (isnan(calls->kernels))
            *calls = (struct seen_calls){.calls = calls->calls};
        calls->copied_bytes += range->copied_bytes;
        calls->copies += range->copies;
        calls->memsets += range->memsets;
        calls->moved_bytes += range->moved_bytes;
    }
}

/* A weight for each name, so that two kernels which change their grids are seen. */
static double weight_of(uint32_t name)
{
    uint64_t state = name;
    return 1 + (double)(splitmix_next(&state) % 9973);
}

/* What a call without a record did is not known. That a graph of a solution, which may be of copies alone, had a kernel
 * shows in the graph that is timed. */
static void take_launch(const struct witnessing *w, struct witnessed *arm, const struct variant_launch *launch)
{
    struct seen_calls *calls = calls_of(arm, launch->phase);
    const double unknown = launch->is_graph && analysis_has_task(w->a) && isfinite(arm->graph.kernels) ? 0 : NAN;
    if (!calls)
        return;
    calls->kernels += launch->has_kernel ? 1 : unknown;
    calls->blocks += launch->has_kernel ? launch->blocks : unknown;
    calls->grids += launch->has_kernel ? launch->blocks * weight_of(launch->name) : NAN;
}

/* ---- how long was the GPU at work? ---- */

static int work_order(const void *left, const void *right)
{
    const struct variant_launch *a = *(const struct variant_launch *const *)left,
                                *b = *(const struct variant_launch *const *)right;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->stream != b->stream)
        return a->stream < b->stream ? -1 : 1;
    return a->kernel_start_ns < b->kernel_start_ns ? -1 : a->kernel_start_ns > b->kernel_start_ns;
}

/* Until when each stream was busy in the calls so far: with programmatic dependent launch a call may begin inside the
 * one before, and that time is not its own. */
struct stream_end {
    int32_t device;
    uint32_t stream;
    int64_t end_ns;
};

struct stream_ends {
    struct stream_end *items;
    size_t count, capacity;
};

static struct stream_end *end_of(struct stream_ends *ends, const struct variant_launch *kernel)
{
    for (size_t i = 0; i < ends->count; i++)
        if (ends->items[i].device == kernel->device && ends->items[i].stream == kernel->stream)
            return &ends->items[i];
    struct stream_end *slot = ends->count < STREAMS_MAX ? ARRAY_PUSH(ends) : NULL;
    if (slot)
        *slot = (struct stream_end){kernel->device, kernel->stream, INT64_MIN};
    return slot;
}

/* What the kernel adds to the busy time of its stream. */
static double added_ns(struct stream_end *end, const struct variant_launch *kernel)
{
    const int64_t start_ns = kernel->kernel_start_ns > end->end_ns ? kernel->kernel_start_ns : end->end_ns;
    if (kernel->kernel_end_ns <= start_ns)
        return 0;
    end->end_ns = kernel->kernel_end_ns;
    return (double)(kernel->kernel_end_ns - start_ns);
}

/* Busy time of one call; NAN on too many streams. Tracing may put kernels of several streams one behind the other,
 * which run side by side otherwise: the busiest stream of a device counts. Kernels of several devices wait for each
 * other's launches: the device counts that is busy for least. */
static double busy_ns_of(const struct variant_launch **kernels, size_t count, struct stream_ends *ends)
{
    double least_ns = INFINITY, device_ns = 0, stream_ns = 0;
    qsort(kernels, count, sizeof *kernels, work_order);
    for (size_t i = 0; i < count; i++) {
        const bool is_last = i + 1 == count;
        const struct variant_launch *kernel = kernels[i], *next = is_last ? kernel : kernels[i + 1];
        struct stream_end *end = end_of(ends, kernel);
        if (!end)
            return NAN;
        stream_ns += added_ns(end, kernel);
        if (!is_last && next->device == kernel->device && next->stream == kernel->stream)
            continue;
        device_ns = fmax(device_ns, stream_ns);
        stream_ns = 0;
        if (!is_last && next->device == kernel->device)
            continue;
        least_ns = fmin(least_ns, device_ns);
        device_ns = 0;
    }
    return least_ns;
}

static int number_order(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* One phase of an arm, call by call: how long was the GPU at work in each? */
struct phase_times {
    double *added_ns, *own_ns; /* in ascending order: without and with what a call shares with the one before */
    size_t count;
};

static void phase_times_release(struct phase_times *t)
{
    free(t->added_ns);
    free(t->own_ns);
}

/* Calls of as many kernels each; else nobody can say where one ends, and there are none. `kernels` is put into another
 * order. */
static int time_phase(struct phase_times *t, const struct variant_launch **kernels, size_t count, double calls,
                      struct err *e)
{
    const size_t call_count = calls >= 1 && calls <= (double)count ? (size_t)calls : 0;
    *t = (struct phase_times){0};
    if (!call_count || count % call_count)
        return 0;
    t->added_ns = malloc(call_count * sizeof *t->added_ns);
    t->own_ns = malloc(call_count * sizeof *t->own_ns);
    if (!t->added_ns || !t->own_ns)
        return err_memory(e);
    const size_t each = count / call_count;
    struct stream_ends ends = {0};
    for (size_t i = 0; i < call_count; i++) {
        struct stream_ends alone = {0};
        t->added_ns[i] = busy_ns_of(kernels + i * each, each, &ends);
        t->own_ns[i] = busy_ns_of(kernels + i * each, each, &alone);
        free(alone.items);
    }
    qsort(t->added_ns, call_count, sizeof *t->added_ns, number_order);
    qsort(t->own_ns, call_count, sizeof *t->own_ns, number_order);
    t->count = ends.count < STREAMS_MAX ? call_count : 0;
    free(ends.items);
    return 0;
}

/* ---- all arms ---- */

static int take_times(struct witnessed *arm, enum launch_phase phase, const struct variant_launch **kernels,
                      size_t count, struct err *e)
{
    const struct seen_calls *calls = calls_of(arm, phase);
    struct phase_times times;
    if (!count || (double)count != calls->kernels)
        return 0;
    const int rc = time_phase(&times, kernels, count, calls->calls, e);
    if (!rc && times.count && phase == LAUNCH_PHASE_MEASURE) {
        arm->busy_ns = times.added_ns[times.count / 4];
        arm->own_ns = times.own_ns[times.count / 4];
    } else if (!rc && times.count) {
        arm->verified_ns = times.own_ns[0];
    }
    phase_times_release(&times);
    return rc;
}

/* Does each call have as many kernels and blocks as the first one? Work may depend on data. */
static bool are_alike(const struct variant_launch *const *kernels, size_t count, double calls)
{
    const size_t call_count = calls >= 1 && calls <= (double)count ? (size_t)calls : 0;
    const size_t each = call_count && count % call_count == 0 ? count / call_count : 0;
    double first = NAN;
    for (size_t i = 0; i < count && each; i += each) {
        double blocks = 0;
        for (size_t k = i; k < i + each; k++)
            blocks += kernels[k]->blocks;
        first = i ? first : blocks;
        if (blocks != first)
            return false;
    }
    return !count || each;
}

/* Counts the streams of one call; NAN if they are too many. */
static double streams_of(const struct variant_launch *const *kernels, size_t count)
{
    struct stream_ends seen = {0};
    size_t told = 0;
    while (told < count && end_of(&seen, kernels[told]))
        told++;
    free(seen.items);
    return told < count ? NAN : (double)seen.count;
}

/* Adds up the streams of each call; NAN if calls have no equal number of kernels. */
static double streams_of_calls(const struct variant_launch *const *kernels, size_t count, double calls)
{
    const size_t call_count = calls >= 1 && calls <= (double)count ? (size_t)calls : 0;
    double streams = 0;
    if (!call_count || count % call_count)
        return count ? NAN : 0;
    for (size_t i = 0; i < count; i += count / call_count)
        streams += streams_of(kernels + i, count / call_count);
    return streams;
}

static int take_phases(struct witnessing *w, const struct sorted_launch *sorted, size_t count, struct err *e)
{
    const struct variant_launch **kernels = malloc((count + 1) * sizeof *kernels);
    int rc = kernels ? 0 : err_memory(e);
    for (size_t i = 0, end; i < count && !rc; i = end) {
        size_t kernel_count = 0;
        const enum launch_phase phase = sorted[i].launch->phase;
        for (end = i; end < count && sorted[end].arm == sorted[i].arm && sorted[end].launch->phase == phase; end++)
            if (sorted[end].launch->has_kernel)
                kernels[kernel_count++] = sorted[end].launch;
        struct seen_calls *calls = calls_of(&w->arms[sorted[i].arm], phase);
        if (calls && phase == LAUNCH_PHASE_MEASURE)
            w->arms[sorted[i].arm].calls_differ = !are_alike(kernels, kernel_count, calls->calls);
        if (calls)
            calls->streams = streams_of_calls(kernels, kernel_count, calls->calls);
        if (calls)
            rc = take_times(&w->arms[sorted[i].arm], phase, kernels, kernel_count, e);
    }
    free(kernels);
    return rc;
}

static int take_launches(struct witnessing *w, const struct variant_launches *launches, struct err *e)
{
    struct sorted_launch *sorted = malloc((launches->count + 1) * sizeof *sorted);
    size_t count = 0;
    if (!sorted)
        return err_memory(e);
    take_ranges(w, launches);
    for (size_t i = 0; i < launches->count; i++) {
        const struct variant_launch *launch = &launches->items[i];
        struct witnessed *arm = witnessed_find(w, launch->arm);
        if (!arm)
            continue;
        take_launch(w, arm, launch);
        sorted[count++] = (struct sorted_launch){(size_t)(arm - w->arms), launch, i};
    }
    qsort(sorted, count, sizeof *sorted, sorted_order);
    const int rc = take_phases(w, sorted, count, e);
    free(sorted);
    return rc;
}

/* A trace with gaps says nothing of how much was launched; one that cannot be read says nothing at all. */
int witness_read_trace(struct witnessing *w, struct err *e)
{
    const struct variant_launches *launches = &w->a->run->launches;
    if (w->a->run->trace_error)
        w->untraced = "the trace cannot be read";
    else if (!launches->has_trace)
        w->untraced = "there is no trace";
    else if (launches->partial)
        w->untraced = "the trace is not whole";
    else
        return take_launches(w, launches, e);
    return 0;
}
