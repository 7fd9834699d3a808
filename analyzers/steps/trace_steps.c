/* When was each step of a trace, and what ran in it?
 *
 * A step begins when its range does or, while the devices still run work that was launched before, when that work or
 * its own waiting is over. It ends when its range and the last of its own work have ended. */
#include "analyzers/steps/trace_steps.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/count_sum.h"
#include "core/base/pattern.h"
#include "core/trace/duration_groups.h"
#include "core/trace/event_work.h"
#include "core/trace/interval_set.h"
#include "core/trace/launch_index.h"
#include "core/trace/range_occurrences.h"
#include "core/trace/selector.h"
#include "core/trace/step_names.h"

enum { WHOLE_MIN = 3, STEP_DEVICES_MAX = 1024 };

static const char profiler_steps[] = "^ProfilerStep#[0-9]+$";

/* Each holds those before it. From BUSY_TRANSFER on a class of other work more (enum transfer_class). */
enum busy { BUSY_COMPUTE, BUSY_COMM, BUSY_TRANSFER, BUSY_SETS = BUSY_TRANSFER + TRANSFER_CLASSES };

struct step_device {
    int16_t rank, device;
    struct interval_set busy[BUSY_SETS];
};

/* What is known about an occurrence of the range before its step is. */
struct launched_in {
    int64_t first_start_ns, last_end_ns; /* of its own work */
    int64_t before_end_ns;               /* of work launched between the occurrence before and this one */
    bool counts;
};

struct reading {
    struct trace_steps *out;
    struct event_stream *stream;
    bool *takes; /* for each string id */
    size_t name_count;
    struct range_occurrences ranges;
    struct launched_in *launched; /* one for each of them */
    struct launch_index *index;
    struct selector *comm;
    struct {
        struct step_device *items;
        size_t count, capacity;
    } devices;
};

static void reading_release(struct reading *r)
{
    for (size_t i = 0; i < r->devices.count; i++)
        for (size_t b = 0; b < BUSY_SETS; b++)
            interval_set_release(&r->devices.items[i].busy[b]);
    free(r->devices.items);
    selector_free(r->comm);
    launch_index_free(r->index);
    free(r->launched);
    range_occurrences_release(&r->ranges);
    free(r->takes);
}

void trace_steps_release(struct trace_steps *s)
{
    free(s->items);
    free(s->kernels.items);
    strtab_release(&s->keys);
    str_release(&s->range);
}

/* ---- the range ---- */

static size_t stem_length(const char *name)
{
    size_t length = strlen(name);
    while (length && isdigit((unsigned char)name[length - 1]))
        length--;
    return length;
}

/* Marks the names that match, of ranges and of other things. */
static int mark_names(struct reading *r, const char *pattern, struct err *e)
{
    const struct strtab *names = event_stream_strings(r->stream);
    regex_t regex;
    int rc = pattern_compile(&regex, pattern, "range pattern", e);
    if (rc)
        return rc;
    r->name_count = strtab_count(names) + 1;
    r->takes = calloc(r->name_count, sizeof *r->takes);
    for (size_t id = 1; r->takes && id < r->name_count; id++)
        r->takes[id] = !regexec(&regex, strtab_text(names, (uint32_t)id), 0, NULL, 0);
    regfree(&regex);
    return r->takes ? 0 : err_memory(e);
}

/* All that match are one range: they differ in a trailing number only. */
static int name_range(struct reading *r, const char *pattern, struct err *e)
{
    const struct strtab *names = event_stream_strings(r->stream);
    const char *first = NULL;
    struct cpprof_event event;
    int rc = event_stream_rewind(r->stream, e);
    while (!rc && (rc = event_stream_next(r->stream, &event, e)) == 1) {
        rc = 0;
        if (event.kind != CPPROF_EVENT_RANGE || event.name >= r->name_count || !r->takes[event.name])
            continue;
        const char *name = strtab_text(names, event.name);
        const size_t length = stem_length(name);
        if (!first) {
            first = name;
            str_add_bytes(&r->out->range, name, step_names_stem(name));
        } else if (length != stem_length(first) || strncmp(first, name, length) != 0) {
            return err_set(e, ERR_INPUT, "'%s' matches the ranges '%s' and '%s': name one of them", pattern, first,
                           name);
        }
    }
    return rc;
}

