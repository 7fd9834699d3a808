/* Which kernels did each variant of a run really launch, and when? */
#include "model/launches.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/demangle.h"
#include "base/str.h"
#include "model/bundle.h"
#include "model/event_stream.h"

#define RANGE_DOMAIN "cpprof"
#define RANGE_SEPARATOR " | "

enum { LAUNCHES_MAX = 1024 * 1024 }; /* far above any run; a bound for hostile input */

/* An API call or a kernel until they are joined. */
struct half {
    int32_t rank;
    uint32_t correlation;
    struct cpprof_event event;
};

struct half_list {
    struct half *items;
    size_t count, capacity;
};

struct gathering {
    struct launch_list *list;
    const struct strtab *names; /* of the stream */
    uint32_t *kernel_names;     /* stream name id -> demangled id in the list, 0 not yet */
    struct half_list calls, kernels;
};

void launch_list_init(struct launch_list *list)
{
    *list = (struct launch_list){.partial_reason = ""};
    strtab_init(&list->strings);
}

void launch_list_release(struct launch_list *list)
{
    free(list->items);
    free(list->ranges.items);
    strtab_release(&list->strings);
    launch_list_init(list);
}

const char *launch_kernel(const struct launch_list *list, const struct launch *launch)
{
    return strtab_text(&list->strings, launch->name);
}

static const char *intern(struct launch_list *list, const char *text, size_t length)
{
    return strtab_text(&list->strings, strtab_add_bytes(&list->strings, text, length));
}

static enum launch_phase phase_from_name(const char *name)
{
    static const char *const names[] = {
        [LAUNCH_PHASE_VERIFY] = "verify", [LAUNCH_PHASE_FIRST] = "first", [LAUNCH_PHASE_MEASURE] = "measure"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(names[i], name))
            return (enum launch_phase)i;
    return LAUNCH_PHASE_OTHER;
}

/* The variant ends at the first separator and the phase starts behind the last
 * one; what is between is the shape, whatever it holds. */
static int add_range(struct gathering *g, const struct cpprof_event *event, struct err *e)
{
    const size_t separator = strlen(RANGE_SEPARATOR);
    const char *name = strtab_text(g->names, event->name);
    const char *shape = strstr(name, RANGE_SEPARATOR);
    if (!shape)
        return 0;
    const char *phase = NULL;
    for (const char *at = shape + separator; (at = strstr(at, RANGE_SEPARATOR)); at += separator)
        phase = at;
    if (!phase)
        return 0;
    struct launch_range *range = ARRAY_PUSH(&g->list->ranges);
    if (!range)
        return err_memory(e);
    *range = (struct launch_range){
        .variant = intern(g->list, name, (size_t)(shape - name)),
        .shape = intern(g->list, shape + separator, (size_t)(phase - shape) - separator),
        .phase = phase_from_name(phase + separator),
        .rank = event->rank,
        .thread = event->thread,
        .start_ns = event->start_ns,
        .end_ns = event->flags & CPPROF_EVENT_UNFINISHED ? INT64_MAX : event->end_ns,
    };
    return 0;
}

static int add_half(struct half_list *list, const struct cpprof_event *event, struct err *e)
{
    if (list->count >= LAUNCHES_MAX)
        return err_set(e, ERR_INPUT, "the trace holds more than %d launches, too many for a run", LAUNCHES_MAX);
    struct half *half = ARRAY_PUSH(list);
    if (!half)
        return err_memory(e);
    *half = (struct half){event->rank, event->correlation, *event};
    return 0;
}

static int gather(struct gathering *g, struct event_stream *stream, struct err *e)
{
    struct cpprof_event event;
    int rc;
    while ((rc = event_stream_next(stream, &event, e)) == 1) {
        int added = 0;
        if (event.kind == CPPROF_EVENT_RANGE && !strcmp(strtab_text(g->names, event.detail), RANGE_DOMAIN))
            added = add_range(g, &event, e);
        else if (event.kind == CPPROF_EVENT_API && event.detail == CPPROF_API_LAUNCH && event.correlation)
            added = add_half(&g->calls, &event, e);
        else if (event.kind == CPPROF_EVENT_KERNEL && event.correlation)
            added = add_half(&g->kernels, &event, e);
        if (added)
            return added;
    }
    return rc;
}

