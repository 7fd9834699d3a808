/* Which samples are those of a kernel alone, and what do its units do in them? */
#include "analyzers/capture/kernel_windows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/capture/window_bound.h"
#include "analyzers/capture/window_edges.h"
#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/base/count_sum.h"
#include "core/base/demangle.h"
#include "core/base/key_table.h"
#include "core/base/str.h"
#include "core/stats/statistics.h"
#include "core/trace/duration_groups.h"
#include "core/trace/event_work.h"
#include "core/trace/resumptions.h"
#include "core/trace/selector.h"
#include "core/trace/short_names.h"

/* Stamps of samples and of records are of one clock, to within this (0.5 us on an H100). */
static const int64_t clock_room_ns = 1000;

/* A launch counts if no more of it than this runs beside other work. */
static const double overlapped_max = 0.1;

/* Above these shares of samples that contradict the records, the device's samples are doubted. */
static const double idle_active_max = 0.05, inside_idle_max = 0.01;
enum { DOUBT_SAMPLES_MIN = 20 };

/* n: what was counted, d: the time of the kernel that is covered. From the sums of their squares follows the error of
 * sum n / sum d. */
struct ratio_sums {
    double n, d, nn, nd, dd;
    int64_t count;
};

static void ratio_add(struct ratio_sums *r, double n, double d)
{
    r->n += n;
    r->d += d;
    r->nn += n * n;
    r->nd += n * d;
    r->dd += d * d;
    r->count++;
}

static double ratio_error(const struct ratio_sums *r)
{
    const double ratio = r->n / r->d, k = (double)r->count;
    const double squares = r->nn - 2 * ratio * r->nd + ratio * ratio * r->dd;
    return r->count < 2 ? (double)NAN : sqrt(fmax(0, squares) * k / (k - 1)) / r->d;
}

/* n and d of one launch or burst. */
struct part_sums {
    double n, d;
};

struct kernel_sums {
    struct ratio_sums by_sample[SAMPLED_UNIT_COUNT], by_launch[SAMPLED_UNIT_COUNT], by_burst[SAMPLED_UNIT_COUNT];
    struct part_sums of_burst[SAMPLED_UNIT_COUNT]; /* of the one that goes on */
    struct part_sums of_edges[SAMPLED_UNIT_COUNT]; /* parts of samples between two kernels */
    int64_t burst;                                 /* its number; 0: none began */
    int64_t edges;                                 /* begins and ends of launches that samples show */
    double launched_ns, overlapped_ns;             /* of launches with samples: their time, and beside other work */
    double taken_ns;                               /* the time of all samples */
};

static void add_part(struct ratio_sums *all, const struct part_sums *part, int unit)
{
    if (part[unit].d > 0)
        ratio_add(&all[unit], part[unit].n, part[unit].d);
}

static void end_burst(struct kernel_sums *sums)
{
    for (int unit = 0; unit < SAMPLED_UNIT_COUNT; unit++)
        add_part(sums->by_burst, sums->of_burst, unit);
    memset(sums->of_burst, 0, sizeof sums->of_burst);
}

/* The latest work on a device, which is judged when the next one begins. */
struct piece {
    bool is_there, is_kernel;
    size_t kernel;
    int64_t start_ns, end_ns;
    int64_t before_ns; /* when all earlier work had ended */
    bool is_alone;     /* since it was judged: hardly any other work ran beside it */
};

struct device_state {
    int device;
    bool is_sampled, has_sample, is_disordered;
    struct gpu_sample_cursor cursor;
    struct gpu_sample sample;   /* the next one */
    struct piece last, earlier; /* earlier: before the last one, and judged */
    int64_t burst;              /* the number of that sample's; no time is missing in one */
    int64_t first_ns, busy_until_ns;
    int64_t idle_samples, idle_active, inside_samples, inside_idle;
};

struct cutting {
    struct kernel_windows *out;
    const struct kernel_rates *rates; /* of each kernel, from a first pass; NULL: this is it */
    size_t rate_count;
    const struct gpu_samples *samples;
    const struct resumptions *resumptions;
    struct selector *communication;
    struct key_table keys;
    ARRAY_OF(size_t) kernel_of_key; /* plus one; 0: none */
    ARRAY_OF(struct kernel_window) kernels;
    ARRAY_OF(struct kernel_sums) sums;
    ARRAY_OF(struct device_state) devices;
};

