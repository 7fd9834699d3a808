/* Which rows of a trace have times that cannot be? */
#include "core/trace/plausible/plausible_times.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/base/str.h"
#include "core/base/units.h"
#include "core/trace/event_work.h"
#include "core/trace/plausible/early_work.h"
#include "core/trace/plausible/serial_lanes.h"

#define NS_PER_US   INT64_C(1000)
#define NS_PER_S    (1000 * 1000 * NS_PER_US)
#define NS_PER_HOUR (3600 * NS_PER_S)

/* Rows that are years apart are not of one recording. */
#define APART_NS (365 * 24 * NS_PER_HOUR)

enum { CLUSTERS_MAX = 256 }; /* times have room for 146 that are a year apart */

/* Rows without a long pause between neighbours. */
struct cluster {
    struct cpprof_event first;
    int64_t place, rows;
    int64_t last_start_ns;
};

enum reason { NEVER_FILLED, BACKWARDS, ACROSS, NO_STREAM, EARLY, REASONS };

struct told {
    int64_t rows;
    struct cpprof_event first;
    int64_t measure; /* what is told of the first */
};

/* Consecutive rows without a pause of an hour between them, so that all are far from the recording or none is. */
struct stretch {
    int64_t from, to;
    struct cpprof_event first;
    int64_t last_start_ns;
};

struct stretches {
    struct stretch *items;
    size_t count, capacity;
};

struct plausible_times {
    struct plausible_facts facts;
    int64_t place; /* of the next event */
    ARRAY_OF(struct cluster) clusters;
    struct stretches at_origin, empty_at_origin; /* rows that begin at the origin; work that ends there, too */
    int64_t before_origin;                       /* rows */
    int64_t hole_ns;                             /* from the origin to the next start; 0: unknown */
    struct stretches backwards;
    struct serial_lanes lanes;
    struct early_work early;
    struct told told[REASONS];
};

int plausible_times_new(struct plausible_times **out, const struct plausible_facts *facts, struct err *e)
{
    struct plausible_times *p = *out = calloc(1, sizeof *p);
    if (!p)
        return err_memory(e);
    p->facts = *facts;
    p->lanes.time_error_ns = facts->time_error_ns;
    return 0;
}

void plausible_times_free(struct plausible_times *p)
{
    if (!p)
        return;
    free(p->clusters.items);
    free(p->at_origin.items);
    free(p->empty_at_origin.items);
    free(p->backwards.items);
    serial_lanes_release(&p->lanes);
    early_work_release(&p->early);
    free(p);
}

/* ---- the first pass ---- */

static int add_to_cluster(struct plausible_times *p, const struct cpprof_event *event, struct err *e)
{
    struct cluster *last = p->clusters.count ? &p->clusters.items[p->clusters.count - 1] : NULL;
    if (last && (event->start_ns - last->last_start_ns < APART_NS || p->clusters.count == CLUSTERS_MAX)) {
        last->last_start_ns = event->start_ns;
        last->rows++;
        return 0;
    }
    struct cluster *cluster = ARRAY_PUSH(&p->clusters);
    if (!cluster)
        return err_memory(e);
    *cluster = (struct cluster){*event, p->place, 1, event->start_ns};
    return 0;
}

/* Adds a row that comes behind those of the list. */
static int add_row(struct stretches *list, const struct cpprof_event *event, int64_t place, struct err *e)
{
    struct stretch *last = list->count ? &list->items[list->count - 1] : NULL;
    if (last && last->to == place && event->start_ns - last->last_start_ns < NS_PER_HOUR) {
        last->to++;
        last->last_start_ns = event->start_ns;
        return 0;
    }
    struct stretch *stretch = ARRAY_PUSH(list);
    if (!stretch)
        return err_memory(e);
    *stretch = (struct stretch){place, place + 1, *event, event->start_ns};
    return 0;
}

static int look_at_origin(struct plausible_times *p, const struct cpprof_event *event, struct err *e)
{
    const int64_t origin_ns = p->facts.origin_ns;
    p->before_origin += event->start_ns < origin_ns;
    if (event->start_ns > origin_ns && !p->hole_ns)
        p->hole_ns = event->start_ns - origin_ns;
    if (event->start_ns != origin_ns)
        return 0;
    const bool is_empty = event_is_gpu_work(event) && event->end_ns == event->start_ns;
    const int rc = add_row(&p->at_origin, event, p->place, e);
    return rc || !is_empty ? rc : add_row(&p->empty_at_origin, event, p->place, e);
}

