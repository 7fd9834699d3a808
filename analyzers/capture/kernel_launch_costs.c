/* What does it cost to launch each kernel, and to wait for it?
 *
 * The join yields all kernels of a call one behind the other. It is read
 * twice: once to find the first call of each row on each device of each rank, which is kept
 * apart, since every process loads its kernels itself, and once for everything
 * else. */
#define _GNU_SOURCE
#include "analyzers/capture/kernel_launch_costs.h"

#include <stdlib.h>
#include <string.h>

#include "analyzers/capture/idle_gaps_part.h"
#include "core/base/array.h"
#include "core/base/demangle.h"
#include "core/base/key_table.h"
#include "core/trace/host_waits.h"
#include "core/trace/launch_join.h"

/* One call with all the kernels that it started. */
struct call {
    struct launched api;
    int64_t kernels;
    uint32_t kernel_name;     /* of the first */
    int16_t device;           /* its; 0 without one */
    int64_t start_ns, end_ns; /* first start, last end */
};

/* The first call of a row: on a device of a rank. */
struct first_call {
    int64_t start_ns;
    uint32_t correlation;
};

/* Which durations a group of a row is for. */
enum { API, QUEUE, KERNEL, STARTED, GROUPS };

struct measurement {
    struct kernel_launch_costs *out;
    struct short_names *names;
    enum name_style style;
    const struct strtab *strings;
    uint32_t *kernel_rows, *call_rows, *lone_rows; /* string id -> number of the row from 1, 0 not yet */
    struct key_table keys, wait_keys;              /* (kind of row, name) -> number of the row */
    struct key_table device_keys;                  /* (rank, device) -> number of the device */
    struct key_table first_keys;                   /* (number of the device, of the row) -> id in firsts */
    struct {
        struct first_call *items; /* by id - 1 */
        size_t count, capacity;
    } firsts;
    struct duration_groups *durations; /* group GROUPS * row + what; row 0 is the total */
    uint32_t *wait_rows;               /* string id -> number of the row of waits from 1, 0 not yet */
    struct duration_groups *waits;     /* by row of waits; 0: all */
    struct launch_join *join;
    int64_t rounding_ns;  /* by how much a start may lie before another one that it follows */
    struct launched next; /* read, and not yet used */
    bool has_next;
};

void kernel_launch_costs_release(struct kernel_launch_costs *t)
{
    free(t->items);
    free(t->waits.items);
    *t = (struct kernel_launch_costs){0};
}

/* ---- calls ---- */

static int read_one(struct measurement *m, struct err *e)
{
    int rc = launch_join_next(m->join, &m->next, e);
    m->has_next = rc == 1;
    return rc < 0 ? rc : 0;
}

static void add_part(struct call *call, const struct launched *part)
{
    if (part->kind != CPPROF_EVENT_KERNEL)
        return;
    if (!call->kernels || part->start_ns < call->start_ns)
        call->start_ns = part->start_ns;
    if (!call->kernels || part->end_ns > call->end_ns)
        call->end_ns = part->end_ns;
    if (call->kernels++)
        return;
    call->kernel_name = part->name;
    call->device = part->device;
}

/* The next call with its kernels, or kernel without a call: 1, 0 at the end. */
static int read_call(struct measurement *m, struct call *out, struct err *e)
{
    if (!m->has_next)
        return 0;
    *out = (struct call){.api = m->next};
    add_part(out, &m->next);
    int rc = read_one(m, e);
    while (!rc && m->has_next && m->next.has_call && m->next.part > 0) {
        add_part(out, &m->next);
        rc = read_one(m, e);
    }
    return rc ? rc : 1;
}

static int start_reading(struct measurement *m, struct err *e)
{
    int rc = launch_join_rewind(m->join, e);
    return rc ? rc : read_one(m, e);
}

static bool is_launch(const struct call *call)
{
    return call->api.has_call && (call->kernels || (!call->api.kind && call->api.call_detail == CPPROF_API_LAUNCH));
}

/* ---- rows ---- */

static uint32_t known_string(const struct measurement *m, uint32_t id)
{
    return id <= strtab_count(m->strings) ? id : 0;
}

