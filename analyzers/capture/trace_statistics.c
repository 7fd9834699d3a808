/* How often, how long, how much: per kernel, copy, memset and API call? */
#define _GNU_SOURCE
#include "analyzers/capture/trace_statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/base/demangle.h"
#include "core/base/hash.h"
#include "core/trace/idle_before.h"
#include "core/trace/launch_owners.h"
#include "core/trace/selector.h"

static const struct {
    bool counted;
    enum statistics_section section;
    const char *together; /* all of them, where names do not count */
} kinds[] = {
    [CPPROF_EVENT_KERNEL] = {true, STATISTICS_KERNELS, "kernels"},
    [CPPROF_EVENT_COPY] = {true, STATISTICS_COPIES, "copy"},
    [CPPROF_EVENT_MEMSET] = {true, STATISTICS_MEMSETS, "memset"},
    [CPPROF_EVENT_MIGRATION] = {true, STATISTICS_MIGRATIONS, "migration"},
    [CPPROF_EVENT_API] = {true, STATISTICS_API, "calls"},
};

enum { KINDS = COUNT_OF(kinds), DIRECTIONS = 6 };

static const char *const directions[DIRECTIONS] = {
    [CPPROF_COPY_UNKNOWN] = "", [CPPROF_COPY_H2D] = " h2d", [CPPROF_COPY_D2H] = " d2h",
    [CPPROF_COPY_D2D] = " d2d", [CPPROF_COPY_P2P] = " p2p", [CPPROF_COPY_H2H] = " h2h"};

struct measurement {
    struct trace_statistics *out;
    struct short_names *names;
    enum name_style style;
    const struct event_stream *stream;
    const struct strtab *strings;            /* of the stream */
    uint32_t *kernels, *calls;               /* string id -> id in names, 0 not yet */
    uint32_t owner;                          /* id in names: of the event that is being added; 0: not by owner */
    uint32_t together[KINDS][DIRECTIONS][2]; /* [1]: from or to pageable memory */
    uint32_t *slots;                         /* open addressing: row + 1 */
    size_t slot_count;
    struct duration_groups *durations;
    struct idle_before *idle; /* by owner */
};

void trace_statistics_release(struct trace_statistics *s)
{
    free(s->items);
    *s = (struct trace_statistics){0};
}

double statistics_bandwidth(const struct statistics_row *row)
{
    if (!row->size_bytes || row->durations.total_ns <= 0)
        return NAN;
    return (double)row->size_bytes / ((double)row->durations.total_ns * 1e-9);
}

/* ---- names ---- */

static uint32_t recorded_name(struct measurement *m, const char *text, bool is_call)
{
    if (!*text)
        text = "(no name)";
    if (is_call)
        return short_names_add_call(m->names, text);
    if (m->style == NAMES_MANGLED)
        return short_names_add(m->names, text);
    struct str full;
    str_init(&full);
    demangle_full(&full, text);
    uint32_t id = full.failed ? 0 : short_names_add(m->names, str_text(&full));
    str_release(&full);
    return id;
}

static uint32_t together_name(struct measurement *m, uint16_t kind, uint32_t direction, bool is_pageable)
{
    uint32_t *id = &m->together[kind][direction][is_pageable];
    if (!*id) {
        char text[40];
        snprintf(text, sizeof text, "%s%s%s", kinds[kind].together, directions[direction],
                 is_pageable ? " (pageable)" : "");
        *id = short_names_add(m->names, text);
    }
    return *id;
}

/* The name under which an event is counted; 0 when memory is out. */
static uint32_t name_of(struct measurement *m, const struct cpprof_event *event)
{
    const bool is_kernel = event->kind == CPPROF_EVENT_KERNEL, is_call = event->kind == CPPROF_EVENT_API;
    if (m->owner)
        return m->owner;
    if (!is_kernel && !is_call) {
        const bool has_direction = event->kind != CPPROF_EVENT_MEMSET && event->detail < DIRECTIONS;
        return together_name(m, event->kind, has_direction ? event->detail : CPPROF_COPY_UNKNOWN,
                             event_is_pageable(event));
    }
    if (m->out->by != STATISTICS_BY_NAME)
        return together_name(m, event->kind, CPPROF_COPY_UNKNOWN, false);
    const uint32_t recorded = event->name <= strtab_count(m->strings) ? event->name : 0;
    uint32_t *id = is_kernel ? &m->kernels[recorded] : &m->calls[recorded];
    if (!*id)
        *id = recorded_name(m, strtab_text(m->strings, recorded), is_call);
    return *id;
}