int plausible_times_take(struct plausible_times *p, const struct cpprof_event *event, struct err *e)
{
    const bool is_finished = !(event->flags & CPPROF_EVENT_UNFINISHED);
    int rc = add_to_cluster(p, event, e);
    if (!rc)
        rc = look_at_origin(p, event, e);
    if (!rc && is_finished && event->end_ns < event->start_ns)
        rc = add_row(&p->backwards, event, p->place, e);
    else if (!rc && is_finished && p->facts.has_streams)
        rc = serial_lanes_add(&p->lanes, event, p->place, e);
    if (!rc)
        rc = early_work_add(&p->early, event, e);
    p->place++;
    return rc;
}

/* Which of the rows at the origin have a time that nobody filled in? No work begins hours before all else. An empty one
 * may where times are rounded. */
static const struct stretches *unfilled(const struct plausible_times *p)
{
    static const struct stretches none = {0};
    if (p->before_origin || !p->hole_ns)
        return &none;
    if (p->hole_ns >= NS_PER_HOUR)
        return &p->at_origin;
    return p->hole_ns >= (p->facts.time_error_ns ? NS_PER_S : NS_PER_US) ? &p->empty_at_origin : &none;
}

int plausible_times_finish(struct plausible_times *p, struct err *e)
{
    return serial_lanes_finish(&p->lanes, e);
}

bool plausible_times_is_suspicious(const struct plausible_times *p)
{
    return p->backwards.count || p->clusters.count > 1 || unfilled(p)->count || p->lanes.found.count ||
           p->lanes.is_full || p->early.ids.count || p->early.is_full;
}

/* ---- what is wrong ---- */

static int mark(struct plausible_times *p, struct event_spool *events, const struct stretch *rows, enum reason why,
                struct err *e)
{
    struct told *told = &p->told[why];
    if (!told->rows)
        told->first = rows->first;
    told->rows += rows->to - rows->from;
    const bool is_kept = why == EARLY || why == NO_STREAM;
    return event_spool_mark(events, rows->from, rows->to, is_kept ? EVENT_IS_DOUBTFUL : EVENT_IS_FALSE, e);
}

static int mark_unfilled(struct plausible_times *p, struct event_spool *events, struct err *e)
{
    const struct stretches *list = unfilled(p);
    int rc = 0;
    for (size_t i = 0; !rc && i < list->count; i++)
        rc = mark(p, events, &list->items[i], NEVER_FILLED, e);
    return rc;
}

static bool is_at_origin(const struct plausible_times *p, const struct cluster *c)
{
    return c->first.start_ns == p->facts.origin_ns && c->last_start_ns == p->facts.origin_ns;
}

/* The cluster with most rows is the recording, unless all of it is at the origin. */
static const struct cluster *recording(const struct plausible_times *p)
{
    const struct cluster *most = NULL;
    for (size_t i = 0; i < p->clusters.count; i++) {
        const struct cluster *c = &p->clusters.items[i];
        if ((!is_at_origin(p, c) || p->clusters.count == 1) && (!most || c->rows >= most->rows))
            most = c;
    }
    return most;
}

/* Is it told already, as the recording is elsewhere? */
static bool is_far(const struct plausible_times *p, const struct cpprof_event *event)
{
    const struct cluster *right = recording(p);
    return event->start_ns < right->first.start_ns || event->start_ns > right->last_start_ns ||
           (event->start_ns == p->facts.origin_ns && unfilled(p) == &p->at_origin);
}

static int mark_far(struct plausible_times *p, struct event_spool *events, struct err *e)
{
    const struct cluster *right = recording(p);
    int rc = 0;
    for (size_t i = 0; !rc && i < p->clusters.count; i++) {
        const struct cluster *c = &p->clusters.items[i];
        const struct stretch rows = {.from = c->place, .to = c->place + c->rows, .first = c->first};
        if (c != right)
            rc = mark(p, events, &rows, NEVER_FILLED, e);
    }
    /* Those at the origin are a cluster of their own where the hole is that long. */
    return rc || p->hole_ns >= APART_NS ? rc : mark_unfilled(p, events, e);
}

