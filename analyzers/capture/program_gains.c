/* What would the program gain from kernels that leave no headroom? */
#include "analyzers/capture/program_gains.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>

#include "base/pattern.h"

static const struct bounded unknown = {NAN, NAN, NAN};

/* Rows of one expression follow one another, a row for each process. */
static bool has_one_process(const struct causal *causal, const struct causal_row *row)
{
    const struct causal_row *end = causal->items + causal->count;
    const bool is_again =
        (row > causal->items && row[-1].target == row->target) || (row + 1 < end && row[1].target == row->target);
    return !is_again;
}

static const struct causal_row *row_of(const struct causal *causal, const regex_t *patterns, const char *name)
{
    for (size_t i = 0; i < causal->count; i++)
        if (!regexec(&patterns[i], name, 0, NULL, 0))
            return &causal->items[i];
    return NULL;
}

static double share_of(const struct kernel_window *w, double saving_ns)
{
    return saving_ns * w->device_share / (double)w->total_ns;
}

static struct program_gain measured_gain(const struct causal *causal, const struct causal_row *row,
                                         const struct kernel_window *w)
{
    struct program_gain g = {
        .window = w, .causal = row, .criticality = unknown, .gain = unknown, .reason = row->reason};
    if (row->status != CAUSAL_INCONCLUSIVE && !has_one_process(causal, row))
        g.reason = "several_processes";
    if (row->status == CAUSAL_INCONCLUSIVE || *g.reason)
        return g;
    const double most = share_of(w, w->headroom_ns);
    g.criticality = row->criticality;
    g.gain = (struct bounded){most * fmax(0, row->criticality.value), most * fmax(0, row->criticality.low),
                              most * fmax(0, row->criticality.high)};
    g.is_beyond = w->headroom_ns / (double)w->launches > row->doses[row->dose_count - 1].delay_ns;
    return g;
}

/* What the graph gives with the kernel at its roof. A device's time may be shorter than that of all devices. */
static struct program_gain rerun_gain(const struct dependencies *d, const struct kernel_window *w)
{
    struct program_gain g = {.window = w, .criticality = unknown, .gain = unknown};
    struct bounded gain;
    const double most = share_of(w, w->headroom_ns), share = w->headroom_ns / d->program_ns;
    g.reason = dependencies_gain(d, w->symbol, (uint64_t)(w->grid[0] * w->grid[1] * w->grid[2]), w->headroom_ns, &gain);
    if (*g.reason)
        return g;
    g.criticality = (struct bounded){gain.value / share, gain.low / share, gain.high / share};
    g.gain = (struct bounded){most * g.criticality.value, most * g.criticality.low, most * g.criticality.high};
    return g;
}

static int by_gain(const void *left, const void *right)
{
    const struct program_gain *a = left, *b = right;
    const double x = isnan(a->gain.value) ? -1 : a->gain.value, y = isnan(b->gain.value) ? -1 : b->gain.value;
    if (x != y)
        return x > y ? -1 : 1;
    return (a->window > b->window) - (a->window < b->window);
}

static void add_gains(struct program_gains *g, const struct kernel_windows *windows, const struct short_names *names,
                      const struct causal *causal, const regex_t *patterns, const struct dependencies *dependencies)
{
    for (size_t i = 0; i < windows->kernel_count; i++) {
        const struct kernel_window *w = &windows->kernels[i];
        const struct causal_row *row = causal ? row_of(causal, patterns, short_names_full(names, w->name)) : NULL;
        if (!isfinite(w->headroom_ns) || !w->total_ns)
            continue;
        if (row)
            g->items[g->count++] = measured_gain(causal, row, w);
        else if (i < PROGRAM_GAINS_MAX && w->headroom_ns > 0)
            g->items[g->count++] = rerun_gain(dependencies, w);
    }
    if (g->count)
        qsort(g->items, g->count, sizeof *g->items, by_gain);
}

int program_gains_make(struct program_gains *g, const struct kernel_windows *windows, const struct short_names *names,
                       const struct causal *causal, const struct dependencies *dependencies, struct err *e)
{
    const size_t targets = causal ? causal->count : 0;
    regex_t *patterns = calloc(targets + 1, sizeof *patterns);
    g->items = calloc(windows->kernel_count + 1, sizeof *g->items);
    size_t compiled = 0;
    int rc = patterns && g->items ? 0 : err_memory(e);
    while (!rc && compiled < targets &&
           !(rc = pattern_compile(&patterns[compiled], causal->items[compiled].target, "the delays' expression", e)))
        compiled++;
    if (!rc)
        add_gains(g, windows, names, causal, patterns, dependencies);
    for (size_t i = 0; i < compiled; i++)
        regfree(&patterns[i]);
    free(patterns);
    return rc;
}

void program_gains_release(struct program_gains *g)
{
    free(g->items);
    *g = (struct program_gains){0};
}
