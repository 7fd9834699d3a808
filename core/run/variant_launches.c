/* Which kernels did each variant of a run really launch, and when? */
#include "core/run/variant_launches.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/base/demangle.h"
#include "core/base/key_table.h"
#include "core/base/str.h"
#include "core/bundle/bundle.h"
#include "core/trace/event_stream.h"
#include "core/trace/event_work.h"
#include "core/trace/launch_join.h"

#define RANGE_DOMAIN    "cpprof"
#define RANGE_SEPARATOR " | "

enum { LAUNCHES_MAX = 1024 * 1024 }; /* far more than any run; a limit for hostile input */

struct gathering {
    struct variant_launches *list;
    struct arms *arms;
    const struct strtab *names; /* of the stream */
    uint32_t *kernel_names;     /* the stream's name id -> demangled id in the list; 0: not known yet */
};

void variant_launches_init(struct variant_launches *list)
{
    *list = (struct variant_launches){.partial_reason = ""};
    strtab_init(&list->strings);
}

void variant_launches_release(struct variant_launches *list)
{
    free(list->items);
    free(list->ranges.items);
    arm_index_release(&list->by_arm);
    arm_index_release(&list->ranges_by_arm);
    for (size_t i = 0; i < list->work.count; i++) {
        interval_set_release(&list->work.items[i].copies);
        interval_set_release(&list->work.items[i].any);
    }
    free(list->work.items);
    strtab_release(&list->strings);
    variant_launches_init(list);
}

static const char *intern(struct variant_launches *list, const char *text, size_t length)
{
    return strtab_text(&list->strings, strtab_add_bytes(&list->strings, text, length));
}

/* Returns the arm of a range "VARIANT | CONFIG | PHASE"; NULL when memory is out. */
static const struct arm *arm_of(struct gathering *g, const char *name, const char *config, const char *phase)
{
    struct str text;
    str_init(&text);
    str_add_bytes(&text, name, (size_t)(phase - name));
    const struct arm *arm = NULL;
    if (!text.failed && text.length) {
        const size_t at = (size_t)(config - name);
        text.text[at] = '\0';
        arm = arms_add(g->arms, text.text, text.text + at + strlen(RANGE_SEPARATOR));
    }
    str_release(&text);
    return arm;
}