/* ---- rows ---- */

static struct statistics_row row_key(struct measurement *m, const struct cpprof_event *event)
{
    struct statistics_row key = {
        .section = kinds[event->kind].section, .name = name_of(m, event), .rank = -1, .device = -1, .idle_ns = -1};
    if (m->out->by == STATISTICS_BY_NAME || (m->owner && m->out->by != STATISTICS_BY_STEP))
        return key;
    key.rank = event->rank;
    if (m->owner)
        return key;
    key.device = event->device;
    if (m->out->by == STATISTICS_BY_STREAM) {
        const bool is_call = event->kind == CPPROF_EVENT_API;
        key.context = is_call ? 0 : event->context;
        key.stream = is_call ? event->thread : event->stream;
    }
    return key;
}

/* The order of keys, not of results. */
static int compare_keys(const struct statistics_row *a, const struct statistics_row *b)
{
#define COMPARE(field)                                                                                                 \
    if (a->field != b->field)                                                                                          \
        return a->field < b->field ? -1 : 1;
    COMPARE(section)
    COMPARE(name)
    COMPARE(rank)
    COMPARE(device)
    COMPARE(context)
    COMPARE(stream)
#undef COMPARE
    return 0;
}

static uint64_t hash_key(const struct statistics_row *key)
{
    const uint32_t parts[] = {(uint32_t)key->section, key->name,    (uint32_t)key->rank,
                              (uint32_t)key->device,  key->context, key->stream};
    uint64_t hash = 0;
    for (size_t i = 0; i < COUNT_OF(parts); i += 2)
        hash = hash_mix(hash ^ ((uint64_t)parts[i] << 32 | parts[i + 1]));
    return hash;
}

static uint32_t *slot_of(const struct measurement *m, const struct statistics_row *key)
{
    for (size_t i = hash_key(key) & (m->slot_count - 1);; i = (i + 1) & (m->slot_count - 1))
        if (!m->slots[i] || !compare_keys(&m->out->items[m->slots[i] - 1], key))
            return &m->slots[i];
}

/* At most half of the slots are taken. */
static int grow_slots(struct measurement *m)
{
    if (m->slot_count > 2 * m->out->count)
        return 0;
    const size_t grown = m->slot_count ? 2 * m->slot_count : 256;
    uint32_t *slots = calloc(grown, sizeof *slots);
    if (!slots)
        return ERR_MEMORY;
    free(m->slots);
    m->slots = slots;
    m->slot_count = grown;
    for (size_t i = 0; i < m->out->count; i++)
        *slot_of(m, &m->out->items[i]) = (uint32_t)i + 1;
    return 0;
}

/* The number of the row with the key of this one; if it is the first one, it is made as this one is, but empty. */
static int row_numbered(struct measurement *m, const struct statistics_row *row_of, uint32_t *number, struct err *e)
{
    const struct statistics_row key = {.section = row_of->section,
                                       .name = row_of->name,
                                       .rank = row_of->rank,
                                       .device = row_of->device,
                                       .context = row_of->context,
                                       .stream = row_of->stream,
                                       .idle_ns = -1};
    if (!key.name || grow_slots(m))
        return err_memory(e);
    uint32_t *slot = slot_of(m, &key);
    if (!*slot) {
        if (m->out->count == STATISTICS_ROWS_MAX)
            return err_set(e, ERR_INPUT, "more than %d rows: too many names, or streams with --by stream",
                           STATISTICS_ROWS_MAX);
        struct statistics_row *row = ARRAY_PUSH(m->out);
        if (!row)
            return err_memory(e);
        *row = key;
        *slot = (uint32_t)m->out->count;
    }
    *number = *slot - 1;
    return 0;
}