static uint32_t name_id(struct measurement *m, uint32_t string, bool is_call)
{
    const char *text = strtab_text(m->strings, string);
    if (!*text)
        text = "(no name)";
    if (is_call)
        return short_names_add_call(m->names, text);
    if (m->style == NAMES_MANGLED)
        return short_names_add(m->names, text);
    struct str full;
    str_init(&full);
    demangle_full(&full, text);
    const uint32_t id = full.failed ? 0 : short_names_add(m->names, str_text(&full));
    str_release(&full);
    return id;
}

/* Rows with the same name are told apart by it. */
static int row_kind(const struct launch_row *row)
{
    return row->is_call + row->no_kernel;
}

/* The number of the row with this name of this kind, from 1; 0 when memory is out. */
static uint32_t row_numbered(struct measurement *m, const struct launch_row *row)
{
    const uint32_t id = row->name ? key_table_add(&m->keys, row_kind(row), row->name) : 0;
    if (id <= m->out->count)
        return id;
    struct launch_row *added = ARRAY_PUSH(m->out);
    if (!added)
        return 0;
    *added = (struct launch_row){.name = row->name, .is_call = row->is_call, .no_kernel = row->no_kernel};
    return id;
}

/* The number of the call's row, from 1; 0 when memory is out. */
static uint32_t row_of(struct measurement *m, const struct call *call)
{
    const bool one_kernel = call->kernels == 1;
    const uint32_t string = known_string(m, one_kernel ? call->kernel_name : call->api.call_name);
    uint32_t *number = one_kernel      ? &m->kernel_rows[string]
                       : call->kernels ? &m->call_rows[string]
                                       : &m->lone_rows[string];
    if (*number)
        return *number;
    const struct launch_row row = {
        .name = name_id(m, string, !one_kernel), .is_call = !one_kernel, .no_kernel = !call->kernels};
    return *number = row_numbered(m, &row);
}

/* NULL when memory is out. */
static struct first_call *first_of(struct measurement *m, uint32_t row, const struct call *call)
{
    const uint32_t device = key_table_add(&m->device_keys, call->api.rank, (uint16_t)call->device);
    const uint32_t id = device ? key_table_add(&m->first_keys, (int32_t)device, row) : 0;
    if (!id)
        return NULL;
    if (id > m->firsts.count) {
        struct first_call *first = ARRAY_PUSH(&m->firsts);
        if (!first)
            return NULL;
        first->start_ns = INT64_MAX;
    }
    return &m->firsts.items[id - 1];
}

static bool is_before(const struct launched *call, const struct first_call *first)
{
    if (call->call_start_ns != first->start_ns)
        return call->call_start_ns < first->start_ns;
    return call->correlation < first->correlation;
}

static int find_firsts(struct measurement *m, struct err *e)
{
    struct call call;
    int rc = start_reading(m, e);
    while (!rc && (rc = read_call(m, &call, e)) == 1) {
        rc = 0;
        m->out->kernels += call.kernels;
        if (!call.api.has_call)
            m->out->kernels_unmatched += call.kernels;
        if (!is_launch(&call))
            continue;
        const uint32_t row = row_of(m, &call);
        struct first_call *first = row ? first_of(m, row, &call) : NULL;
        if (!first)
            return err_memory(e);
        if (m->out->count > LAUNCH_ROWS_MAX || m->firsts.count > LAUNCH_FIRSTS_MAX)
            return err_set(e, ERR_INPUT, "more than %d kernels, or %d of them on all devices", LAUNCH_ROWS_MAX,
                           LAUNCH_FIRSTS_MAX);
        if (is_before(&call.api, first))
            *first = (struct first_call){call.api.call_start_ns, call.api.correlation};
    }
    return rc;
}

static bool is_first(const struct call *call, const struct first_call *first)
{
    return call->api.call_start_ns == first->start_ns && call->api.correlation == first->correlation;
}