static int mark_backwards(struct plausible_times *p, struct event_spool *events, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < p->backwards.count; i++)
        if (!is_far(p, &p->backwards.items[i].first))
            rc = mark(p, events, &p->backwards.items[i], BACKWARDS, e);
    return rc;
}

static int mark_across(struct plausible_times *p, struct event_spool *events, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < p->lanes.found.count; i++) {
        const struct lane_found *found = &p->lanes.found.items[i];
        const enum reason why = serial_lanes_is_no_stream(&p->lanes, found->lane) ? NO_STREAM : ACROSS;
        const struct stretch row = {.from = found->work.place, .to = found->work.place + 1, .first = found->work.event};
        if (is_far(p, &row.first))
            continue;
        if (!p->told[why].rows)
            p->told[why].measure = found->work.inside;
        rc = mark(p, events, &row, why, e);
    }
    return rc;
}

static int mark_early(struct plausible_times *p, struct event_spool *events, struct err *e)
{
    int rc = 0;
    early_work_decide(&p->early, p->facts.time_error_ns);
    for (size_t i = 0; !rc && i < p->early.rows.count; i++) {
        const struct early_row *row = &p->early.rows.items[i];
        const struct stretch one = {.from = row->place, .to = row->place + 1, .first = row->event};
        if (!i)
            p->told[EARLY].measure = early_work_call_ns(&p->early, &row->event) - row->event.start_ns;
        rc = mark(p, events, &one, EARLY, e);
    }
    return rc;
}

/* A second pass, which sees what is false: early work, and in which streams rows are false. */
static int look_again(struct plausible_times *p, struct event_spool *events, struct err *e)
{
    struct cpprof_event event;
    early_work_begin_again(&p->early);
    int rc = event_spool_rewind(events, e);
    for (int64_t place = 0; !rc && (rc = event_spool_next(events, &event, e)) == 1; place++)
        rc = event.flags & (EVENT_IS_FALSE | EVENT_IS_DOUBTFUL) ? serial_lanes_doubt(&p->lanes, &event, e)
                                                                : early_work_look(&p->early, &event, place, e);
    return rc ? rc : mark_early(p, events, e);
}

/* A third one: what else is in these streams. */
static int mark_streams(struct plausible_times *p, struct event_spool *events, struct err *e)
{
    struct cpprof_event event;
    struct stretches doubtful = {0};
    int rc = 0;
    for (size_t i = 0; !rc && i < p->early.rows.count; i++)
        rc = serial_lanes_doubt(&p->lanes, &p->early.rows.items[i].event, e);
    if (!rc)
        rc = event_spool_rewind(events, e);
    for (int64_t place = 0; !rc && (rc = event_spool_next(events, &event, e)) == 1; place++) {
        const bool is_marked = event.flags & (EVENT_IS_FALSE | EVENT_IS_DOUBTFUL);
        rc = is_marked || !serial_lanes_is_doubtful(&p->lanes, &event) ? 0 : add_row(&doubtful, &event, place, e);
    }
    for (size_t i = 0; !rc && i < doubtful.count; i++)
        rc = event_spool_mark(events, doubtful.items[i].from, doubtful.items[i].to, EVENT_IS_DOUBTFUL, e);
    free(doubtful.items);
    return rc;
}

/* ---- what is said ---- */

static const char *describe_kind(const struct cpprof_event *event)
{
    static const char *const kinds[] = {
        [CPPROF_EVENT_KERNEL] = "kernel", [CPPROF_EVENT_API] = "call",          [CPPROF_EVENT_SYNC] = "wait",
        [CPPROF_EVENT_RANGE] = "range",   [CPPROF_EVENT_OVERHEAD] = "overhead",
    };
    const char *kind = event->kind < COUNT_OF(kinds) ? kinds[event->kind] : NULL;
    return kind ? kind : event_transfer_name(event);
}