/* ---- samples ---- */

/* Ends and begins are stamps of their own, which can cross by some nanoseconds. */
static void next_sample(struct device_state *d)
{
    const bool had_sample = d->has_sample;
    const int64_t last_ns = d->sample.end_ns;
    d->has_sample = gpu_samples_next(&d->cursor, &d->sample);
    d->is_disordered |= had_sample && d->has_sample && d->sample.begin_ns < last_ns - clock_room_ns;
    d->burst += !had_sample || d->sample.begin_ns - last_ns > d->sample.end_ns - d->sample.begin_ns;
}

static bool is_active(const struct gpu_sample *s)
{
    return s->shares[SAMPLED_ACTIVE] > 0;
}

static void count_idle(struct device_state *d, int64_t from_ns, int64_t to_ns)
{
    if (isnan(d->sample.shares[SAMPLED_ACTIVE]) || d->sample.begin_ns - clock_room_ns < from_ns ||
        d->sample.end_ns > to_ns - clock_room_ns)
        return;
    d->idle_samples++;
    d->idle_active += is_active(&d->sample);
}

static void count_inside(struct device_state *d, const struct piece *p)
{
    if (isnan(d->sample.shares[SAMPLED_ACTIVE]) || d->sample.begin_ns < p->start_ns + clock_room_ns ||
        d->sample.end_ns > p->end_ns - clock_room_ns)
        return;
    d->inside_samples++;
    d->inside_idle += !is_active(&d->sample);
}