static int add_times(struct measurement *m, struct launch_row *row, uint32_t number, const struct call *call,
                     bool first, struct err *e)
{
    const int64_t api_ns = duration_ns(call->api.call_start_ns, call->api.call_end_ns);
    const uint32_t group = GROUPS * number;
    row->launches++;
    row->api_ns += api_ns;
    int rc = 0;
    if (first)
        row->first_ns += api_ns;
    else
        rc = duration_groups_add(m->durations, group + API, api_ns, e);
    if (!rc && !first && !number && call->kernels)
        rc = duration_groups_add(m->durations, group + STARTED, api_ns, e);
    if (rc || !call->kernels)
        return rc;
    const int64_t kernel_ns = duration_ns(call->start_ns, call->end_ns);
    const int64_t queued_ns = duration_ns(call->api.call_start_ns, call->start_ns);
    row->kernels++;
    row->longer += api_ns > kernel_ns;
    if (queued_ns >= -m->rounding_ns) /* a kernel that begins before its call has not waited: a time is false */
        rc = duration_groups_add(m->durations, group + QUEUE, queued_ns, e);
    return rc ? rc : duration_groups_add(m->durations, group + KERNEL, kernel_ns, e);
}

static int add_calls(struct measurement *m, struct err *e)
{
    struct call call;
    int rc = start_reading(m, e);
    while (!rc && (rc = read_call(m, &call, e)) == 1) {
        rc = 0;
        if (!is_launch(&call))
            continue;
        const uint32_t number = row_of(m, &call);
        const struct first_call *of_device = first_of(m, number, &call);
        if (!of_device)
            return err_memory(e);
        const bool first = is_first(&call, of_device);
        rc = add_times(m, &m->out->items[number - 1], number, &call, first, e);
        if (!rc)
            rc = add_times(m, &m->out->total, 0, &call, first, e);
    }
    return rc;
}

static void summarise(const struct measurement *m, struct launch_row *row, uint32_t number)
{
    row->api = *duration_groups_get(m->durations, GROUPS * number + API);
    row->queue = *duration_groups_get(m->durations, GROUPS * number + QUEUE);
    row->kernel = *duration_groups_get(m->durations, GROUPS * number + KERNEL);
    row->started = *duration_groups_get(m->durations, GROUPS * number + STARTED);
}

/* Ids of names depend on which event came first; what is shown must not. */
static int row_order(const void *left, const void *right, void *names)
{
    const struct launch_row *a = left, *b = right;
    if (a->api_ns != b->api_ns)
        return a->api_ns > b->api_ns ? -1 : 1;
    const int order = strcmp(short_names_full(names, a->name), short_names_full(names, b->name));
    return order ? order : row_kind(a) - row_kind(b);
}

static int add_launches(struct measurement *m, struct err *e)
{
    int rc = find_firsts(m, e);
    return rc ? rc : add_calls(m, e);
}

static int sum_up_launches(struct measurement *m, struct err *e)
{
    struct kernel_launch_costs *out = m->out;
    int rc = duration_groups_finish(m->durations, e);
    if (rc)
        return rc;
    summarise(m, &out->total, 0);
    for (size_t i = 0; i < out->count; i++)
        summarise(m, &out->items[i], (uint32_t)i + 1);
    if (out->count)
        qsort_r(out->items, out->count, sizeof *out->items, row_order, m->names);
    return 0;
}

/* ---- waits ---- */

/* The number of the row, from 1; 0 when memory is out. */
static uint32_t wait_row_named(struct measurement *m, uint32_t name)
{
    const uint32_t id = name ? key_table_add(&m->wait_keys, 0, name) : 0;
    if (id <= m->out->waits.count)
        return id;
    struct wait_row *row = ARRAY_PUSH(&m->out->waits);
    if (!row)
        return 0;
    row->name = name;
    return id;
}

static int add_wait(struct measurement *m, uint32_t call_name, int64_t wait_ns, struct err *e)
{
    uint32_t *number = &m->wait_rows[known_string(m, call_name)];
    if (!*number)
        *number = wait_row_named(m, name_id(m, known_string(m, call_name), true));
    if (!*number)
        return err_memory(e);
    int rc = duration_groups_add(m->waits, *number, wait_ns, e);
    return rc ? rc : duration_groups_add(m->waits, 0, wait_ns, e);
}