/* "kernel 'gemm' at 1700000000000010000 ns", and the name of a kernel may be long. */
static void write_row(const struct plausible_times *p, const struct cpprof_event *event, const struct strtab *strings,
                      struct str *out)
{
    enum { NAME_BYTES = 80 };
    const char *name = event->name ? strtab_text(strings, event->name) : "";
    const int64_t start_ns = event->start_ns == p->facts.origin_ns ? 0 : event->start_ns; /* as the file has it */
    str_addf(out, "%s '%.*s' at %" PRId64 " ns", describe_kind(event), NAME_BYTES, name, start_ns);
}

/* Times are within 73 years, so differences fit. */
static void write_measure(const struct told *told, enum reason why, struct str *out)
{
    char text[UNITS_TEXT_BYTES];
    const struct cpprof_event *first = &told->first;
    if (why == BACKWARDS)
        str_addf(out, ", which ends %s before that",
                 unit_format(text, UNIT_NS, (double)(first->start_ns - first->end_ns)));
    if (why == ACROSS || why == NO_STREAM)
        str_addf(out, ", which lasts %s, across %" PRId64 " kernels",
                 unit_format(text, UNIT_NS, (double)(first->end_ns - first->start_ns)), told->measure);
    if (why == EARLY)
        str_addf(out, ", %s before its call", unit_format(text, UNIT_NS, (double)told->measure));
}

static int tell(const struct plausible_times *p, enum reason why, const struct strtab *strings,
                struct caveat_list *caveats, struct err *e)
{
    static const char *const sentences[REASONS] = {
        [NEVER_FILLED] = "rows whose time was never filled in (0, or years from all others), which are left out",
        [BACKWARDS] = "rows that end before they begin, which are left out",
        [ACROSS] = "rows that last across later kernels of their own stream, which cannot be, and are left out",
        [NO_STREAM] = "rows that last across later kernels of their own stream, so many that it is no stream or its "
                      "times are false",
        [EARLY] = "rows of work that begins before the call that started it, so that clocks differ or times are false",
    };
    const struct told *told = &p->told[why];
    struct str text;
    if (!told->rows)
        return 0;
    str_init(&text);
    str_addf(&text, "%s: %s: %" PRId64 "; the first is ", p->facts.path, sentences[why], told->rows);
    write_row(p, &told->first, strings, &text);
    write_measure(told, why, &text);
    const int rc = text.failed ? err_memory(e) : caveat_add(caveats, CAVEAT_TIMES, e, "%s", str_text(&text));
    str_release(&text);
    return rc;
}

static int tell_all(const struct plausible_times *p, const struct strtab *strings, struct caveat_list *caveats,
                    struct err *e)
{
    int rc = 0;
    for (enum reason why = 0; !rc && why < REASONS; why++)
        rc = tell(p, why, strings, caveats, e);
    if (!rc && p->early.is_full)
        rc = caveat_add(caveats, CAVEAT_WEAKENS, e,
                        "%s: too many correlation ids to see of all work whether it begins before its call",
                        p->facts.path);
    if (!rc && p->lanes.is_full)
        rc = caveat_add(caveats, CAVEAT_WEAKENS, e,
                        "%s: too many streams, or rows that last across others, to find all that do", p->facts.path);
    return rc;
}

static int take_all(struct plausible_times *p, struct event_spool *events, struct err *e)
{
    struct cpprof_event event;
    int rc = event_spool_rewind(events, e);
    while (!rc && (rc = event_spool_next(events, &event, e)) == 1)
        rc = plausible_times_take(p, &event, e);
    return rc ? rc : plausible_times_finish(p, e);
}

int plausible_times_judge(struct event_spool *events, const struct plausible_facts *facts, const struct strtab *strings,
                          struct caveat_list *caveats, struct err *e)
{
    struct plausible_times *p;
    int rc = plausible_times_new(&p, facts, e);
    if (!rc)
        rc = take_all(p, events, e);
    if (!rc && plausible_times_is_suspicious(p)) {
        rc = mark_far(p, events, e);
        if (!rc)
            rc = mark_backwards(p, events, e);
        if (!rc)
            rc = mark_across(p, events, e);
        if (!rc)
            rc = look_again(p, events, e);
        if (!rc && p->facts.has_streams)
            rc = mark_streams(p, events, e);
        if (!rc)
            rc = tell_all(p, strings, caveats, e);
    }
    plausible_times_free(p);
    return rc;
}