static int find_ranges(struct reading *r, const char *wanted, struct err *e)
{
    const char *pattern = wanted ? wanted : profiler_steps;
    int rc = mark_names(r, pattern, e);
    if (!rc)
        rc = name_range(r, pattern, e);
    if (!rc)
        rc = range_occurrences_read_marked(&r->ranges, r->stream, pattern, r->takes, r->name_count, e);
    if (!rc && wanted && !r->ranges.count)
        rc = err_set(e, ERR_INPUT, "'%s' has no NVTX range that matches '%s'", event_stream_source(r->stream), wanted);
    if (!rc && r->ranges.is_shared)
        rc = err_set(e, ERR_INPUT,
                     "'%s': the range '%s' is open on two threads at once, so its steps cannot be told "
                     "apart",
                     event_stream_source(r->stream), str_text(&r->out->range));
    if (!rc && r->ranges.is_crossed)
        rc = err_set(e, ERR_INPUT,
                     "'%s': a range '%s' begins before the one before has ended, so its steps cannot be told apart",
                     event_stream_source(r->stream), str_text(&r->out->range));
    return rc;
}

/* ---- where the work was launched ---- */

static size_t first_after(const struct range_occurrences *ranges, int16_t rank, int64_t time_ns)
{
    size_t low = 0, high = ranges->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct range_occurrence *o = &ranges->items[middle];
        if (o->rank < rank || (o->rank == rank && o->start_ns <= time_ns))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The occurrence in which the work was launched; SIZE_MAX: in none. */
static size_t occurrence_of(const struct reading *r, const struct cpprof_event *work)
{
    const struct launch_call *call = launch_index_call(r->index, work);
    return call ? range_occurrences_at(&r->ranges, work->rank, call->start_ns) : SIZE_MAX;
}

static void place_work(struct reading *r, const struct cpprof_event *work)
{
    const struct launch_call *call = launch_index_call(r->index, work);
    if (!call) {
        r->out->unlaunched++;
        return;
    }
    const size_t in = range_occurrences_at(&r->ranges, work->rank, call->start_ns);
    if (in == SIZE_MAX) {
        const size_t next = first_after(&r->ranges, work->rank, call->start_ns);
        if (next < r->ranges.count && r->ranges.items[next].rank == work->rank &&
            work->end_ns > r->launched[next].before_end_ns)
            r->launched[next].before_end_ns = work->end_ns;
        return;
    }
    struct launched_in *l = &r->launched[in];
    l->first_start_ns = work->start_ns < l->first_start_ns ? work->start_ns : l->first_start_ns;
    l->last_end_ns = work->end_ns > l->last_end_ns ? work->end_ns : l->last_end_ns;
}

/* ---- when devices are busy ---- */

static struct step_device *device_of(struct reading *r, const struct cpprof_event *work, struct err *e)
{
    for (size_t i = 0; i < r->devices.count; i++)
        if (r->devices.items[i].rank == work->rank && r->devices.items[i].device == work->device)
            return &r->devices.items[i];
    struct step_device *slot = r->devices.count < STEP_DEVICES_MAX ? ARRAY_PUSH(&r->devices) : NULL;
    if (slot)
        *slot = (struct step_device){.rank = work->rank, .device = work->device};
    else
        err_set(e, ERR_INPUT, "more than %d devices, or no memory", STEP_DEVICES_MAX);
    return slot;
}

static int add_busy(struct reading *r, const struct cpprof_event *work, struct err *e)
{
    struct step_device *d = device_of(r, work, e);
    if (!d)
        return ERR_INPUT;
    int set = selector_match(r->comm, work)       ? BUSY_COMM
              : work->kind == CPPROF_EVENT_KERNEL ? BUSY_COMPUTE
                                                  : BUSY_TRANSFER + (int)transfer_class_of(work->kind),
        rc = 0;
    for (; set < BUSY_SETS && !rc; set++)
        rc = interval_set_add(&d->busy[set], work->start_ns, work->end_ns, e);
    return rc;
}

/* ---- passes over the work ---- */

typedef int take_work(struct reading *r, const struct cpprof_event *work, struct err *e);

static int each_work(struct reading *r, take_work *take, struct err *e)
{
    struct cpprof_event event;
    int rc = event_stream_rewind(r->stream, e);
    while (!rc && (rc = event_stream_next(r->stream, &event, e)) == 1)
        rc = event_is_gpu_work(&event) && !(event.flags & CPPROF_EVENT_UNFINISHED) ? take(r, &event, e) : 0;
    return rc;
}

/* Of a whole trace: the range of each rank is from its first work to its last. */
static int stretch_whole(struct reading *r, const struct cpprof_event *work, struct err *e)
{
    for (size_t i = 0; i < r->ranges.count; i++) {
        struct range_occurrence *o = &r->ranges.items[i];
        if (o->rank != work->rank)
            continue;
        o->end_ns = work->end_ns > o->end_ns ? work->end_ns : o->end_ns;
        return 0;
    }
    struct range_occurrence *slot = ARRAY_PUSH(&r->ranges);
    if (!slot)
        return err_memory(e);
    *slot = (struct range_occurrence){work->start_ns, work->end_ns, 0, work->rank};
    return 0;
}

static int take_place(struct reading *r, const struct cpprof_event *work, struct err *e)
{
    if (r->index)
        place_work(r, work);
    return add_busy(r, work, e);
}

static const char *key_of(struct str *room, const char *name, const struct cpprof_event *work)
{
    str_clear(room);
    str_addf(room, "%s\n%u %u %u %u %u %u", name, work->grid[0], work->grid[1], work->grid[2], work->block[0],
             work->block[1], work->block[2]);
    return str_text(room);
}

static int count_kernel(struct reading *r, const struct cpprof_event *work, struct err *e)
{
    struct trace_steps *out = r->out;
    const bool is_kernel = work->kind == CPPROF_EVENT_KERNEL;
    const char *name = is_kernel ? strtab_text(event_stream_strings(r->stream), work->name) : event_transfer_name(work);
    struct str room;
    str_init(&room);
    const uint32_t id = strtab_add(&out->keys, key_of(&room, name, work));
    str_release(&room);
    if (!id)
        return err_memory(e);
    if (id > out->kernels.count) {
        struct step_kernel *slot = ARRAY_PUSH(&out->kernels);
        if (!slot)
            return err_memory(e);
        *slot = (struct step_kernel){.name = name,
                                     .grid = {work->grid[0], work->grid[1], work->grid[2]},
                                     .block = {work->block[0], work->block[1], work->block[2]},
                                     .is_kernel = is_kernel};
    }
    out->kernels.items[id - 1].launches++;
    count_add(&out->kernels.items[id - 1].total_ns, duration_ns(work->start_ns, work->end_ns));
    return 0;
}

static int count_work(struct reading *r, const struct cpprof_event *work, struct err *e)
{
    const size_t in = r->index ? occurrence_of(r, work) : 0;
    return in != SIZE_MAX && (!r->index || r->launched[in].counts) ? count_kernel(r, work, e) : 0;
}

/* ---- steps ---- */

static void measure_parts(const struct reading *r, struct step *s)
{
    for (size_t i = 0; i < r->devices.count; i++) {
        const struct step_device *d = &r->devices.items[i];
        int64_t busy_ns[BUSY_SETS];
        if (d->rank != s->rank)
            continue;
        for (size_t b = 0; b < BUSY_SETS; b++)
            busy_ns[b] = interval_set_within_ns(&d->busy[b], s->start_ns, s->end_ns);
        s->part_ns[STEP_COMPUTE] += busy_ns[BUSY_COMPUTE];
        s->part_ns[STEP_COMMUNICATION] += busy_ns[BUSY_COMM] - busy_ns[BUSY_COMPUTE];
        for (int c = 0; c < TRANSFER_CLASSES; c++)
            s->part_ns[STEP_COPY + c] += busy_ns[BUSY_TRANSFER + c] - busy_ns[BUSY_TRANSFER + c - 1];
        s->part_ns[STEP_IDLE] += duration_ns(s->start_ns, s->end_ns) - busy_ns[BUSY_SETS - 1];
    }
}

static struct step step_of(const struct range_occurrence *o, const struct launched_in *l, int64_t before_end_ns)
{
    struct step s = {.start_ns = o->start_ns, .end_ns = o->end_ns, .rank = o->rank};
    const int64_t free_ns = before_end_ns < l->first_start_ns ? before_end_ns : l->first_start_ns;
    s.start_ns = free_ns > s.start_ns ? free_ns : s.start_ns;
    s.end_ns = l->last_end_ns > s.end_ns ? l->last_end_ns : s.end_ns;
    s.start_ns = s.start_ns < s.end_ns ? s.start_ns : s.end_ns;
    return s;
}

static size_t occurrences_of_rank(const struct range_occurrences *ranges, size_t from)
{
    size_t count = 1;
    while (from + count < ranges->count && ranges->items[from + count].rank == ranges->items[from].rank)
        count++;
    return count;
}

static int add_steps_of_rank(struct reading *r, size_t from, size_t count, struct err *e)
{
    const size_t skipped = count >= WHOLE_MIN;
    int64_t before_end_ns = INT64_MIN;
    for (size_t i = from; i < from + count; i++) {
        struct launched_in *l = &r->launched[i];
        before_end_ns = l->before_end_ns > before_end_ns ? l->before_end_ns : before_end_ns;
        struct step s = step_of(&r->ranges.items[i], l, before_end_ns);
        before_end_ns = l->last_end_ns > before_end_ns ? l->last_end_ns : before_end_ns;
        l->counts = i >= from + skipped;
        measure_parts(r, &s);
        if (!l->counts && !r->out->has_first) {
            r->out->first = s;
            r->out->has_first = true;
        }
        if (!l->counts)
            continue;
        struct step *slot = ARRAY_PUSH(r->out);
        if (!slot)
            return err_memory(e);
        *slot = s;
    }
    r->out->side.left_out += skipped;
    r->out->side.processes++;
    return 0;
}

static int add_steps(struct reading *r, struct err *e)
{
    int rc = 0;
    for (size_t from = 0; from < r->ranges.count && !rc;) {
        const size_t count = occurrences_of_rank(&r->ranges, from);
        rc = add_steps_of_rank(r, from, count, e);
        from += count;
    }
    r->out->side.steps = r->out->count;
    return rc;
}

static int by_rank(const void *left, const void *right)
{
    const struct range_occurrence *a = left, *b = right;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static int prepare(struct reading *r, struct err *e)
{
    const bool is_whole = !r->ranges.count;
    const struct range_pattern pattern = {r->takes, r->name_count, false};
    int rc = is_whole ? each_work(r, stretch_whole, e) : launch_index_build(&r->index, r->stream, &pattern, 1, e);
    if (!rc && is_whole && r->ranges.count)
        qsort(r->ranges.items, r->ranges.count, sizeof *r->ranges.items, by_rank);
    r->launched = calloc(r->ranges.count + 1, sizeof *r->launched);
    for (size_t i = 0; r->launched && i < r->ranges.count; i++)
        r->launched[i] = (struct launched_in){INT64_MAX, INT64_MIN, INT64_MIN, true};
    if (!rc && !r->launched)
        rc = err_memory(e);
    r->out->side.range = is_whole ? NULL : str_text(&r->out->range);
    return rc;
}

static int read_steps(struct reading *r, const char *range, struct err *e)
{
    int rc = find_ranges(r, range, e);
    if (!rc)
        rc = selector_new(&r->comm, CLASS_COMM, e);
    if (!rc)
        rc = selector_bind(r->comm, r->stream, e);
    if (!rc)
        rc = prepare(r, e);
    if (!rc)
        rc = each_work(r, take_place, e);
    if (!rc)
        rc = add_steps(r, e);
    if (!rc)
        rc = each_work(r, count_work, e);
    if (!rc && !r->out->kernels.count)
        rc = err_set(e, ERR_INPUT, "'%s' has no GPU work in a step: there is nothing to compare",
                     event_stream_source(r->stream));
    return rc;
}

static int read_all(struct trace_steps *out, struct event_stream *stream, const char *range, struct err *e)
{
    struct reading r = {.out = out, .stream = stream};
    *out = (struct trace_steps){0};
    strtab_init(&out->keys);
    str_init(&out->range);
    int rc = read_steps(&r, range, e);
    if (!rc && (out->range.failed))
        rc = err_memory(e);
    reading_release(&r);
    return rc;
}

int trace_steps_read_named(struct trace_steps *out, struct event_stream *stream, const char *stem, struct err *e)
{
    struct str pattern;
    str_init(&pattern);
    str_add(&pattern, "^");
    for (const char *at = stem; *at; at++)
        str_addf(&pattern, strchr("\\^$.[]|()*+?{}", *at) ? "\\%c" : "%c", *at);
    str_add(&pattern, " *[0-9]*$");
    *out = (struct trace_steps){0};
    const int rc = pattern.failed ? err_memory(e) : read_all(out, stream, str_text(&pattern), e);
    str_release(&pattern);
    return rc;
}

/* Steps that nobody named and that cannot be told apart are none. */
static int read_chosen(struct trace_steps *out, struct event_stream *stream, const char *stem, struct err *e)
{
    struct err none = {0};
    int rc = trace_steps_read_named(out, stream, stem, &none);
    if (rc != ERR_INPUT && rc != ERR_USAGE)
        return rc ? err_set(e, rc, "%s", none.text) : 0;
    trace_steps_release(out);
    return read_all(out, stream, NULL, e);
}

int trace_steps_read(struct trace_steps *out, struct event_stream *stream, const char *range, struct err *e)
{
    struct str stem;
    str_init(&stem);
    *out = (struct trace_steps){0};
    int rc = range ? 0 : step_names_choose(&stem, stream, e);
    const bool is_chosen = stem.length && strcmp(str_text(&stem), STEP_NAMES_PYTORCH) != 0;
    if (!rc)
        rc = is_chosen ? read_chosen(out, stream, str_text(&stem), e) : read_all(out, stream, range, e);
    str_release(&stem);
    return rc;
}