static int add_synchronising(struct measurement *m, struct event_stream *stream, struct err *e)
{
    struct cpprof_event event;
    int rc = event_stream_rewind(stream, e);
    while (!rc && (rc = event_stream_next(stream, &event, e)) == 1)
        rc = host_waits_in(&event) ? add_wait(m, event.name, duration_ns(event.start_ns, event.end_ns), e) : 0;
    return rc;
}

static int add_copies(struct measurement *m, struct err *e)
{
    struct host_wait_search search = {.names = m->strings};
    struct launched next, call;
    int more = 1, rc = launch_join_rewind(m->join, e);
    while (!rc && more) {
        if ((more = launch_join_next(m->join, &next, e)) < 0)
            return more;
        if (host_waits_next(&search, more ? &next : NULL, &call))
            rc = add_wait(m, call.call_name, duration_ns(call.call_start_ns, call.call_end_ns), e);
    }
    return rc;
}

/* Where nobody knows whether calls that synchronise were traced, copies that wait are no answer. */
static bool has_waits(const struct event_stream *stream, bool has_sync)
{
    return !event_stream_is_launches_only(stream) && (has_sync || !event_stream_may_lack_waits(stream));
}

static int add_waits(struct measurement *m, struct event_stream *stream, struct err *e)
{
    int rc = add_synchronising(m, stream, e);
    m->out->has_waits = has_waits(stream, m->out->waits.count);
    return rc || !m->out->has_waits ? rc : add_copies(m, e);
}

static int wait_order(const void *left, const void *right, void *names)
{
    const struct wait_row *a = left, *b = right;
    if (a->waits.total_ns != b->waits.total_ns)
        return a->waits.total_ns > b->waits.total_ns ? -1 : 1;
    return strcmp(short_names_full(names, a->name), short_names_full(names, b->name));
}

static int sum_up_waits(struct measurement *m, struct err *e)
{
    struct kernel_launch_costs *out = m->out;
    int rc = duration_groups_finish(m->waits, e);
    if (rc)
        return rc;
    out->all_waits = *duration_groups_get(m->waits, 0);
    for (size_t i = 0; i < out->waits.count; i++)
        out->waits.items[i].waits = *duration_groups_get(m->waits, (uint32_t)i + 1);
    if (out->waits.count)
        qsort_r(out->waits.items, out->waits.count, sizeof *out->waits.items, wait_order, m->names);
    return 0;
}

/* ---- the whole ---- */

static int begin(struct measurement *m, const struct strtab *strings, struct err *e)
{
    const size_t count = strtab_count(strings) + 1;
    m->strings = strings;
    m->kernel_rows = calloc(count, sizeof *m->kernel_rows);
    m->call_rows = calloc(count, sizeof *m->call_rows);
    m->lone_rows = calloc(count, sizeof *m->lone_rows);
    m->wait_rows = calloc(count, sizeof *m->wait_rows);
    if (!m->kernel_rows || !m->call_rows || !m->lone_rows || !m->wait_rows)
        return err_memory(e);
    int rc = duration_groups_new(&m->durations, e);
    return rc ? rc : duration_groups_new(&m->waits, e);
}

static void release(struct measurement *m)
{
    launch_join_free(m->join);
    duration_groups_free(m->durations);
    duration_groups_free(m->waits);
    free(m->kernel_rows);
    free(m->call_rows);
    free(m->lone_rows);
    free(m->wait_rows);
    free(m->firsts.items);
    key_table_release(&m->keys);
    key_table_release(&m->device_keys);
    key_table_release(&m->first_keys);
    key_table_release(&m->wait_keys);
}

static int begin_all(struct measurement *m, struct event_stream *stream, struct err *e)
{
    int rc = begin(m, event_stream_strings(stream), e);
    m->rounding_ns = 2 * event_stream_time_error_ns(stream);
    if (!rc)
        rc = launch_join_new(&m->join, stream, e);
    if (rc)
        return rc;
    m->out->calls = launch_join_calls(m->join);
    return add_launches(m, e);
}

static int sum_up(struct measurement *m, struct err *e)
{
    int rc = sum_up_launches(m, e);
    return rc ? rc : sum_up_waits(m, e);
}

