/* Which launches of a program should be replayed? */
#include "analyzers/capture/replay_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/launch_key.h"
#include "trace/duration_groups.h"

static const double least_share = 0.01;
static const double quantiles[REPLAY_LAUNCHES_PER_KERNEL] = {0.5, 0.1, 0.9}; /* the most important one first */

struct traced_launch {
    uint32_t kernel; /* id of its text */
    uint32_t call;   /* correlation ids ascend with the calls of a process */
    int64_t duration_ns;
};

struct traced_kernel {
    size_t first, count; /* of the launches, once they are sorted */
    double total_ns;
};

struct planning {
    struct strtab texts;
    ARRAY_OF(struct traced_launch) launches;
    ARRAY_OF(struct traced_kernel) kernels;
    struct str text;
    int device, rank; /* of the first kernel; -2: none yet */
    const char *why;
};

static const char several_devices[] = "kernels run on several GPUs: one that waits for another GPU would wait for ever";
static const char several_processes[] =
    "kernels of several processes were recorded: their launches cannot be told apart";
static const char nothing_left[] = "no kernel is launched by a call of its own often enough";

/* ---- what was launched ---- */

static bool is_replayable(const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_KERNEL && !event->graph_node && !(event->flags & CPPROF_EVENT_UNFINISHED) &&
           event->name;
}

static void look_at_place(struct planning *p, const struct cpprof_event *event)
{
    if (p->device == -2) {
        p->device = event->device;
        p->rank = event->rank;
    }
    if (event->rank != p->rank)
        p->why = several_processes;
    else if (event->device != p->device)
        p->why = several_devices;
}

static int take_kernel(struct planning *p, const struct cpprof_event *event, const char *name, struct err *e)
{
    const uint32_t block[3] = {event->block[0], event->block[1], event->block[2]};
    str_clear(&p->text);
    launch_key_add(&p->text, event->grid, block, name);
    const uint32_t id = strtab_add(&p->texts, str_text(&p->text));
    struct traced_launch *launch = id && !p->text.failed ? ARRAY_PUSH(&p->launches) : NULL;
    if (!launch)
        return err_memory(e);
    *launch = (struct traced_launch){id, event->correlation, duration_ns(event->start_ns, event->end_ns)};
    return 0;
}

/* What is not launched by a call of its own still says how many GPUs and processes there are. */
static int take_events(struct planning *p, struct event_stream *stream, struct err *e)
{
    struct cpprof_event event;
    int got = 0, rc = event_stream_rewind(stream, e);
    while (!rc && (got = event_stream_next(stream, &event, e)) > 0) {
        if (event.kind == CPPROF_EVENT_KERNEL)
            look_at_place(p, &event);
        const char *name = strtab_text(event_stream_strings(stream), event.name);
        if (is_replayable(&event) && *name && !strchr(name, '\n') && p->launches.count < REPLAY_TRACE_MAX)
            rc = take_kernel(p, &event, name, e);
    }
    return rc ? rc : got < 0 ? got : 0;
}

/* ---- which of them ---- */

static int by_kernel_and_call(const void *left, const void *right)
{
    const struct traced_launch *a = left, *b = right;
    if (a->kernel != b->kernel)
        return a->kernel < b->kernel ? -1 : 1;
    return (a->call > b->call) - (a->call < b->call);
}

static int by_total(const void *left, const void *right)
{
    const struct traced_kernel *a = left, *b = right;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

static int group(struct planning *p, double *total_ns, struct err *e)
{
    const struct traced_launch *items = p->launches.items;
    if (p->launches.count)
        qsort(p->launches.items, p->launches.count, sizeof *items, by_kernel_and_call);
    for (size_t i = 0; i < p->launches.count; i++) {
        struct traced_kernel *last = i && items[i].kernel == items[i - 1].kernel
                                         ? &p->kernels.items[p->kernels.count - 1]
                                         : ARRAY_PUSH(&p->kernels);
        if (!last)
            return err_memory(e);
        if (!last->count)
            last->first = i;
        last->count++;
        last->total_ns += (double)items[i].duration_ns;
        *total_ns += (double)items[i].duration_ns;
    }
    if (p->kernels.count)
        qsort(p->kernels.items, p->kernels.count, sizeof *p->kernels.items, by_total);
    return 0;
}

static int by_duration(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static int by_number(const void *left, const void *right)
{
    const size_t a = *(const size_t *)left, b = *(const size_t *)right;
    return (a > b) - (a < b);
}

static bool is_among(const size_t *numbers, size_t count, size_t number)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

/* The first launch of a kernel warms it up, and the very first one of all warms up the profiler. */
static size_t nearest(const struct traced_launch *launches, size_t count, int64_t wanted_ns, const size_t *taken,
                      size_t taken_count)
{
    size_t best = count;
    for (size_t i = count > 1; i < count; i++) {
        const int64_t off = llabs(launches[i].duration_ns - wanted_ns);
        if (!is_among(taken, taken_count, i) && (best == count || off < llabs(launches[best].duration_ns - wanted_ns)))
            best = i;
    }
    return best;
}

/* Appends the line of one kernel; returns how many of its launches are in it. */
static int choose(struct planning *p, const struct traced_kernel *k, struct str *list, size_t *chosen, struct err *e)
{
    const struct traced_launch *launches = p->launches.items + k->first;
    int64_t *durations = malloc(k->count * sizeof *durations);
    size_t numbers[REPLAY_LAUNCHES_PER_KERNEL], count = 0, median = 0;
    if (!durations)
        return err_memory(e);
    for (size_t i = 0; i < k->count; i++)
        durations[i] = launches[i].duration_ns;
    qsort(durations, k->count, sizeof *durations, by_duration);
    for (size_t q = 0; q < REPLAY_LAUNCHES_PER_KERNEL; q++) {
        const int64_t wanted_ns = durations[(size_t)(quantiles[q] * (double)(k->count - 1))];
        const size_t number = nearest(launches, k->count, wanted_ns, numbers, count);
        if (number < k->count)
            numbers[count++] = number;
    }
    free(durations);
    median = numbers[0];
    qsort(numbers, count, sizeof *numbers, by_number);
    for (size_t i = 0; i < count; i++)
        str_addf(list, "%s%zu%s", i ? "," : "", numbers[i], numbers[i] == median ? "" : "?");
    str_addf(list, " %s\n", strtab_text(&p->texts, launches->kernel));
    *chosen += count;
    return list->failed ? err_memory(e) : 0;
}

int replay_plan_make(struct str *list, size_t *launches, const char **why, struct event_stream *stream, struct err *e)
{
    struct planning p = {.device = -2, .rank = -2};
    double total_ns = 0;
    strtab_init(&p.texts);
    str_init(&p.text);
    *launches = 0;
    int rc = take_events(&p, stream, e);
    if (!rc && !p.why)
        rc = group(&p, &total_ns, e);
    for (size_t i = 0; i < p.kernels.count && i < REPLAY_KERNELS_MAX && !rc; i++)
        if (p.kernels.items[i].total_ns >= least_share * total_ns)
            rc = choose(&p, &p.kernels.items[i], list, launches, e);
    *why = p.why ? p.why : nothing_left;
    free(p.launches.items);
    free(p.kernels.items);
    strtab_release(&p.texts);
    str_release(&p.text);
    return rc;
}