static int find_row(struct measurement *m, const struct cpprof_event *event, uint32_t *number, struct err *e)
{
    const struct statistics_row key = row_key(m, event);
    return row_numbered(m, &key, number, e);
}

static int add_to_row(struct measurement *m, const struct cpprof_event *event, uint32_t number, struct err *e)
{
    struct statistics_row *row = &m->out->items[number];
    if (event->size_bytes > (uint64_t)(INT64_MAX - row->size_bytes))
        row->size_bytes = INT64_MAX;
    else
        row->size_bytes += (int64_t)event->size_bytes;
    if (event->flags & CPPROF_EVENT_UNFINISHED) {
        row->unfinished++;
        m->out->unfinished++;
        return 0;
    }
    return duration_groups_add(m->durations, number, duration_ns(event->start_ns, event->end_ns), e);
}

static int add_event(struct measurement *m, const struct cpprof_event *event, struct err *e)
{
    if (event->kind >= KINDS || !kinds[event->kind].counted)
        return 0;
    uint32_t number = 0;
    int rc = find_row(m, event, &number, e);
    return rc ? rc : add_to_row(m, event, number, e);
}

/* ---- results ---- */

static int64_t add_or_stay(int64_t sum, int64_t value)
{
    return __builtin_add_overflow(sum, value, &sum) ? INT64_MAX : sum;
}

static void sum_up(struct measurement *m)
{
    struct trace_statistics *out = m->out;
    for (size_t i = 0; i < out->count; i++) {
        struct statistics_row *row = &out->items[i];
        row->durations = *duration_groups_get(m->durations, (uint32_t)i);
        out->has_ranks |= row->rank >= 0;
        out->section_ns[row->section] = add_or_stay(out->section_ns[row->section], row->durations.total_ns);
        out->section_count[row->section] += row->durations.count + row->unfinished;
    }
    for (int section = 0; section < STATISTICS_API; section++) {
        out->gpu_ns = add_or_stay(out->gpu_ns, out->section_ns[section]);
        out->gpu_count += out->section_count[section];
    }
    for (size_t i = 0; i < out->count; i++) {
        struct statistics_row *row = &out->items[i];
        const int64_t whole_ns = row->section == STATISTICS_API ? out->section_ns[STATISTICS_API] : out->gpu_ns;
        row->share = whole_ns > 0 ? (double)row->durations.total_ns / (double)whole_ns : NAN;
    }
}

/* Ids of names depend on which event came first; what is shown must not. */
static int compare_shown(const struct statistics_row *a, const struct statistics_row *b,
                         const struct short_names *names)
{
    const int order = strcmp(short_names_full(names, a->name), short_names_full(names, b->name));
    return order ? order : compare_keys(a, b);
}

static int row_order(const void *left, const void *right, void *names)
{
    const struct statistics_row *a = left, *b = right;
    if (a->section != b->section)
        return a->section < b->section ? -1 : 1;
    if (a->durations.total_ns != b->durations.total_ns)
        return a->durations.total_ns > b->durations.total_ns ? -1 : 1;
    return compare_shown(a, b, names);
}

static int finish(struct measurement *m, struct err *e)
{
    int rc = duration_groups_finish(m->durations, e);
    if (rc)
        return rc;
    sum_up(m);
    if (m->out->count)
        qsort_r(m->out->items, m->out->count, sizeof *m->out->items, row_order, m->names);
    return 0;
}

/* ---- by name, stream and device ---- */

static int begin(struct measurement *m, const struct strtab *strings, struct err *e)
{
    const size_t count = strtab_count(strings) + 1;
    m->strings = strings;
    m->kernels = calloc(count, sizeof *m->kernels);
    m->calls = calloc(count, sizeof *m->calls);
    return m->kernels && m->calls ? duration_groups_new(&m->durations, e) : err_memory(e);
}

static void release(struct measurement *m)
{
    duration_groups_free(m->durations);
    free(m->kernels);
    free(m->calls);
    free(m->slots);
}

static int add_events(struct measurement *m, struct event_stream *stream, struct err *e)
{
    struct cpprof_event event;
    int rc = begin(m, event_stream_strings(stream), e);
    while (!rc && (rc = event_stream_next(stream, &event, e)) == 1)
        rc = add_event(m, &event, e);
    return rc;
}