int kernel_launch_costs_measure(struct event_stream *stream, enum name_style style, struct short_names *names,
                                struct kernel_launch_costs *out, struct err *e)
{
    *out = (struct kernel_launch_costs){0};
    struct measurement m = {.out = out, .names = names, .style = style};
    int rc = begin_all(&m, stream, e);
    if (!rc)
        rc = add_waits(&m, stream, e);
    if (!rc)
        rc = sum_up(&m, e);
    release(&m);
    return rc ? rc : event_stream_rewind(stream, e);
}

/* ---- of each of several traces ---- */

struct launch_costs_parts {
    struct measurement m;
    bool has_sync; /* a call that synchronises was traced; all traces have their copies that wait, too */
    enum name_style style;
    struct idle_gaps *gaps;
    struct trace_measure measure;
};

static int measure_part(void *context, struct event_stream *stream, struct err *e)
{
    struct launch_costs_parts *p = context;
    *p->m.out = (struct kernel_launch_costs){0};
    *p->gaps = (struct idle_gaps){0};
    p->m = (struct measurement){.out = p->m.out, .names = p->m.names, .style = p->style};
    int rc = begin_all(&p->m, stream, e);
    if (!rc)
        rc = add_synchronising(&p->m, stream, e);
    p->has_sync = p->m.out->waits.count;
    if (!rc && !event_stream_is_launches_only(stream))
        rc = add_copies(&p->m, e);
    if (!rc)
        rc = event_stream_rewind(stream, e);
    return rc || event_stream_is_launches_only(stream) ? rc : idle_gaps_measure(stream, p->gaps, e);
}

/* Sums of all launches, and how many rows follow. */
struct totals {
    int64_t calls, kernels, kernels_unmatched, rows, waits;
    struct launch_row total;
    bool has_sync;
};

static int write_named(const struct launch_costs_parts *p, uint32_t name, FILE *to, struct err *e)
{
    const char *text = short_names_full(p->m.names, name);
    return part_write_text(to, text, strlen(text), e);
}

static int write_rows(const struct launch_costs_parts *p, FILE *to, struct err *e)
{
    const struct kernel_launch_costs *out = p->m.out;
    int rc = 0;
    for (size_t i = 0; !rc && i < out->count; i++) {
        rc = part_write(to, &out->items[i], sizeof out->items[i], e);
        if (!rc)
            rc = write_named(p, out->items[i].name, to, e);
    }
    for (size_t i = 0; !rc && i < out->waits.count; i++)
        rc = write_named(p, out->waits.items[i].name, to, e);
    return rc;
}

static int write_part(void *context, FILE *to, struct err *e)
{
    const struct launch_costs_parts *p = context;
    const struct kernel_launch_costs *out = p->m.out;
    const struct totals totals = {.calls = out->calls,
                                  .kernels = out->kernels,
                                  .kernels_unmatched = out->kernels_unmatched,
                                  .rows = (int64_t)out->count,
                                  .waits = (int64_t)out->waits.count,
                                  .total = out->total,
                                  .has_sync = p->has_sync};
    int rc = part_write(to, &totals, sizeof totals, e);
    if (!rc)
        rc = write_rows(p, to, e);
    if (!rc)
        rc = duration_groups_write(p->m.durations, GROUPS * ((uint32_t)out->count + 1), to, e);
    if (!rc)
        rc = duration_groups_write(p->m.waits, (uint32_t)out->waits.count + 1, to, e);
    return rc ? rc : idle_gaps_part_write(p->gaps, to, e);
}

static int read_name(struct launch_costs_parts *p, struct part_reader *from, uint32_t *name, struct err *e)
{
    char *text = NULL;
    size_t length = 0;
    int rc = part_read_text(from, &text, &length, e);
    *name = rc ? 0 : short_names_add(p->m.names, text);
    free(text);
    return rc || *name ? rc : err_memory(e);
}

static void add_row(struct launch_row *sum, const struct launch_row *row)
{
    sum->launches += row->launches;
    sum->longer += row->longer;
    sum->kernels += row->kernels;
    sum->first_ns += row->first_ns;
    sum->api_ns += row->api_ns;
}