static enum launch_phase phase_from_name(const char *name)
{
    static const char *const names[] = {
        [LAUNCH_PHASE_VERIFY] = "verify", [LAUNCH_PHASE_FIRST] = "first", [LAUNCH_PHASE_MEASURE] = "measure"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (!strcmp(names[i], name))
            return (enum launch_phase)i;
    return LAUNCH_PHASE_OTHER;
}

/* The variant ends at the first separator, and the phase starts after the last one. Everything in between is the
 * config. */
static int add_range(struct gathering *g, const struct cpprof_event *event, struct err *e)
{
    const size_t separator = strlen(RANGE_SEPARATOR);
    const char *name = strtab_text(g->names, event->name);
    const char *config = strstr(name, RANGE_SEPARATOR);
    if (!config)
        return 0;
    const char *phase = NULL;
    for (const char *at = config + separator; (at = strstr(at, RANGE_SEPARATOR)); at += separator)
        phase = at;
    if (!phase)
        return 0;
    const struct arm *arm = arm_of(g, name, config, phase);
    struct variant_range *range = arm ? ARRAY_PUSH(&g->list->ranges) : NULL;
    if (!range)
        return err_memory(e);
    *range = (struct variant_range){
        .arm = arm,
        .phase = phase_from_name(phase + separator),
        .rank = event->rank,
        .thread = event->thread,
        .start_ns = event->start_ns,
        .end_ns = event->flags & CPPROF_EVENT_UNFINISHED ? INT64_MAX : event->end_ns,
    };
    return 0;
}

static int range_order(const void *left, const void *right)
{
    const struct variant_range *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

const struct device_work *variant_launches_work_of(const struct variant_launches *list, int32_t rank, int32_t device)
{
    for (size_t i = 0; i < list->work.count; i++)
        if (list->work.items[i].rank == rank && list->work.items[i].device == device)
            return &list->work.items[i];
    return NULL;
}

static int work_of(struct variant_launches *list, const struct cpprof_event *event, struct device_work **out,
                   struct err *e)
{
    for (size_t i = 0; i < list->work.count; i++) {
        *out = &list->work.items[i];
        if ((*out)->rank == event->rank && (*out)->device == event->device)
            return 0;
    }
    *out = list->work.count < DEVICES_WITH_WORK ? ARRAY_PUSH(&list->work) : NULL;
    if (!*out)
        return list->work.count < DEVICES_WITH_WORK ? err_memory(e) : 0;
    **out = (struct device_work){.rank = event->rank, .device = event->device};
    return 0;
}

static int add_work(struct variant_launches *list, const struct cpprof_event *event, struct err *e)
{
    struct device_work *work;
    if (!event_is_gpu_work(event) || event->flags & CPPROF_EVENT_UNFINISHED)
        return 0;
    const bool is_copy = event->kind != CPPROF_EVENT_KERNEL && transfer_class_of(event->kind) == TRANSFER_COPY;
    int rc = work_of(list, event, &work, e);
    if (!rc && work)
        rc = interval_set_add(&work->any, event->start_ns, event->end_ns, e);
    if (!rc && work && is_copy)
        rc = interval_set_add(&work->copies, event->start_ns, event->end_ns, e);
    return rc;
}

/* Gathers the ranges, sorted for searching, and the work of each device. */
static int gather_ranges(struct gathering *g, struct event_stream *stream, struct err *e)
{
    struct cpprof_event event;
    int rc;
    while ((rc = event_stream_next(stream, &event, e)) == 1) {
        const bool is_ours =
            event.kind == CPPROF_EVENT_RANGE && !strcmp(strtab_text(g->names, event.detail), RANGE_DOMAIN);
        rc = is_ours ? add_range(g, &event, e) : add_work(g->list, &event, e);
        if (rc)
            return rc;
    }
    if (g->list->ranges.count)
        qsort(g->list->ranges.items, g->list->ranges.count, sizeof *g->list->ranges.items, range_order);
    return rc;
}

/* The runner opens its ranges on one thread, and they do not nest. So for launches of any thread, the range that began
 * last is the open one, unless it has ended. */
static struct variant_range *range_of(const struct variant_launches *list, const struct launched *call)
{
    const struct variant_range wanted = {.rank = call->rank, .start_ns = call->call_start_ns};
    size_t low = 0, high = list->ranges.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (range_order(&list->ranges.items[middle], &wanted) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    struct variant_range *range = low ? &list->ranges.items[low - 1] : NULL;
    if (!range || range->rank != wanted.rank || wanted.start_ns >= range->end_ns)
        return NULL;
    return range;
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

static void set_kernel(struct gathering *g, struct variant_launch *launch, const struct launched *kernel)
{
    launch->has_kernel = true;
    launch->name = demangled(g, kernel->name);
    launch->device = kernel->device;
    launch->stream = kernel->stream;
    launch->blocks = (double)kernel->grid_blocks;
    launch->kernel_start_ns = kernel->start_ns;
    launch->kernel_end_ns = kernel->end_ns;
}

static int add_launch(struct gathering *g, const struct launched *launched, struct err *e)
{
    const struct variant_range *range = range_of(g->list, launched);
    if (!range)
        return 0;
    if (g->list->count >= LAUNCHES_MAX)
        return err_set(e, ERR_INPUT, "the trace holds more than %d launches, too many for a run", LAUNCHES_MAX);
    struct variant_launch *launch = ARRAY_PUSH(g->list);
    if (!launch)
        return err_memory(e);
    *launch = (struct variant_launch){
        .arm = range->arm,
        .phase = range->phase,
        .is_graph = strstr(strtab_text(g->names, launched->call_name), "GraphLaunch"),
        .part = launched->part,
        .rank = launched->rank,
        .device = -1,
        .thread = launched->thread,
        .api_start_ns = launched->call_start_ns,
        .api_end_ns = launched->call_end_ns,
    };
    if (launched->kind == CPPROF_EVENT_KERNEL)
        set_kernel(g, launch, launched);
    return 0;
}

/* A copy within a device is read and written there, so it counts twice. */
static void add_copy(struct gathering *g, const struct launched *copy)
{
    struct variant_range *range = range_of(g->list, copy);
    const bool is_within = copy->kind == CPPROF_EVENT_COPY && copy->detail == CPPROF_COPY_D2D;
    if (!range)
        return;
    range->copied_bytes += (double)copy->size_bytes * (is_within ? 2 : 1);
    range->moved_bytes += (double)copy->size_bytes;
    *(copy->kind == CPPROF_EVENT_COPY ? &range->copies : &range->memsets) += 1;
    if (copy->kind == CPPROF_EVENT_COPY)
        range->copy_ns += (double)(copy->end_ns - copy->start_ns);
}

/* Makes a launch for each kernel of a call, or one without a kernel. */
static int join(struct gathering *g, struct event_stream *stream, struct err *e)
{
    struct launch_join *launches = NULL;
    struct launched launched;
    int rc = launch_join_new(&launches, stream, e);
    while (!rc && (rc = launch_join_next(launches, &launched, e)) == 1) {
        const bool is_launch = launched.has_call && launched.call_detail == CPPROF_API_LAUNCH &&
                               (!launched.kind || launched.kind == CPPROF_EVENT_KERNEL);
        const bool is_copy =
            launched.has_call && (launched.kind == CPPROF_EVENT_COPY || launched.kind == CPPROF_EVENT_MEMSET);
        rc = is_launch ? add_launch(g, &launched, e) : 0;
        if (is_copy)
            add_copy(g, &launched);
    }
    launch_join_free(launches);
    return rc;
}

static int launch_order(const void *left, const void *right)
{
    const struct variant_launch *a = left, *b = right;
    if (a->api_start_ns != b->api_start_ns)
        return a->api_start_ns < b->api_start_ns ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->part < b->part ? -1 : a->part > b->part;
}

/* Marks the first call of a variant and config on each device, with all its parts: code is loaded on each device. */
static int mark_first(struct variant_launches *list, struct err *e)
{
    struct key_table seen = {0};
    int rc = 0;
    for (size_t i = 0; i < list->count && !rc; i++) {
        struct variant_launch *launch = &list->items[i];
        if (launch->phase != LAUNCH_PHASE_FIRST && launch->phase != LAUNCH_PHASE_MEASURE)
            continue;
        if (launch->part > 0) {
            launch->first = list->items[i - 1].first;
            continue;
        }
        const size_t before = seen.count;
        if (!key_table_add(&seen, launch->device, (uint32_t)launch->arm->index))
            rc = err_memory(e);
        launch->first = seen.count > before;
    }
    key_table_release(&seen);
    return rc;
}

/* Only those other tables matter that state which kernels were meant and which were counted: when rows of these are
 * lost, no launch can be shown to be the right one. Returns NULL when the caveat does not matter here. */
static const char *what_suffers(const struct caveat *caveat)
{
    static const struct {
        enum bundle_table table;
        const char *words;
    } tables[] = {{BUNDLE_VARIANTS, "what was meant is not certain"},
                  {BUNDLE_EXPECT, "what was expected is not certain"},
                  {BUNDLE_METRICS, "what was counted is not certain"}};
    if (!caveat->elsewhere)
        return "the trace has gaps";
    for (size_t i = 0; i < COUNT_OF(tables); i++)
        if (strstr(caveat->text, bundle_table_file(tables[i].table)))
            return tables[i].words;
    return NULL;
}

/* Returns the first caveat that weakens. Caveats about the trace itself take precedence over those about other
 * files. */
static const struct caveat *gravest(const struct caveat_list *caveats)
{
    const struct caveat *elsewhere = NULL;
    for (size_t i = 0; i < caveats->count; i++) {
        const struct caveat *caveat = &caveats->items[i];
        if (caveat->kind == CAVEAT_NOTE || !what_suffers(caveat))
            continue;
        if (!caveat->elsewhere)
            return caveat;
        elsewhere = elsewhere ? elsewhere : caveat;
    }
    return elsewhere;
}

static int note_weakness(struct variant_launches *list, const struct caveat_list *caveats, struct err *e)
{
    const struct caveat *caveat = gravest(caveats);
    if (!caveat)
        return 0;
    struct str text;
    str_init(&text);
    str_addf(&text, "%s: %s", what_suffers(caveat), caveat->text);
    list->partial = true;
    list->is_gap = !caveat->elsewhere;
    list->partial_reason = intern(list, str_text(&text), text.length);
    const bool failed = text.failed || !list->partial_reason;
    str_release(&text);
    return failed ? err_memory(e) : 0;
}

static int index_arms(struct variant_launches *list, struct err *e)
{
    const int rc = arm_index_make(&list->by_arm, list->items, list->count, sizeof *list->items,
                                  offsetof(struct variant_launch, arm), e);
    return rc ? rc
              : arm_index_make(&list->ranges_by_arm, list->ranges.items, list->ranges.count, sizeof *list->ranges.items,
                               offsetof(struct variant_range, arm), e);
}

static int read_stream(struct variant_launches *out, struct event_stream *stream, struct arms *arms, struct err *e)
{
    struct gathering g = {.list = out, .arms = arms, .names = event_stream_strings(stream)};
    g.kernel_names = calloc(strtab_count(g.names) + 1, sizeof *g.kernel_names);
    int rc = g.kernel_names ? gather_ranges(&g, stream, e) : err_memory(e);
    if (!rc)
        rc = join(&g, stream, e);
    if (!rc && out->count)
        qsort(out->items, out->count, sizeof *out->items, launch_order);
    if (!rc)
        rc = mark_first(out, e);
    if (!rc)
        rc = index_arms(out, e);
    free(g.kernel_names);
    return rc ? rc : note_weakness(out, event_stream_caveats(stream), e);
}

int variant_launches_read(struct variant_launches *out, struct event_stream *stream, struct arms *arms, struct err *e)
{
    out->has_trace = true;
    const int rc = read_stream(out, stream, arms, e);
    return rc ? rc : event_stream_rewind(stream, e);
}

struct arm_places variant_launches_of(const struct variant_launches *list, const struct arm *arm)
{
    return arm_index_of(&list->by_arm, arm);
}

struct arm_places variant_ranges_of(const struct variant_launches *list, const struct arm *arm)
{
    return arm_index_of(&list->ranges_by_arm, arm);
}
