/* What would the program gain from kernels that leave no headroom, from copies that take no time, from a host that is
 * never late? */
#include "analyzers/capture/program_gains.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>

#include "core/base/pattern.h"

static const struct bounded unknown = {NAN, NAN, NAN};

/* Rows of one expression follow one another, a row for each process. */
static bool has_one_process(const struct causal *causal, const struct causal_row *row)
{
    const struct causal_row *end = causal->items + causal->count;
    const bool is_again =
        (row > causal->items && row[-1].target == row->target) || (row + 1 < end && row[1].target == row->target);
    return !is_again;
}

/* The first row for kernels of this name, or before them. */
static const struct causal_row *row_of(const struct causal *causal, const regex_t *patterns, const char *name,
                                       bool on_host)
{
    for (size_t i = 0; causal && i < causal->count; i++) {
        const struct causal_target *asked = &causal->items[i].asked;
        if (asked->pattern && asked->on_host == on_host && !regexec(&patterns[i], name, 0, NULL, 0))
            return &causal->items[i];
    }
    return NULL;
}

static const struct causal_row *row_of_copies(const struct causal *causal, uint32_t kind, bool on_host)
{
    for (size_t i = 0; causal && i < causal->count; i++) {
        const struct causal_target *asked = &causal->items[i].asked;
        if (!asked->pattern && asked->on_host == on_host && (!asked->copies || asked->copies == kind))
            return &causal->items[i];
    }
    return NULL;
}

/* `saving_ns`: of all its launches. */
static void set_measured(struct program_gain *g, const struct causal *causal, double saving_ns)
{
    const struct causal_row *row = g->causal;
    g->reason = causal_reasons[row->reason].key;
    if (row->status != CAUSAL_INCONCLUSIVE && !has_one_process(causal, row))
        g->reason = "several_processes";
    if (row->status == CAUSAL_INCONCLUSIVE || *g->reason)
        return;
    const double most = g->share * g->headroom;
    g->criticality = row->criticality;
    g->gain = (struct bounded){most * fmax(0, row->criticality.value), most * fmax(0, row->criticality.low),
                               most * fmax(0, row->criticality.high)};
    g->is_beyond = saving_ns / (double)g->launches > row->doses[row->dose_count - 1].delay_ns;
}

/* What the graph gives with the work shorter. A device's time may be shorter than that of all devices. */
static void set_rerun(struct program_gain *g, const struct dependencies *d, uint32_t symbol, uint64_t grid_blocks,
                      double saving_ns)
{
    struct bounded gain;
    const double most = g->share * g->headroom, share = saving_ns / d->program_ns;
    const enum dependency_reason reason = dependencies_gain(d, symbol, grid_blocks, saving_ns, &gain, &g->step);
    g->reason = dependency_reasons[reason].key;
    if (reason)
        return;
    g->criticality = (struct bounded){gain.value / share, gain.low / share, gain.high / share};
    g->gain = (struct bounded){most * g->criticality.value, most * g->criticality.low, most * g->criticality.high};
}