static int64_t covered_ns(const struct gpu_sample *s, const struct piece *p)
{
    const int64_t from_ns = s->begin_ns > p->start_ns ? s->begin_ns : p->start_ns;
    const int64_t to_ns = s->end_ns < p->end_ns ? s->end_ns : p->end_ns;
    return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* ---- launches ---- */

static void add_sample(struct cutting *c, struct device_state *d, double covered, struct part_sums *of_launch)
{
    struct kernel_sums *sums = &c->sums.items[d->last.kernel];
    struct kernel_window *k = &c->kernels.items[d->last.kernel];
    const double taken = (double)(d->sample.end_ns - d->sample.begin_ns);
    if (sums->burst != d->burst) {
        end_burst(sums);
        sums->burst = d->burst;
        k->bursts++;
    }
    k->samples++;
    k->covered_ns += covered;
    sums->taken_ns += taken;
    sums->edges += d->sample.begin_ns <= d->last.start_ns;
    sums->edges += d->sample.end_ns >= d->last.end_ns;
    for (int unit = 0; unit < SAMPLED_UNIT_COUNT; unit++) {
        const double share = d->sample.shares[unit];
        if (isnan(share))
            continue;
        ratio_add(&sums->by_sample[unit], share * taken, covered);
        of_launch[unit].n += share * taken;
        of_launch[unit].d += covered;
        sums->of_burst[unit].n += share * taken;
        sums->of_burst[unit].d += covered;
    }
    count_inside(d, &d->last);
}

/* A launch without samples adds nothing. */
static void add_launch(struct cutting *c, const struct piece *p, int64_t beside_ns, const struct part_sums *of_launch)
{
    struct kernel_sums *sums = &c->sums.items[p->kernel];
    for (int unit = 0; unit < SAMPLED_UNIT_COUNT; unit++)
        add_part(sums->by_launch, of_launch, unit);
    sums->launched_ns += (double)duration_ns(p->start_ns, p->end_ns);
    sums->overlapped_ns += (double)beside_ns;
    c->kernels.items[p->kernel].sampled_launches++;
}

/* How much of a launch other work runs beside, at its begin or end: kernels of one stream may overlap there. */
static int64_t overlapped_ns(const struct piece *p, int64_t next_ns)
{
    const int64_t from_ns = p->before_ns > p->start_ns ? p->before_ns : p->start_ns;
    const int64_t to_ns = next_ns < p->end_ns ? next_ns : p->end_ns;
    return duration_ns(p->start_ns, p->end_ns) - (to_ns > from_ns ? to_ns - from_ns : 0);
}

/* A sample keeps away from other work, as the two clocks may differ. */
static int64_t behind(int64_t ns)
{
    return ns > INT64_MIN && ns < INT64_MAX ? ns + clock_room_ns : ns;
}

static int64_t in_front(int64_t ns)
{
    return ns < INT64_MAX ? ns - clock_room_ns : ns;
}

/* Adds to the share alone: a kernel has no more samples by that, and its error is as large. */
static void add_edge(struct kernel_sums *sums, int unit, double n, double covered)
{
    sums->of_edges[unit].n += n;
    sums->of_edges[unit].d += covered;
}

static bool is_kernel_alone(const struct cutting *c, const struct piece *p)
{
    return p->is_there && p->is_kernel && p->is_alone && p->kernel < c->rate_count;
}

/* A sample too near to the end of the earlier kernel to be the last one's alone, where nothing else is in it. Without
 * such samples the begin and the end of launches, where SMs fill and drain, would be missing in shares. */
static void share_edge(struct cutting *c, const struct device_state *d, int64_t next_ns)
{
    const struct piece *earlier = &d->earlier, *last = &d->last;
    const struct gpu_sample *s = &d->sample;
    if (!is_kernel_alone(c, earlier) || !is_kernel_alone(c, last) || earlier->end_ns != last->before_ns ||
        s->begin_ns < earlier->before_ns || s->end_ns > next_ns)
        return;
    const double earlier_ns = (double)covered_ns(s, earlier), last_ns = (double)covered_ns(s, last);
    for (int unit = 0; unit < SAMPLED_UNIT_COUNT && earlier_ns + last_ns > 0; unit++) {
        const double n = s->shares[unit] * (double)(s->end_ns - s->begin_ns);
        const double part = window_edge_part(c->rates[earlier->kernel].shares[unit], earlier_ns,
                                             c->rates[last->kernel].shares[unit], last_ns);
        if (isnan(n) || isnan(part))
            continue;
        add_edge(&c->sums.items[earlier->kernel], unit, n * part, earlier_ns);
        add_edge(&c->sums.items[last->kernel], unit, n * (1 - part), last_ns);
    }
}

/* Hands out the samples between the end of earlier work and the begin of the next: all of them hold the last piece of
 * work or nothing. */
static void judge_last(struct cutting *c, struct device_state *d, int64_t next_ns)
{
    struct part_sums of_launch[SAMPLED_UNIT_COUNT] = {{0}};
    struct piece *p = &d->last;
    if (!p->is_there)
        return;
    const int64_t beside_ns = overlapped_ns(p, next_ns);
    p->is_alone = (double)beside_ns <= overlapped_max * (double)duration_ns(p->start_ns, p->end_ns);
    if (p->is_kernel && p->is_alone)
        c->kernels.items[p->kernel].alone++;
    int64_t samples = 0;
    for (; d->has_sample && d->sample.begin_ns < behind(p->before_ns); next_sample(d))
        share_edge(c, d, next_ns);
    for (; d->has_sample && d->sample.end_ns <= in_front(next_ns); next_sample(d)) {
        const int64_t covered = covered_ns(&d->sample, p);
        if (covered && p->is_kernel && p->is_alone) {
            add_sample(c, d, (double)covered, of_launch);
            samples++;
        } else if (!covered && d->sample.end_ns <= p->start_ns)
            count_idle(d, p->before_ns, p->start_ns);
        else if (!covered)
            count_idle(d, p->end_ns > p->before_ns ? p->end_ns : p->before_ns, next_ns);
    }
    if (samples)
        add_launch(c, p, beside_ns, of_launch);
}

/* ---- kernels ---- */

static uint32_t key_of(struct cutting *c, const struct cpprof_event *event)
{
    const uint32_t parts[] = {event->grid[0], event->grid[1], event->grid[2],
                              event->block[0] | (uint32_t)event->block[1] << 16, event->block[2]};
    uint32_t key = key_table_add(&c->keys, -2 - event->device, event->name); /* below 0, which no key is */
    for (size_t i = 0; i < COUNT_OF(parts) && key; i++)
        key = key_table_add(&c->keys, (int32_t)key, parts[i]);
    return key;
}

static int new_kernel(struct cutting *c, const struct cpprof_event *event, struct err *e)
{
    struct kernel_window *k = ARRAY_PUSH(&c->kernels);
    if (!k || !ARRAY_PUSH(&c->sums))
        return err_memory(e);
    k->device = event->device;
    k->symbol = event->name;
    k->communicates = selector_match(c->communication, event);
    for (int i = 0; i < 3; i++) {
        k->grid[i] = event->grid[i];
        k->block[i] = event->block[i];
    }
    return 0;
}

/* Gives the index of the event's kernel; SIZE_MAX when there are too many. */
static int find_kernel(struct cutting *c, const struct cpprof_event *event, size_t *index, struct err *e)
{
    const uint32_t key = key_of(c, event);
    if (!key)
        return err_memory(e);
    while (c->kernel_of_key.count <= key)
        if (!ARRAY_PUSH(&c->kernel_of_key))
            return err_memory(e);
    int rc = 0;
    *index = SIZE_MAX;
    if (!c->kernel_of_key.items[key] && c->kernels.count < KERNEL_WINDOWS_MAX) {
        rc = new_kernel(c, event, e);
        c->kernel_of_key.items[key] = c->kernels.count;
    }
    if (!rc && c->kernel_of_key.items[key])
        *index = c->kernel_of_key.items[key] - 1;
    return rc;
}

static int take_kernel(struct cutting *c, const struct cpprof_event *event, struct piece *p, struct err *e)
{
    int rc = find_kernel(c, event, &p->kernel, e);
    if (rc || p->kernel == SIZE_MAX) {
        c->out->left_out += !rc;
        return rc;
    }
    struct kernel_window *k = &c->kernels.items[p->kernel];
    k->launches++;
    if (event->flags & CPPROF_EVENT_UNFINISHED)
        return 0;
    k->finished++;
    count_add(&k->total_ns, duration_ns(event->start_ns, event->end_ns));
    p->is_kernel = !(event->flags & CPPROF_EVENT_WHOLE_GRAPH);
    return 0;
}

/* ---- devices ---- */

static struct device_state *device_of(struct cutting *c, int device)
{
    for (size_t i = 0; i < c->devices.count; i++)
        if (c->devices.items[i].device == device)
            return &c->devices.items[i];
    struct device_state *d = ARRAY_PUSH(&c->devices);
    if (!d)
        return NULL;
    d->device = device;
    d->cursor = (struct gpu_sample_cursor){.samples = c->samples, .device = device};
    d->first_ns = d->busy_until_ns = INT64_MIN;
    next_sample(d);
    d->is_sampled = d->has_sample;
    return d;
}

static int take_event(struct cutting *c, const struct cpprof_event *event, struct err *e)
{
    if (!event_is_gpu_work(event))
        return 0;
    struct device_state *d = device_of(c, event->device);
    struct piece piece = {.is_there = true, .start_ns = event->start_ns, .end_ns = event->end_ns};
    if (!d)
        return err_memory(e);
    if (event->flags & CPPROF_EVENT_UNFINISHED)
        piece.end_ns = INT64_MAX;
    const int rc = event->kind == CPPROF_EVENT_KERNEL ? take_kernel(c, event, &piece, e) : 0;
    const bool is_resumed = resumptions_within(c->resumptions, event->rank, d->busy_until_ns, event->start_ns);
    judge_last(c, d, is_resumed ? d->busy_until_ns : event->start_ns);
    piece.before_ns = is_resumed ? event->start_ns : d->busy_until_ns;
    d->earlier = d->last;
    d->last = piece;
    if (d->first_ns == INT64_MIN)
        d->first_ns = event->start_ns;
    if (piece.end_ns > d->busy_until_ns)
        d->busy_until_ns = piece.end_ns;
    return rc;
}

static int take_events(struct cutting *c, struct event_stream *stream, struct err *e)
{
    struct cpprof_event event;
    int got, rc = event_stream_rewind(stream, e);
    while (!rc && (got = event_stream_next(stream, &event, e)))
        rc = got < 0 ? got : take_event(c, &event, e);
    for (size_t i = 0; i < c->devices.count && !rc; i++) {
        struct device_state *d = &c->devices.items[i];
        judge_last(c, d, c->resumptions->count ? d->busy_until_ns : INT64_MAX);
        while (d->has_sample)
            next_sample(d);
    }
    return rc;
}

/* ---- two passes ---- */

static void release(struct cutting *c)
{
    key_table_release(&c->keys);
    free(c->kernel_of_key.items);
    free(c->kernels.items);
    free(c->sums.items);
    free(c->devices.items);
}

/* The first pass has the rates of kernels alone; by them the second one shares the samples between two kernels. */
static int cut(struct cutting *c, struct event_stream *stream, struct err *e)
{
    const struct cutting fresh = *c;
    struct kernel_rates *rates = NULL;
    int rc = take_events(c, stream, e);
    if (rc || !c->samples->count)
        return rc;
    rates = calloc(c->kernels.count + 1, sizeof *rates);
    if (!rates)
        return err_memory(e);
    for (size_t i = 0; i < c->kernels.count; i++)
        for (int unit = 0; unit < SAMPLED_UNIT_COUNT; unit++) {
            const struct ratio_sums *r = &c->sums.items[i].by_sample[unit];
            rates[i].shares[unit] = r->count >= WINDOW_SAMPLES_MIN ? r->n / r->d : (double)NAN;
        }
    const size_t rate_count = c->kernels.count;
    release(c);
    *c = fresh;
    c->rates = rates;
    c->rate_count = rate_count;
    c->out->left_out = 0;
    rc = take_events(c, stream, e);
    c->rates = NULL;
    free(rates);
    return rc;
}

/* ---- what follows ---- */

static double share_of(int64_t part, int64_t whole)
{
    return whole ? (double)part / (double)whole : (double)NAN;
}

static enum kernel_window_reason doubt_of(const struct device_state *d, const struct sampled_device *s)
{
    if (d->is_disordered || (s->inside_samples >= DOUBT_SAMPLES_MIN && s->inside_idle > inside_idle_max))
        return WINDOW_CLOCKS_DISAGREE;
    return s->idle_samples >= DOUBT_SAMPLES_MIN && s->idle_active > idle_active_max ? WINDOW_OTHER_WORK
                                                                                    : WINDOW_NO_REASON;
}

static void describe_samples(const struct gpu_samples *samples, struct sampled_device *s)
{
    struct gpu_sample_cursor cursor = {.samples = samples, .device = s->device};
    struct gpu_sample sample;
    int64_t first_ns = 0, last_ns = 0;
    while (gpu_samples_next(&cursor, &sample)) {
        if (!s->samples++)
            first_ns = last_ns = sample.begin_ns;
        s->sampled_ns += sample.end_ns - sample.begin_ns;
        last_ns = sample.end_ns > last_ns ? sample.end_ns : last_ns;
    }
    s->span_ns = last_ns - first_ns;
    s->step_ns = s->samples ? s->sampled_ns / s->samples : 0;
}

static int add_devices(const struct cutting *c, struct err *e)
{
    struct kernel_windows *w = c->out;
    w->devices = calloc(c->devices.count + 1, sizeof *w->devices);
    if (!w->devices)
        return err_memory(e);
    for (size_t i = 0; i < c->devices.count; i++) {
        const struct device_state *d = &c->devices.items[i];
        struct sampled_device *s = &w->devices[w->device_count];
        if (!d->is_sampled)
            continue;
        *s = (struct sampled_device){.device = d->device,
                                     .idle_samples = d->idle_samples,
                                     .idle_active = share_of(d->idle_active, d->idle_samples),
                                     .inside_samples = d->inside_samples,
                                     .inside_idle = share_of(d->inside_idle, d->inside_samples)};
        describe_samples(c->samples, s);
        s->doubt = doubt_of(d, s);
        w->device_count++;
    }
    return 0;
}

static const struct sampled_device *sampled_device(const struct kernel_windows *w, int device)
{
    for (size_t i = 0; i < w->device_count; i++)
        if (w->devices[i].device == device)
            return &w->devices[i];
    return NULL;
}

/* So far may a ratio of so few parts be off. */
static double spread_of(const struct ratio_sums *r)
{
    return r->count < 2 ? (double)NAN : student_t_quantile(0.975, (double)(r->count - 1)) * ratio_error(r);
}

/* The part of a launch that samples do not show, where others adjoin or overlap it. */
static double hidden_part(const struct kernel_window *k, const struct kernel_sums *sums)
{
    const double step_ns = sums->taken_ns / (double)k->samples, launch_ns = (double)k->total_ns / (double)k->finished;
    const double shown = (double)sums->edges / (2 * (double)k->sampled_launches);
    return fmin(1, step_ns / launch_ns) * fmax(0, 1 - shown) + sums->overlapped_ns / sums->launched_ns;
}

static void fill_units(struct kernel_window *k, struct kernel_sums *sums)
{
    end_burst(sums);
    for (int unit = 0; unit < SAMPLED_UNIT_COUNT; unit++) {
        const struct ratio_sums *r = &sums->by_sample[unit], *launches = &sums->by_launch[unit],
                                *bursts = &sums->by_burst[unit];
        const struct part_sums *edges = &sums->of_edges[unit];
        const bool is_known = r->count >= WINDOW_SAMPLES_MIN;
        struct window_unit *u = &k->units[unit];
        *u = (struct window_unit){.unit = sampled_unit((enum sampled_unit_id)unit)->id,
                                  .share = is_known ? (r->n + edges->n) / (r->d + edges->d) : (double)NAN,
                                  .standard_error = NAN,
                                  .error = NAN};
        if (!is_known)
            continue;
        u->standard_error = fmax(ratio_error(r), fmax(ratio_error(launches), ratio_error(bursts)));
        u->error = fmax(spread_of(r), fmax(spread_of(launches), spread_of(bursts)));
        u->error = fmax(u->error, fmax(window_error_least(u->share, r->count), u->share * hidden_part(k, sums)));
    }
    const double launch_s = (double)k->total_ns / (double)k->finished / 1e9;
    k->sent_bytes = k->units[SAMPLED_LINK_DATA_SENT].share * SAMPLED_BYTES_PER_S * launch_s;
    k->received_bytes = k->units[SAMPLED_LINK_DATA_RECEIVED].share * SAMPLED_BYTES_PER_S * launch_s;
}

static double device_span_ns(struct cutting *c, int device)
{
    const struct device_state *d = device_of(c, device);
    return d && d->busy_until_ns < INT64_MAX ? (double)(d->busy_until_ns - d->first_ns) : (double)NAN;
}

static int find_name(struct kernel_window *k, const struct event_stream *stream, struct short_names *names,
                     struct err *e)
{
    const char *text = strtab_text(event_stream_strings(stream), k->symbol);
    struct str full;
    str_init(&full);
    demangle_full(&full, *text ? text : "(no name)");
    k->name = full.failed ? 0 : short_names_add(names, str_text(&full));
    str_release(&full);
    return k->name ? 0 : err_memory(e);
}

/* These thresholds are those of every chip. */
static void conclude(struct cutting *c, bool is_whole)
{
    struct thresholds thresholds;
    thresholds_resolve(&thresholds, NULL, NULL);
    for (size_t i = 0; i < c->kernels.count; i++) {
        struct kernel_window *k = &c->kernels.items[i];
        const struct sampled_device *s = sampled_device(c->out, k->device);
        k->device_share = (double)k->total_ns / device_span_ns(c, k->device);
        fill_units(k, &c->sums.items[i]);
        window_bound_decide(k, &thresholds,
                            !s          ? WINDOW_DEVICE_NOT_SAMPLED
                            : !is_whole ? WINDOW_RECORDS_MISSING
                                        : s->doubt);
    }
}

static int by_sizes(const int64_t a[3], const int64_t b[3])
{
    for (int i = 0; i < 3; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int by_time(const void *left, const void *right)
{
    const struct kernel_window *a = left, *b = right;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    const int grids = by_sizes(a->grid, b->grid);
    if (a->name != b->name)
        return a->name < b->name ? -1 : 1;
    return grids ? grids : by_sizes(a->block, b->block);
}

static int by_name(const void *left, const void *right)
{
    const struct kernel_window *const *a = left, *const *b = right;
    return (*a)->name < (*b)->name ? -1 : (*a)->name > (*b)->name;
}

static int note_shared_names(struct kernel_windows *w, struct err *e)
{
    struct kernel_window **sorted = malloc((w->kernel_count + 1) * sizeof *sorted);
    if (!sorted)
        return err_memory(e);
    for (size_t i = 0; i < w->kernel_count; i++)
        sorted[i] = &w->kernels[i];
    if (w->kernel_count)
        qsort(sorted, w->kernel_count, sizeof *sorted, by_name);
    for (size_t i = 1; i < w->kernel_count; i++)
        if (sorted[i - 1]->name == sorted[i]->name)
            sorted[i - 1]->shares_name = sorted[i]->shares_name = true;
    free(sorted);
    return 0;
}

int kernel_windows_measure(struct kernel_windows *w, struct event_stream *stream, const struct gpu_samples *samples,
                           struct short_names *names, bool is_whole, struct err *e)
{
    struct cutting c = {.out = w, .samples = samples, .resumptions = event_stream_resumptions(stream)};
    int rc = selector_new(&c.communication, CLASS_COMM, e);
    if (!rc)
        rc = selector_bind(c.communication, stream, e);
    if (!rc)
        rc = cut(&c, stream, e);
    if (!rc)
        rc = add_devices(&c, e);
    for (size_t i = 0; i < c.kernels.count && !rc; i++)
        rc = find_name(&c.kernels.items[i], stream, names, e);
    if (!rc) {
        conclude(&c, is_whole);
        w->kernels = c.kernels.items;
        w->kernel_count = c.kernels.count;
        if (w->kernel_count)
            qsort(w->kernels, w->kernel_count, sizeof *w->kernels, by_time);
        rc = note_shared_names(w, e);
        c.kernels.items = NULL;
    }
    selector_free(c.communication);
    release(&c);
    return rc;
}

static void add_sizes(struct str *out, const int64_t sizes[3])
{
    const int shown = sizes[2] > 1 ? 3 : sizes[1] > 1 ? 2 : 1;
    for (int i = 0; i < shown; i++)
        str_addf(out, "%s%lld", i ? "x" : " ", (long long)sizes[i]);
}

void kernel_window_add_name(struct str *out, const struct kernel_window *k, const struct short_names *names)
{
    str_add(out, short_names_text(names, k->name));
    kernel_window_add_sizes(out, k);
}

void kernel_window_add_sizes(struct str *out, const struct kernel_window *k)
{
    if (!k->shares_name || k->grid[0] < 1) /* missing */
        return;
    add_sizes(out, k->grid);
    add_sizes(out, k->block);
}

/* Never 0 for two kernels. */
static int compare_headroom(const struct kernel_window *a, const struct kernel_window *b)
{
    const double of[][2] = {{a->headroom_ns, b->headroom_ns}, {a->headroom_most_ns, b->headroom_most_ns}};
    for (int i = 0; i < 2; i++) {
        if (isnan(of[i][0]) != isnan(of[i][1]))
            return isnan(of[i][0]) ? 1 : -1;
        if (of[i][0] > of[i][1] || of[i][0] < of[i][1])
            return of[i][0] > of[i][1] ? -1 : 1;
    }
    return a < b ? -1 : a > b; /* the list has most time first */
}

const struct kernel_window *kernel_windows_next(const struct kernel_windows *w, const struct kernel_window *before)
{
    const struct kernel_window *next = NULL;
    for (size_t i = 0; i < w->kernel_count; i++) {
        const struct kernel_window *k = &w->kernels[i];
        if (!before || compare_headroom(before, k) < 0)
            next = !next || compare_headroom(k, next) < 0 ? k : next;
    }
    return next;
}

const struct kernel_window *kernel_windows_most_headroom(const struct kernel_windows *w)
{
    const struct kernel_window *most = NULL;
    for (size_t i = 0; i < w->kernel_count; i++)
        if (w->kernels[i].headroom_ns > (most ? most->headroom_ns : 0)) /* never for NAN */
            most = &w->kernels[i];
    return most;
}

void kernel_windows_release(struct kernel_windows *w)
{
    free(w->kernels);
    free(w->devices);
    *w = (struct kernel_windows){0};
}