int trace_statistics_measure(struct event_stream *stream, enum statistics_by by, enum name_style style,
                             struct short_names *names, struct trace_statistics *out, struct err *e)
{
    *out = (struct trace_statistics){.by = by};
    struct measurement m = {.out = out, .names = names, .style = style};
    int rc = add_events(&m, stream, e);
    if (!rc)
        rc = finish(&m, e);
    release(&m);
    return rc;
}

/* ---- of each of several traces ---- */

struct statistics_parts {
    enum statistics_by by;
    struct measurement m;
    struct trace_measure measure;
};

static int measure_part(void *context, struct event_stream *stream, struct err *e)
{
    struct statistics_parts *p = context;
    *p->m.out = (struct trace_statistics){.by = p->m.out->by};
    p->m = (struct measurement){.out = p->m.out, .names = p->m.names, .style = p->m.style};
    return add_events(&p->m, stream, e);
}

static int write_part(void *context, FILE *to, struct err *e)
{
    struct statistics_parts *p = context;
    const struct trace_statistics *s = p->m.out;
    const int64_t count = (int64_t)s->count;
    int rc = part_write(to, &count, sizeof count, e);
    for (size_t i = 0; !rc && i < s->count; i++) {
        const char *name = short_names_full(p->m.names, s->items[i].name);
        rc = part_write(to, &s->items[i], sizeof s->items[i], e);
        if (!rc)
            rc = part_write_text(to, name, strlen(name), e);
    }
    return rc ? rc : duration_groups_write(p->m.durations, (uint32_t)s->count, to, e);
}

/* Reads what is known of a row but its durations. */
static int read_row(struct statistics_parts *p, struct part_reader *from, struct statistics_row *row, struct err *e)
{
    char *name = NULL;
    size_t length = 0;
    int rc = part_read(from, row, sizeof *row, e);
    if (!rc && ((unsigned)row->section >= STATISTICS_SECTIONS || row->size_bytes < 0))
        rc = part_makes_no_sense(e);
    if (!rc && p->m.out->by != STATISTICS_BY_NAME)
        rc = part_rank_of(from, &row->rank, e);
    if (!rc)
        rc = part_read_text(from, &name, &length, e);
    row->name = rc ? 0 : short_names_add(p->m.names, name);
    free(name);
    return rc || row->name ? rc : err_memory(e);
}

static int take_row(struct statistics_parts *p, struct part_reader *from, uint32_t *number, struct err *e)
{
    struct statistics_row row;
    int rc = read_row(p, from, &row, e);
    if (!rc)
        rc = row_numbered(&p->m, &row, number, e);
    if (rc)
        return rc;
    struct statistics_row *sum = &p->m.out->items[*number];
    sum->size_bytes = add_or_stay(sum->size_bytes, row.size_bytes);
    sum->unfinished += row.unfinished;
    p->m.out->unfinished += row.unfinished;
    return 0;
}

static int take_part(void *context, struct part_reader *from, const struct event_stream *stream, struct err *e)
{
    struct statistics_parts *p = context;
    int64_t count = 0;
    (void)stream;
    int rc = part_read_count(from, STATISTICS_ROWS_MAX, &count, e);
    uint32_t *numbers = rc ? NULL : calloc((size_t)count + 1, sizeof *numbers);
    if (!rc && !numbers)
        rc = err_memory(e);
    for (int64_t i = 0; !rc && i < count; i++)
        rc = take_row(p, from, &numbers[i], e);
    if (!rc)
        rc = duration_groups_take(p->m.durations, numbers, (uint32_t)count, from, e);
    free(numbers);
    return rc;
}

int statistics_parts_new(struct statistics_parts **out, enum statistics_by by, enum name_style style,
                         struct short_names *names, struct trace_statistics *result, struct err *e)
{
    struct statistics_parts *p = calloc(1, sizeof *p);
    *out = p;
    if (!p)
        return err_memory(e);
    *result = (struct trace_statistics){.by = by};
    p->by = by;
    p->m = (struct measurement){.out = result, .names = names, .style = style};
    p->measure = (struct trace_measure){.context = p, .measure = measure_part, .write = write_part, .take = take_part};
    return duration_groups_new(&p->m.durations, e);
}