static int by_gain(const void *left, const void *right)
{
    const struct program_gain *a = left, *b = right;
    const double x = isnan(a->gain.value) ? -1 : a->gain.value, y = isnan(b->gain.value) ? -1 : b->gain.value;
    if (x != y)
        return x > y ? -1 : 1;
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

/* ---- kernels, copies and the host ---- */

struct making {
    struct program_gains *out;
    size_t room;
    struct short_names *names;
    const struct causal *causal;
    const regex_t *patterns; /* of its rows */
    const struct dependencies *dependencies;
};

static struct program_gain *new_row(struct making *m, const struct program_gain *row)
{
    if (m->out->count == m->room) {
        const size_t room = 2 * m->room + 16;
        struct program_gain *items = realloc(m->out->items, room * sizeof *items);
        if (!items)
            return NULL;
        m->out->items = items;
        m->room = room;
    }
    struct program_gain *to = &m->out->items[m->out->count++];
    *to = *row;
    to->criticality = to->gain = to->step.median = to->step.least = unknown;
    to->reason = "";
    return to;
}

static int add_kernel(struct making *m, const struct kernel_window *w, bool is_first, struct err *e)
{
    const struct program_gain row = {.kind = GAIN_KERNEL,
                                     .name = w->name,
                                     .device = w->device,
                                     .launches = w->launches,
                                     .share = w->device_share,
                                     .headroom = w->headroom_ns / (double)w->total_ns,
                                     .causal =
                                         row_of(m->causal, m->patterns, short_names_full(m->names, w->name), false)};
    if (!isfinite(w->headroom_ns) || !w->total_ns || !(row.causal || (is_first && w->headroom_ns > 0)))
        return 0;
    struct program_gain *g = new_row(m, &row);
    if (!g)
        return err_memory(e);
    if (g->causal)
        set_measured(g, m->causal, w->headroom_ns);
    else
        set_rerun(g, m->dependencies, w->symbol, (uint64_t)(w->grid[0] * w->grid[1] * w->grid[2]), w->headroom_ns);
    return 0;
}

/* All of their time may go: copies can be hidden, and a host that is never late leaves no GPU idle. */
static int add_total(struct making *m, const struct work_total *t, struct err *e)
{
    struct program_gain row = {
        .kind = GAIN_COPY, .name = t->name, .launches = t->launches, .share = t->time_share, .headroom = 1};
    const char *full = short_names_full(m->names, t->name);
    row.causal = t->is_copy ? row_of_copies(m->causal, t->copies, false) : NULL;
    if (t->is_copy && (row.causal || row.share >= DEPENDENCY_COPY_MIN)) {
        struct program_gain *g = new_row(m, &row);
        if (!g)
            return err_memory(e);
        if (g->causal)
            set_measured(g, m->causal, (double)t->total_ns);
        else
            set_rerun(g, m->dependencies, t->symbol, 0, (double)t->total_ns);
    }
    row.kind = GAIN_HOST;
    row.share = t->idle_share;
    row.causal = t->is_copy ? row_of_copies(m->causal, t->copies, true) : row_of(m->causal, m->patterns, full, true);
    struct program_gain *g = row.causal ? new_row(m, &row) : NULL;
    if (row.causal && !g)
        return err_memory(e);
    if (g)
        set_measured(g, m->causal, (double)t->idle_ns);
    return 0;
}

static int add_gains(struct making *m, const struct kernel_windows *windows, struct err *e)
{
    const bool is_asked = windows->kernel_count || m->causal;
    int rc = 0;
    for (size_t i = 0; i < windows->kernel_count && !rc; i++)
        rc = add_kernel(m, &windows->kernels[i], i < PROGRAM_GAINS_MAX, e);
    for (size_t i = 0; is_asked && i < m->dependencies->total_count && !rc; i++)
        rc = add_total(m, &m->dependencies->totals[i], e);
    if (m->out->count)
        qsort(m->out->items, m->out->count, sizeof *m->out->items, by_gain);
    return rc;
}

int program_gains_make(struct program_gains *g, const struct kernel_windows *windows, struct short_names *names,
                       const struct causal *causal, const struct dependencies *dependencies, struct err *e)
{
    const size_t targets = causal ? causal->count : 0;
    regex_t *patterns = calloc(targets + 1, sizeof *patterns);
    struct making m = {.out = g, .names = names, .causal = causal, .patterns = patterns, .dependencies = dependencies};
    size_t compiled = 0;
    int rc = patterns ? 0 : err_memory(e);
    for (; !rc && compiled < targets; compiled += !rc) {
        const char *pattern = causal->items[compiled].asked.pattern;
        rc = pattern_compile(&patterns[compiled], pattern ? pattern : "^", "the delays' expression", e);
    }
    if (!rc)
        rc = add_gains(&m, windows, e);
    for (size_t i = 0; i < compiled; i++)
        regfree(&patterns[i]);
    free(patterns);
    return rc;
}

/* Launches of other grids are other rows of one kernel. */
static struct gain_of_all sum_from(const struct program_gains *g, size_t first)
{
    struct gain_of_all all = {.most = &g->items[first]};
    for (size_t i = first; i < g->count; i++) {
        const struct program_gain *row = &g->items[i];
        if (row->kind != all.most->kind || row->name != all.most->name || row->device != all.most->device ||
            !isfinite(row->gain.value))
            continue;
        all.gain.value += row->gain.value;
        all.gain.low += row->gain.low;
        all.gain.high += row->gain.high;
        all.rows++;
    }
    return all;
}

struct gain_of_all program_gains_most(const struct program_gains *g)
{
    struct gain_of_all most = {0};
    for (size_t i = 0; i < g->count && isfinite(g->items[i].gain.value); i++) {
        const struct gain_of_all all = sum_from(g, i);
        if (!most.most || all.gain.value > most.gain.value)
            most = all;
    }
    return most;
}

void program_gains_release(struct program_gains *g)
{
    free(g->items);
    *g = (struct program_gains){0};
}
