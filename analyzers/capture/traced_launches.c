/* Which launches has each kernel of a trace, and which stand for the others? */
#include "analyzers/capture/traced_launches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/capture/repeating_part.h"
#include "core/base/launch_key.h"
#include "core/base/str.h"
#include "core/trace/duration_groups.h"

static const double quantiles[LAUNCHES_CHOSEN_MAX] = {0.5, 0.1, 0.9}; /* the most important one first */

static const char several_devices[] = "kernels run on several GPUs: one that waits for another GPU would wait for ever";
static const char several_processes[] =
    "kernels of several processes were recorded: their launches cannot be told apart";

/* ---- what was launched ---- */

static bool is_of_a_call(const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_KERNEL && !event->graph_node && !(event->flags & CPPROF_EVENT_UNFINISHED) &&
           event->name;
}

static void look_at_place(struct traced_launches *t, const struct cpprof_event *event)
{
    if (t->device == -2) {
        t->device = event->device;
        t->rank = event->rank;
    }
    if (event->rank != t->rank)
        t->why = several_processes;
    else if (event->device != t->device)
        t->why = several_devices;
}

static int take_kernel(struct traced_launches *t, const struct cpprof_event *event, const char *name, struct str *text,
                       struct err *e)
{
    const uint32_t block[3] = {event->block[0], event->block[1], event->block[2]};
    str_clear(text);
    launch_key_add(text, event->grid, block, name);
    const uint32_t id = strtab_add(&t->texts, str_text(text));
    struct traced_launch *launch = id && !text->failed ? ARRAY_PUSH(&t->launches) : NULL;
    if (!launch)
        return err_memory(e);
    *launch = (struct traced_launch){id, event->correlation, duration_ns(event->start_ns, event->end_ns)};
    return 0;
}

/* What is not launched by a call of its own still says how many GPUs and processes there are. */
static int take_events(struct traced_launches *t, struct event_stream *stream, struct err *e)
{
    struct cpprof_event event;
    struct str text;
    str_init(&text);
    int got = 0, rc = event_stream_rewind(stream, e);
    while (!rc && (got = event_stream_next(stream, &event, e)) > 0) {
        if (event.kind == CPPROF_EVENT_KERNEL)
            look_at_place(t, &event);
        const char *name = strtab_text(event_stream_strings(stream), event.name);
        if (is_of_a_call(&event) && *name && !strchr(name, '\n') && t->launches.count < TRACED_LAUNCHES_MAX)
            rc = take_kernel(t, &event, name, &text, e);
    }
    str_release(&text);
    return rc ? rc : got < 0 ? got : 0;
}

/* ---- the part that repeats ---- */

static int by_call(const void *left, const void *right)
{
    const struct traced_launch *a = left, *b = right;
    return (a->call > b->call) - (a->call < b->call);
}

/* Launches of several threads may be recorded in another order than they were called. */
static int find_repeats(struct traced_launches *t, struct err *e)
{
    const size_t count = t->launches.count;
    struct repeating_part part;
    uint32_t *kernels = malloc((count + 1) * sizeof *kernels);
    if (!kernels)
        return err_memory(e);
    if (count)
        qsort(t->launches.items, count, sizeof *t->launches.items, by_call);
    for (size_t i = 0; i < count; i++)
        kernels[i] = t->launches.items[i].kernel;
    const int rc = repeating_part_find(kernels, count, &part, e);
    if (!rc && part.end) {
        t->first_call = t->launches.items[part.first].call;
        t->last_call = t->launches.items[part.end - 1].call;
    }
    free(kernels);
    return rc;
}

/* ---- by kernel ---- */

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