static int take_row(struct launch_costs_parts *p, struct part_reader *from, uint32_t *number, struct err *e)
{
    struct launch_row row;
    int rc = part_read(from, &row, sizeof row, e);
    if (!rc)
        rc = part_flags_are_good(e, 2, &row.is_call, &row.no_kernel);
    if (!rc)
        rc = read_name(p, from, &row.name, e);
    if (rc)
        return rc;
    *number = row_numbered(&p->m, &row);
    if (!*number)
        return err_memory(e);
    if (p->m.out->count > LAUNCH_ROWS_MAX)
        return err_set(e, ERR_INPUT, "more than %d kernels", LAUNCH_ROWS_MAX);
    add_row(&p->m.out->items[*number - 1], &row);
    return 0;
}

/* Group i of the part is group groups[i] here: those of a row are one behind the other. */
static int take_launches(struct launch_costs_parts *p, const struct totals *t, uint32_t *groups,
                         struct part_reader *from, struct err *e)
{
    int rc = 0;
    for (int64_t i = 0; !rc && i <= t->rows; i++) {
        uint32_t number = 0; /* the total */
        if (i)
            rc = take_row(p, from, &number, e);
        for (uint32_t what = 0; what < GROUPS; what++)
            groups[GROUPS * i + what] = GROUPS * number + what;
    }
    return rc;
}

static int take_wait_names(struct launch_costs_parts *p, const struct totals *t, uint32_t *numbers,
                           struct part_reader *from, struct err *e)
{
    int rc = 0;
    numbers[0] = 0; /* all waits */
    for (int64_t i = 1; !rc && i <= t->waits; i++) {
        uint32_t name = 0;
        rc = read_name(p, from, &name, e);
        if (!rc && !(numbers[i] = wait_row_named(&p->m, name)))
            rc = err_memory(e);
    }
    return rc;
}

static int take_rows(struct launch_costs_parts *p, const struct totals *t, struct part_reader *from, struct err *e)
{
    uint32_t *groups = calloc(GROUPS * ((size_t)t->rows + 1), sizeof *groups);
    uint32_t *waits = calloc((size_t)t->waits + 1, sizeof *waits);
    int rc = groups && waits ? take_launches(p, t, groups, from, e) : err_memory(e);
    if (!rc)
        rc = take_wait_names(p, t, waits, from, e);
    if (!rc)
        rc = duration_groups_take(p->m.durations, groups, GROUPS * ((uint32_t)t->rows + 1), from, e);
    if (!rc)
        rc = duration_groups_take(p->m.waits, waits, (uint32_t)t->waits + 1, from, e);
    free(groups);
    free(waits);
    return rc;
}

static int take_part(void *context, struct part_reader *from, const struct event_stream *stream, struct err *e)
{
    struct launch_costs_parts *p = context;
    struct kernel_launch_costs *out = p->m.out;
    struct totals t;
    (void)stream;
    int rc = part_read(from, &t, sizeof t, e);
    if (!rc)
        rc = part_flags_are_good(e, 1, &t.has_sync);
    if (!rc && (t.rows < 0 || t.rows > LAUNCH_ROWS_MAX || t.waits < 0 || t.waits > LAUNCH_ROWS_MAX))
        rc = part_makes_no_sense(e);
    if (rc)
        return rc;
    out->calls += t.calls;
    out->kernels += t.kernels;
    out->kernels_unmatched += t.kernels_unmatched;
    p->has_sync |= t.has_sync;
    add_row(&out->total, &t.total);
    rc = take_rows(p, &t, from, e);
    return rc ? rc : idle_gaps_part_take(p->gaps, from, e);
}

int launch_costs_parts_new(struct launch_costs_parts **out, enum name_style style, struct short_names *names,
                           struct kernel_launch_costs *result, struct idle_gaps *gaps, struct err *e)
{
    struct launch_costs_parts *p = calloc(1, sizeof *p);
    *out = p;
    if (!p)
        return err_memory(e);
    *result = (struct kernel_launch_costs){0};
    *gaps = (struct idle_gaps){0};
    *p = (struct launch_costs_parts){
        .m = {.out = result, .names = names, .style = style},
        .style = style,
        .gaps = gaps,
        .measure = {.context = p, .measure = measure_part, .write = write_part, .take = take_part}};
    int rc = duration_groups_new(&p->m.durations, e);
    return rc ? rc : duration_groups_new(&p->m.waits, e);
}