/* By process and correlation id, then by time, then the longer first: of a
 * runtime call and the driver call inside it the runtime call comes first. */
static int half_order(const void *left, const void *right)
{
    const struct half *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->correlation != b->correlation)
        return a->correlation < b->correlation ? -1 : 1;
    if (a->event.start_ns != b->event.start_ns)
        return a->event.start_ns < b->event.start_ns ? -1 : 1;
    if (a->event.end_ns != b->event.end_ns)
        return a->event.end_ns > b->event.end_ns ? -1 : 1;
    return 0;
}

static int same_launch(const struct half *a, const struct half *b)
{
    return a->rank == b->rank && a->correlation == b->correlation;
}

static int range_order(const void *left, const void *right)
{
    const struct launch_range *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

/* Ranges of one thread do not nest: the last one that has begun is the one that
 * is open, if it has not ended. */
static const struct launch_range *range_of(const struct launch_list *list, const struct half *call)
{
    const struct launch_range wanted = {.rank = call->rank, .thread = call->event.thread,
                                        .start_ns = call->event.start_ns};
    size_t low = 0, high = list->ranges.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (range_order(&list->ranges.items[middle], &wanted) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct launch_range *range = low ? &list->ranges.items[low - 1] : NULL;
    if (!range || range->rank != wanted.rank || range->thread != wanted.thread || wanted.start_ns >= range->end_ns)
        return NULL;
    return range;
}

static struct launch *add_launch(struct gathering *g, const struct launch_range *range, const struct half *call)
{
    struct launch *launch = ARRAY_PUSH(g->list);
    if (launch)
        *launch = (struct launch){
            .variant = range->variant,
            .shape = range->shape,
            .phase = range->phase,
            .rank = call->rank,
            .device = -1,
            .thread = call->event.thread,
            .api_start_ns = call->event.start_ns,
            .api_end_ns = call->event.end_ns,
        };
    return launch;
}

static uint32_t demangled(struct gathering *g, uint32_t name)
{
    if (name > strtab_count(g->names))
        return 0;
    if (!g->kernel_names[name]) {
        struct str text;
        str_init(&text);
        demangle_full(&text, strtab_text(g->names, name));
        g->kernel_names[name] = strtab_add(&g->list->strings, str_text(&text));
        str_release(&text);
    }
    return g->kernel_names[name];
}

static void set_kernel(struct gathering *g, struct launch *launch, const struct cpprof_event *kernel)
{
    launch->has_kernel = true;
    launch->name = demangled(g, kernel->name);
    launch->device = kernel->device;
    launch->stream = kernel->stream;
    launch->kernel_start_ns = kernel->start_ns;
    launch->kernel_end_ns = kernel->end_ns;
}

/* Adds one launch for each of the call's kernels, or one without a kernel. */
static int join_call(struct gathering *g, const struct half *call, size_t kernel, size_t end, struct err *e)
{
    const struct launch_range *range = range_of(g->list, call);
    if (!range)
        return 0;
    const size_t parts = end > kernel ? end - kernel : 1;
    for (size_t part = 0; part < parts; part++) {
        struct launch *launch = add_launch(g, range, call);
        if (!launch)
            return err_memory(e);
        launch->part = (uint32_t)part;
        if (kernel + part < end)
            set_kernel(g, launch, &g->kernels.items[kernel + part].event);
    }
    return 0;
}

/* Both lists ascend in (process, correlation id): one walk joins them. */
static int join(struct gathering *g, struct err *e)
{
    if (g->list->ranges.count)
        qsort(g->list->ranges.items, g->list->ranges.count, sizeof *g->list->ranges.items, range_order);
    if (g->calls.count)
        qsort(g->calls.items, g->calls.count, sizeof *g->calls.items, half_order);
    if (g->kernels.count)
        qsort(g->kernels.items, g->kernels.count, sizeof *g->kernels.items, half_order);
    size_t next = 0;
    for (size_t i = 0; i < g->calls.count; i++) {
        const struct half *call = &g->calls.items[i];
        if (i && same_launch(call, &g->calls.items[i - 1]))
            continue;
        while (next < g->kernels.count && !same_launch(&g->kernels.items[next], call) &&
               half_order(&g->kernels.items[next], call) < 0)
            next++;
        size_t end = next;
        while (end < g->kernels.count && same_launch(&g->kernels.items[end], call))
            end++;
        int rc = join_call(g, call, next, end, e);
        if (rc)
            return rc;
        next = end;
    }
    return 0;
}

static int launch_order(const void *left, const void *right)
{
    const struct launch *a = left, *b = right;
    if (a->api_start_ns != b->api_start_ns)
        return a->api_start_ns < b->api_start_ns ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->part < b->part ? -1 : a->part > b->part;
}

static bool nested(const struct launch *a, const struct launch *b)
{
    return a->rank == b->rank && a->thread == b->thread && a->api_start_ns < b->api_end_ns &&
           b->api_start_ns < a->api_end_ns;
}

/* A runtime call may be recorded together with the driver call inside it, each
 * with an id of its own, and only one of the two ids leads to the kernels. The
 * other is no launch without a record: it vanishes, and the outer one's time,
 * which is what the caller paid, is kept. */
static void merge_nested_calls(struct launch_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct launch call = list->items[i];
        if (!call.has_kernel && kept && list->items[kept - 1].has_kernel && nested(&call, &list->items[kept - 1]))
            continue;
        size_t inner = i + 1;
        if (!call.has_kernel)
            for (; inner < list->count && list->items[inner].has_kernel && nested(&call, &list->items[inner]); inner++) {
                list->items[inner].api_start_ns = call.api_start_ns;
                list->items[inner].api_end_ns = call.api_end_ns;
            }
        if (inner == i + 1)
            list->items[kept++] = call;
    }
    list->count = kept;
}

/* `first` belongs to the first call of a variant and shape, with all its parts. */
static int mark_first(struct launch_list *list, struct err *e)
{
    struct strtab seen;
    strtab_init(&seen);
    struct str key;
    str_init(&key);
    int rc = 0;
    for (size_t i = 0; i < list->count && !rc; i++) {
        struct launch *launch = &list->items[i];
        if (launch->phase != LAUNCH_PHASE_FIRST && launch->phase != LAUNCH_PHASE_MEASURE)
            continue;
        if (launch->part > 0) {
            launch->first = list->items[i - 1].first;
            continue;
        }
        str_clear(&key);
        str_addf(&key, "%s" RANGE_SEPARATOR "%s", launch->variant, launch->shape);
        size_t before = strtab_count(&seen);
        if (!strtab_add(&seen, str_text(&key)))
            rc = err_memory(e);
        launch->first = strtab_count(&seen) > before;
    }
    str_release(&key);
    strtab_release(&seen);
    return rc;
}

static void note_gaps(struct launch_list *list, const struct caveat_list *caveats)
{
    for (size_t i = 0; i < caveats->count && !list->partial; i++)
        if (caveats->items[i].kind != CAVEAT_NOTE) {
            list->partial = true;
            list->partial_reason = intern(list, caveats->items[i].text, strlen(caveats->items[i].text));
        }
}

static int read_stream(struct launch_list *out, struct event_stream *stream, struct err *e)
{
    struct gathering g = {.list = out, .names = event_stream_strings(stream)};
    g.kernel_names = calloc(strtab_count(g.names) + 1, sizeof *g.kernel_names);
    int rc = g.kernel_names ? gather(&g, stream, e) : err_memory(e);
    if (!rc)
        rc = join(&g, e);
    if (!rc && out->count)
        qsort(out->items, out->count, sizeof *out->items, launch_order);
    merge_nested_calls(out);
    if (!rc)
        rc = mark_first(out, e);
    free(g.kernel_names);
    free(g.calls.items);
    free(g.kernels.items);
    note_gaps(out, event_stream_caveats(stream));
    return rc;
}

int launches_read(struct launch_list *out, const char *bundle_path, struct err *e)
{
    out->has_trace = bundle_has_trace(bundle_path);
    if (!out->has_trace)
        return 0;
    struct event_stream *stream = NULL;
    int rc = event_stream_open(&stream, bundle_path, e);
    if (!rc)
        rc = read_stream(out, stream, e);
    event_stream_free(stream);
    return rc;
}