static int group(struct traced_launches *t, struct err *e)
{
    const struct traced_launch *items = t->launches.items;
    if (t->launches.count)
        qsort(t->launches.items, t->launches.count, sizeof *items, by_kernel_and_call);
    for (size_t i = 0; i < t->launches.count; i++) {
        struct traced_kernel *last = i && items[i].kernel == items[i - 1].kernel
                                         ? &t->kernels.items[t->kernels.count - 1]
                                         : ARRAY_PUSH(&t->kernels);
        if (!last)
            return err_memory(e);
        if (!last->count)
            *last = (struct traced_kernel){.text = items[i].kernel, .first = i};
        last->count++;
        last->total_ns += (double)items[i].duration_ns;
        t->total_ns += (double)items[i].duration_ns;
    }
    if (t->kernels.count)
        qsort(t->kernels.items, t->kernels.count, sizeof *t->kernels.items, by_total);
    return 0;
}

int traced_launches_read(struct traced_launches *t, struct event_stream *stream, struct err *e)
{
    *t = (struct traced_launches){.device = -2, .rank = -2};
    strtab_init(&t->texts);
    int rc = take_events(t, stream, e);
    rc = rc ? rc : find_repeats(t, e);
    return rc ? rc : group(t, e);
}

void traced_launches_release(struct traced_launches *t)
{
    free(t->launches.items);
    free(t->kernels.items);
    strtab_release(&t->texts);
    *t = (struct traced_launches){0};
}

const struct traced_kernel *traced_launches_find(const struct traced_launches *t, const char *text)
{
    const uint32_t id = strtab_find(&t->texts, text);
    for (size_t i = 0; i < t->kernels.count && id; i++)
        if (t->kernels.items[i].text == id)
            return &t->kernels.items[i];
    return NULL;
}

/* ---- which of them ---- */

static int by_duration(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static bool is_among(const size_t *numbers, size_t count, size_t number)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

/* Returns the number of a launch, of those from `from` to before `end`; `end` when all of them are taken. */
static size_t nearest(const struct traced_launch *launches, size_t from, size_t end, int64_t wanted_ns,
                      const size_t *taken, size_t taken_count)
{
    size_t best = end;
    for (size_t i = from; i < end; i++) {
        const int64_t off = llabs(launches[i].duration_ns - wanted_ns);
        if (!is_among(taken, taken_count, i) && (best == end || off < llabs(launches[best].duration_ns - wanted_ns)))
            best = i;
    }
    return best;
}

size_t traced_launches_choose(const struct traced_launches *t, const struct traced_kernel *k,
                              size_t numbers[LAUNCHES_CHOSEN_MAX], struct err *e)
{
    const struct traced_launch *launches = t->launches.items + k->first;
    size_t from = 0, end = k->count, count = 0;
    while (from < end && launches[from].call < t->first_call)
        from++;
    while (end > from && t->last_call && launches[end - 1].call > t->last_call)
        end--;
    if (from == end) {
        from = 0;
        end = k->count;
    }
    const size_t warm = from + (!from && end > 1);
    int64_t *durations = malloc((end - from) * sizeof *durations);
    if (!durations)
        return err_memory(e), 0;
    for (size_t i = from; i < end; i++)
        durations[i - from] = launches[i].duration_ns;
    qsort(durations, end - from, sizeof *durations, by_duration);
    for (size_t q = 0; q < LAUNCHES_CHOSEN_MAX; q++) {
        const int64_t wanted_ns = durations[(size_t)(quantiles[q] * (double)(end - from - 1))];
        const size_t number = nearest(launches, warm, end, wanted_ns, numbers, count);
        if (number < end)
            numbers[count++] = number;
    }
    free(durations);
    return count;
}

/* A replay may take so much more or less than its launch did in the trace: caches and clocks are what the passes before
 * have left. 87 of 87 replays on an H100 and an H200 were within it. */
static const double duration_room = 0.15, duration_room_ns = 2000;

bool traced_launches_are_alike(double a_ns, double b_ns)
{
    return fabs(a_ns - b_ns) <= duration_room * fmax(a_ns, b_ns) + duration_room_ns;
}