const struct trace_measure *statistics_parts_measure(const struct statistics_parts *p)
{
    return &p->measure;
}

int statistics_parts_finish(struct statistics_parts *p, struct event_stream *stream, struct err *e)
{
    if (event_stream_is_measured(stream))
        return finish(&p->m, e);
    trace_statistics_release(p->m.out);
    return trace_statistics_measure(stream, p->by, p->m.style, p->m.names, p->m.out, e);
}

void statistics_parts_free(struct statistics_parts *p)
{
    if (!p)
        return;
    release(&p->m);
    free(p);
}

/* ---- by owner ---- */

static const struct {
    enum owner_kind kind;
    const char *none; /* the name of the row for work that nothing owns */
} owners[] = {[STATISTICS_BY_OPERATOR] = {OWNER_OPERATOR, "(no operator)"},
              [STATISTICS_BY_MODULE] = {OWNER_MODULE, "(no module)"},
              [STATISTICS_BY_FRAME] = {OWNER_FRAME, "(no frame)"},
              [STATISTICS_BY_RANGE] = {OWNER_RANGE, "(no range)"},
              [STATISTICS_BY_STEP] = {OWNER_STEP, "(no step)"}};

bool statistics_by_owner(enum statistics_by by)
{
    return by >= STATISTICS_BY_OPERATOR;
}

bool statistics_needs_scopes(enum statistics_by by)
{
    return by == STATISTICS_BY_OPERATOR || by == STATISTICS_BY_MODULE || by == STATISTICS_BY_FRAME;
}

static uint32_t owner_name(struct measurement *m, const struct launch_owners *o, int64_t owner)
{
    struct str text;
    if (owner == OWNER_UNKNOWN)
        return short_names_add(m->names, "(launch not recorded)");
    if (owner == OWNER_NONE)
        return short_names_add(m->names, owners[m->out->by].none);
    str_init(&text);
    launch_owners_name(o, owner, &text);
    const uint32_t id = text.failed ? 0 : short_names_add(m->names, str_text(&text));
    str_release(&text);
    return id;
}

static int add_idle_work(struct measurement *m, const struct owned_event *owned, uint32_t number, struct err *e)
{
    struct statistics_row *row = &m->out->items[number];
    if (row->idle_ns < 0)
        row->idle_ns = 0;
    if (owned->flags & CPPROF_EVENT_UNFINISHED)
        return 0;
    struct idle_work work = {.start_ns = owned->start_ns,
                             .end_ns = owned->end_ns,
                             .row = number,
                             .is_unknown = owned->owner == OWNER_UNKNOWN,
                             .correlation = owned->correlation,
                             .rank = owned->rank,
                             .device = owned->device};
    event_stream_gpu_of(m->stream, &work.rank, &work.device);
    return idle_before_add(m->idle, &work, e);
}

/* `names` has the id of each owner's name, 0: not yet. */
static int add_owned(struct measurement *m, const struct launch_owners *o, uint32_t *names,
                     const struct owned_event *owned, struct err *e)
{
    const struct cpprof_event event = {.start_ns = owned->start_ns,
                                       .end_ns = owned->end_ns,
                                       .size_bytes = owned->size_bytes,
                                       .kind = owned->kind,
                                       .flags = owned->flags,
                                       .device = -1,
                                       .rank = owned->rank};
    uint32_t *name = &names[owned->owner - OWNER_UNKNOWN];
    if (!*name)
        *name = owner_name(m, o, owned->owner);
    m->owner = *name;
    uint32_t number = 0;
    int rc = m->owner ? find_row(m, &event, &number, e) : err_memory(e);
    if (!rc)
        rc = add_to_row(m, &event, number, e);
    return rc || owned->kind == CPPROF_EVENT_API ? rc : add_idle_work(m, owned, number, e);
}

static int sum_idle(struct measurement *m, struct err *e)
{
    uint32_t number;
    int64_t idle_ns;
    int rc;
    while ((rc = idle_before_next(m->idle, &number, &idle_ns, e)) == 1) {
        struct statistics_row *row = &m->out->items[number];
        row->idle_ns = add_or_stay(row->idle_ns, idle_ns);
        m->out->idle_ns = add_or_stay(m->out->idle_ns, idle_ns);
    }
    return rc;
}