const struct trace_measure *launch_costs_parts_measure(const struct launch_costs_parts *p)
{
    return &p->measure;
}

/* Without copies nobody knows when the GPU is idle. */
static int measure_all(struct launch_costs_parts *p, struct event_stream *stream, struct err *e)
{
    kernel_launch_costs_release(p->m.out);
    idle_gaps_release(p->gaps);
    int rc = kernel_launch_costs_measure(stream, p->style, p->m.names, p->m.out, e);
    return rc || event_stream_is_launches_only(stream) ? rc : idle_gaps_measure(stream, p->gaps, e);
}

/* Where no trace has a call that synchronises, all waits are copies, and may be no answer. */
static int finish_waits(struct launch_costs_parts *p, const struct event_stream *stream, struct err *e)
{
    p->m.out->has_waits = has_waits(stream, p->has_sync);
    if (p->m.out->has_waits || event_stream_is_launches_only(stream))
        return 0;
    p->m.out->waits.count = 0;
    duration_groups_free(p->m.waits);
    return duration_groups_new(&p->m.waits, e);
}

int launch_costs_parts_finish(struct launch_costs_parts *p, struct event_stream *stream, struct err *e)
{
    if (!event_stream_is_measured(stream))
        return measure_all(p, stream, e);
    idle_gaps_sort(p->gaps);
    int rc = finish_waits(p, stream, e);
    return rc ? rc : sum_up(&p->m, e);
}

void launch_costs_parts_free(struct launch_costs_parts *p)
{
    if (!p)
        return;
    release(&p->m);
    free(p);
}

/* ---- two traces ---- */

enum { ROW_KINDS = 3 };

static int add_pair(struct launch_pairs *pairs, const struct launch_row *a, const struct launch_row *b)
{
    struct launch_pair *pair = ARRAY_PUSH(pairs);
    if (!pair)
        return ERR_MEMORY;
    *pair = (struct launch_pair){a, b};
    return 0;
}

static int match(struct launch_pairs *out, const struct kernel_launch_costs *a, const struct kernel_launch_costs *b,
                 const struct launch_row **rows, size_t names)
{
    int failed = 0;
    for (size_t i = 0; i < b->count; i++)
        rows[(size_t)row_kind(&b->items[i]) * names + b->items[i].name] = &b->items[i];
    for (size_t i = 0; i < a->count; i++) {
        const struct launch_row **other = &rows[(size_t)row_kind(&a->items[i]) * names + a->items[i].name];
        failed |= add_pair(out, &a->items[i], *other);
        *other = NULL;
    }
    for (size_t i = 0; i < b->count; i++)
        if (rows[(size_t)row_kind(&b->items[i]) * names + b->items[i].name])
            failed |= add_pair(out, NULL, &b->items[i]);
    return failed;
}

static int64_t larger_api_ns(const struct launch_pair *pair)
{
    const int64_t a = pair->a ? pair->a->api_ns : -1, b = pair->b ? pair->b->api_ns : -1;
    return a > b ? a : b;
}

static int pair_order(const void *left, const void *right, void *names)
{
    const struct launch_pair *a = left, *b = right;
    if (larger_api_ns(a) != larger_api_ns(b))
        return larger_api_ns(a) > larger_api_ns(b) ? -1 : 1;
    return row_order(a->a ? a->a : a->b, b->a ? b->a : b->b, names);
}

int launch_pairs_make(struct launch_pairs *out, const struct kernel_launch_costs *a,
                      const struct kernel_launch_costs *b, struct short_names *names, struct err *e)
{
    *out = (struct launch_pairs){0};
    const size_t ids = names->count + 1;
    const struct launch_row **rows = calloc(ROW_KINDS * ids, sizeof *rows);
    const int rc = rows ? match(out, a, b, rows, ids) : ERR_MEMORY;
    free(rows);
    if (rc)
        return err_memory(e);
    if (out->count)
        qsort_r(out->items, out->count, sizeof *out->items, pair_order, names);
    return 0;
}

void launch_pairs_release(struct launch_pairs *pairs)
{
    free(pairs->items);
    *pairs = (struct launch_pairs){0};
}