static int measure_owned(struct measurement *m, struct launch_owners *o, struct err *e)
{
    struct owned_event owned;
    uint32_t *names = calloc((size_t)(launch_owners_max(o) - OWNER_UNKNOWN) + 1, sizeof *names);
    int rc = names ? duration_groups_new(&m->durations, e) : err_memory(e);
    if (!rc)
        rc = idle_before_new(&m->idle, e);
    while (!rc && (rc = launch_owners_next(o, &owned, e)) == 1)
        rc = add_owned(m, o, names, &owned, e);
    if (!rc)
        rc = sum_idle(m, e);
    if (!rc)
        rc = finish(m, e);
    duration_groups_free(m->durations);
    idle_before_free(m->idle);
    free(names);
    free(m->slots);
    return rc;
}

int trace_statistics_by_owner(struct event_stream *stream, enum statistics_by by, const char *step,
                              struct short_names *names, struct trace_statistics *out, struct err *e)
{
    struct launch_owners *o;
    struct measurement m = {.out = out, .names = names, .stream = stream, .strings = event_stream_strings(stream)};
    *out = (struct trace_statistics){.by = by};
    int rc = launch_owners_new(&o, stream, owners[by].kind, step, e);
    if (!rc)
        rc = measure_owned(&m, o, e);
    launch_owners_free(o);
    return rc;
}

/* ---- two traces ---- */

static int key_order(const void *left, const void *right)
{
    return compare_keys(*(const struct statistics_row *const *)left, *(const struct statistics_row *const *)right);
}

/* Pointers to the rows in the order of their keys. */
static const struct statistics_row **sorted_by_key(const struct trace_statistics *s)
{
    const struct statistics_row **rows = calloc(s->count + 1, sizeof *rows);
    for (size_t i = 0; rows && i < s->count; i++)
        rows[i] = &s->items[i];
    if (rows)
        qsort(rows, s->count, sizeof *rows, key_order);
    return rows;
}

static int merge(struct statistics_pairs *out, const struct statistics_row **a, const struct statistics_row **b)
{
    while (*a || *b) {
        const int order = !*a ? 1 : !*b ? -1 : compare_keys(*a, *b);
        struct statistics_pair *pair = ARRAY_PUSH(out);
        if (!pair)
            return ERR_MEMORY;
        *pair = (struct statistics_pair){order <= 0 ? *a++ : NULL, order >= 0 ? *b++ : NULL};
    }
    return 0;
}

static int64_t larger_total(const struct statistics_pair *pair)
{
    const int64_t a = pair->a ? pair->a->durations.total_ns : -1, b = pair->b ? pair->b->durations.total_ns : -1;
    return a > b ? a : b;
}

static int pair_order(const void *left, const void *right, void *names)
{
    const struct statistics_pair *a = left, *b = right;
    const struct statistics_row *row_a = a->a ? a->a : a->b, *row_b = b->a ? b->a : b->b;
    if (row_a->section != row_b->section)
        return row_a->section < row_b->section ? -1 : 1;
    if (larger_total(a) != larger_total(b))
        return larger_total(a) > larger_total(b) ? -1 : 1;
    return compare_shown(row_a, row_b, names);
}

int statistics_pairs_make(struct statistics_pairs *out, const struct trace_statistics *a,
                          const struct trace_statistics *b, struct short_names *names, struct err *e)
{
    *out = (struct statistics_pairs){0};
    const struct statistics_row **rows_a = sorted_by_key(a), **rows_b = sorted_by_key(b);
    int rc = rows_a && rows_b ? merge(out, rows_a, rows_b) : ERR_MEMORY;
    free(rows_a);
    free(rows_b);
    if (rc)
        return err_memory(e);
    if (out->count)
        qsort_r(out->items, out->count, sizeof *out->items, pair_order, names);
    return 0;
}

void statistics_pairs_release(struct statistics_pairs *pairs)
{
    free(pairs->items);
    *pairs = (struct statistics_pairs){0};
}
