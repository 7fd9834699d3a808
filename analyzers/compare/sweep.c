/* How does it change with the size, and is that latency or bandwidth? (docs/statistics.md) */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/compare/sweep_fit.h"
#include "analyzers/entries.h"
#include "core/base/array.h"
#include "core/base/str.h"
#include "core/base/strtab.h"
#include "core/base/units.h"
#include "core/run/instrumented_arm.h"
#include "core/stats/ratio_decision.h"

/* Launching costs next to nothing when all of it is less than this share of the
 * shortest time. */
#define FIXED_NOTHING 0.10

/* Where the operations per byte change by more than this over the sizes, time
 * does not grow as bytes do. */
#define INTENSITY_CHANGE 0.20

enum { FIT_SIZES_MIN = 3 };

/* One size of one pair, or of one arm. */
struct entry {
    const char *baseline, *candidate, *config, *cache;
    const struct comparison_arm *base, *cand; /* cand NULL of an arm alone */
    const struct comparison *row;
    struct entry *next; /* of the same sweep, with a place behind it; NULL */
    bool is_first;
};

struct entries {
    struct entry *items;
    size_t count, capacity;
    struct comparison_arm *alone; /* of the arms that are in no comparison */
};

static void entries_release(struct entries *list)
{
    free(list->items);
    free(list->alone);
}

/* ---- what there is to sweep over ---- */

static int add_rows(struct entries *list, const struct analysis *a, struct err *e)
{
    for (size_t i = 0; i < a->comparisons.count; i++) {
        const struct comparison *c = &a->comparisons.items[i];
        struct entry *entry = ARRAY_PUSH(list);
        if (!entry)
            return err_memory(e);
        *entry = (struct entry){c->baseline, c->candidate, c->config, c->cache, &c->base, &c->cand, c, NULL, false};
    }
    return 0;
}

/* The names of both sides of all comparisons, some of which may be of another run. */
static int add_compared(struct strtab *names, const struct analysis *a, struct err *e)
{
    for (size_t i = 0; i < a->comparisons.count; i++)
        if (!strtab_add(names, a->comparisons.items[i].baseline) ||
            !strtab_add(names, a->comparisons.items[i].candidate))
            return err_memory(e);
    return 0;
}

static int add_alone(struct entries *list, const struct analysis *a, const struct strtab *compared, struct err *e)
{
    const struct timing_arms *arms = &a->run->timing;
    const struct arm_table *stated = &a->run->tables[BUNDLE_VARIANTS];
    const struct table *variants = stated->table;
    list->alone = calloc(arms->count + 1, sizeof *list->alone);
    if (!list->alone)
        return err_memory(e);
    for (size_t row = 0; row < table_rows(variants); row++) {
        const struct arm_places timed = timing_arms_of(arms, stated->arms[row]);
        const bool is_alone = timed.count && !strtab_find(compared, stated->arms[row]->variant) &&
                              !arm_is_instrumented(stated->arms[row]);
        for (size_t k = 0; k < timed.count && is_alone; k++) {
            const size_t i = timed.items[k];
            const struct timing_arm *arm = &arms->items[i];
            list->alone[i] = (struct comparison_arm){.processes = arm->processes.items,
                                                     .process_count = arm->processes.count,
                                                     .bytes = table_number(variants, row, VARIANTS_BYTES),
                                                     .flops = table_number(variants, row, VARIANTS_FLOPS),
                                                     .bus_factor = table_number(variants, row, VARIANTS_BUS_FACTOR),
                                                     .batch = arm->batch,
                                                     .no_verdict = table_text(variants, row, VARIANTS_NO_VERDICT)};
            struct entry *entry = ARRAY_PUSH(list);
            if (!entry)
                return err_memory(e);
            *entry =
                (struct entry){arm->variant, "", arm->config, arm->cache, &list->alone[i], NULL, NULL, NULL, false};
        }
    }
    return 0;
}

/* ---- one sweep ---- */

/* Its sizes: indices into the entries. */
struct group {
    const struct entry **items;
    size_t count;
};

/* What is in front of the parameters. */
static const char *size_of(struct arena *arena, const struct entry *entry)
{
    return arena_printf(arena, "%.*s", (int)strcspn(entry->config, " "), entry->config);
}

static const char *parameters_of(const char *config)
{
    const char *space = strchr(config, ' ');
    return space ? space + 1 : "";
}

/* Entries of one sweep have the same of all but the size: each is tied to the next one. */
static int tie(struct entries *list, struct err *e)
{
    struct strtab keys;
    struct str key;
    struct entry **last = calloc(list->count + 1, sizeof *last); /* by id, which count from 1 */
    strtab_init(&keys);
    str_init(&key);
    int rc = last ? 0 : err_memory(e);
    for (size_t i = 0; i < list->count && !rc; i++) {
        struct entry *entry = &list->items[i];
        str_clear(&key);
        str_addf(&key, "%zu %zu %zu %s%s%s%s", strlen(entry->baseline), strlen(entry->candidate), strlen(entry->cache),
                 entry->baseline, entry->candidate, entry->cache, parameters_of(entry->config));
        const uint32_t id = key.failed ? 0 : strtab_add(&keys, str_text(&key));
        if (!id) {
            rc = err_memory(e);
            break;
        }
        entry->is_first = !last[id - 1];
        if (last[id - 1])
            last[id - 1]->next = entry;
        last[id - 1] = entry;
    }
    str_release(&key);
    strtab_release(&keys);
    free(last);
    return rc;
}

static int by_bytes(const void *left, const void *right)
{
    const struct entry *a = *(const struct entry *const *)left, *b = *(const struct entry *const *)right;
    if (a->base->bytes != b->base->bytes)
        return a->base->bytes < b->base->bytes ? -1 : 1;
    return a < b ? -1 : a > b;
}

static bool has_bytes(const struct group *g)
{
    for (size_t i = 0; i < g->count; i++)
        if (!(g->items[i]->base->bytes > 0) || (g->items[i]->cand && !(g->items[i]->cand->bytes > 0)))
            return false;
    return true;
}

/* `group` has room for all entries. */
static void gather(struct group *group, const struct entry *first)
{
    group->count = 0;
    for (const struct entry *entry = first; entry; entry = entry->next)
        group->items[group->count++] = entry;
    if (has_bytes(group))
        qsort(group->items, group->count, sizeof(const struct entry *), by_bytes);
}

/* ---- which processes go together over the sizes ---- */

static const struct timing_process *find_process(const struct comparison_arm *arm, double process)
{
    for (size_t i = 0; arm && i < arm->process_count; i++)
        if (arm->processes[i].process == process)
            return &arm->processes[i];
    return NULL;
}

/* The times of one side of a group, size after size. */
struct side {
    double *bytes, *ns;
    size_t count; /* processes of each size; rounds where no process measured all sizes */
    bool in_rounds;
    /* while they are chosen: at each size `most` places, `counts` of them taken */
    const struct timing_process **chosen;
    size_t *counts, most;
};

static void side_release(struct side *s)
{
    free(s->bytes);
    free(s->ns);
    free(s->chosen);
    free(s->counts);
}

/* The processes of one arm; where the arms are pairs, those that measured both. */
static void choose_at(struct side *s, size_t size, const struct comparison_arm *own, const struct comparison_arm *other)
{
    for (size_t i = 0; own && i < own->process_count; i++)
        if (!other || find_process(other, own->processes[i].process))
            s->chosen[size * s->most + s->counts[size]++] = &own->processes[i];
}

static const struct timing_process *chosen_at(const struct side *s, size_t size, double process)
{
    for (size_t i = 0; i < s->counts[size]; i++)
        if (s->chosen[size * s->most + i]->process == process)
            return s->chosen[size * s->most + i];
    return NULL;
}

static bool is_everywhere(const struct side *s, size_t sizes, double process)
{
    for (size_t size = 0; size < sizes; size++)
        if (!chosen_at(s, size, process))
            return false;
    return true;
}

static void fill_common(struct side *s, size_t sizes)
{
    for (size_t i = 0; i < s->counts[0]; i++) {
        const double process = s->chosen[i]->process;
        if (!is_everywhere(s, sizes, process))
            continue;
        for (size_t size = 0; size < sizes; size++)
            s->ns[size * s->most + s->count] = chosen_at(s, size, process)->typical_ns;
        s->count++;
    }
}

/* Processes that share the sizes out: the nth of each size ran in the nth round. */
static void fill_rounds(struct side *s, size_t sizes)
{
    s->in_rounds = true;
    s->count = s->counts[0];
    for (size_t size = 1; size < sizes; size++)
        s->count = s->counts[size] < s->count ? s->counts[size] : s->count;
    for (size_t size = 0; size < sizes; size++)
        for (size_t i = 0; i < s->count; i++)
            s->ns[size * s->most + i] = s->chosen[size * s->most + i]->typical_ns;
}

/* Rows of `most` become rows of `count`. */
static void close_up(struct side *s, size_t sizes)
{
    for (size_t size = 1; size < sizes; size++)
        memmove(s->ns + size * s->count, s->ns + size * s->most, s->count * sizeof *s->ns);
}

static size_t most_processes(const struct group *g)
{
    size_t most = 1;
    for (size_t i = 0; i < g->count; i++) {
        const struct entry *entry = g->items[i];
        most = entry->base->process_count > most ? entry->base->process_count : most;
        most = entry->cand && entry->cand->process_count > most ? entry->cand->process_count : most;
    }
    return most;
}

static int side_fill(struct side *s, const struct group *g, bool of_candidate, bool paired, struct err *e)
{
    s->most = most_processes(g);
    s->bytes = calloc(g->count, sizeof *s->bytes);
    s->ns = calloc(s->most * g->count, sizeof *s->ns);
    s->chosen = calloc(s->most * g->count, sizeof(const struct timing_process *));
    s->counts = calloc(g->count, sizeof *s->counts);
    if (!s->bytes || !s->ns || !s->chosen || !s->counts)
        return err_memory(e);
    for (size_t size = 0; size < g->count; size++) {
        const struct entry *entry = g->items[size];
        const struct comparison_arm *own = of_candidate ? entry->cand : entry->base;
        choose_at(s, size, own, paired ? of_candidate ? entry->base : entry->cand : NULL);
        s->bytes[size] = own ? own->bytes : NAN;
    }
    fill_common(s, g->count);
    if (!s->count)
        fill_rounds(s, g->count);
    close_up(s, g->count);
    return 0;
}

static double typical_of(const struct comparison_arm *arm, double *scratch)
{
    for (size_t i = 0; arm && i < arm->process_count; i++)
        scratch[i] = arm->processes[i].typical_ns;
    return arm ? typical_over_processes(scratch, arm->process_count) : NAN;
}

static int add_points(struct analysis *a, struct sweep *sweep, const struct group *g, struct err *e)
{
    struct sweep_point *points = arena_alloc(&a->arena, g->count * sizeof *points);
    double *scratch = calloc(most_processes(g), sizeof *scratch);
    for (size_t i = 0; points && scratch && i < g->count; i++) {
        const struct entry *entry = g->items[i];
        points[i] = (struct sweep_point){
            .size = size_of(&a->arena, entry),
            .row = entry->row,
            .base_ns = typical_of(entry->base, scratch),
            .cand_ns = typical_of(entry->cand, scratch),
            .base_bytes = entry->base->bytes,
            .cand_bytes = entry->cand ? entry->cand->bytes : NAN,
            .base_bus_factor = entry->base->bus_factor,
            .cand_bus_factor = entry->cand ? entry->cand->bus_factor : NAN,
        };
    }
    free(scratch);
    sweep->points = points;
    sweep->count = points ? g->count : 0;
    return points && scratch ? 0 : err_memory(e);
}

/* ---- the average ---- */

static bool has_ratio(const struct entry *entry)
{
    return entry->row && isfinite(entry->row->ratio);
}

/* For each process, over the sizes: exp of the mean log. */
static void geometric_means(double *out, const struct side *s, size_t sizes)
{
    for (size_t i = 0; i < s->count; i++) {
        double sum = 0;
        for (size_t size = 0; size < sizes; size++)
            sum += log(s->ns[size * s->count + i]);
        out[i] = exp(sum / (double)sizes);
    }
}

/* The point is the geometric mean of the rows, so that the table can be checked by
 * hand; the interval is over processes, of their geometric means over the sizes. */
static int average(struct sweep *sweep, const struct group *g, int looks, struct err *e)
{
    struct side base = {0}, cand = {0};
    double sum = 0;
    for (size_t i = 0; i < g->count; i++)
        sum += log(g->items[i]->row->ratio);
    const bool paired = g->items[0]->row->paired;
    int rc = side_fill(&base, g, false, paired, e);
    if (!rc)
        rc = side_fill(&cand, g, true, paired, e);
    double *means = rc ? NULL : calloc(base.count + cand.count + 1, sizeof *means);
    if (!rc && !means)
        rc = err_memory(e);
    if (!rc) {
        geometric_means(means, &base, g->count);
        geometric_means(means + base.count, &cand, g->count);
        const struct arm_values values = {means, means + base.count, base.count, cand.count, paired};
        const struct ratio_decision decision = ratio_decide_looks(&values, g->items[0]->row->margin, looks);
        const double ratio = exp(sum / (double)g->count);
        sweep->average =
            (struct bounded){ratio, fmin(ratio, decision.interval.low), fmax(ratio, decision.interval.high)};
        sweep->averaged = g->count;
        sweep->verdict = decision.verdict;
        sweep->n_processes = (int64_t)(base.count < cand.count ? base.count : cand.count);
        sweep->in_rounds = base.in_rounds || cand.in_rounds;
    }
    free(means);
    side_release(&base);
    side_release(&cand);
    return rc;
}

/* Rows without a ratio are in no average; `with` has room for the group. */
static int average_rows(struct sweep *sweep, const struct group *g, struct group *with, int looks, struct err *e)
{
    with->count = 0;
    for (size_t i = 0; i < g->count; i++)
        if (has_ratio(g->items[i]))
            with->items[with->count++] = g->items[i];
    return with->count > 1 ? average(sweep, with, looks, e) : 0;
}

/* ---- the lines ---- */

static bool says_nothing(const struct entry *entry)
{
    return *entry->base->no_verdict || (entry->cand && *entry->cand->no_verdict);
}

/* The first size of which the times say nothing; NULL when all do. */
static const struct entry *find_silent(const struct group *g)
{
    for (size_t i = 0; i < g->count; i++)
        if (says_nothing(g->items[i]))
            return g->items[i];
    return NULL;
}

/* Rows that were not measured, or must not be, or whose times say nothing, are on no line. */
static size_t keep_fittable(const struct group *g, struct group *with)
{
    size_t distinct = 0;
    with->count = 0;
    for (size_t i = 0; i < g->count; i++) {
        const struct entry *entry = g->items[i];
        if (!entry->base->process_count || says_nothing(entry) || (entry->cand && !has_ratio(entry)))
            continue;
        if (!with->count || with->items[with->count - 1]->base->bytes != entry->base->bytes)
            distinct++;
        with->items[with->count++] = entry;
    }
    return distinct;
}

/* Operations per byte, as the arm states them; NAN where it states none. */
static double intensity_at(const struct entry *entry, bool of_candidate)
{
    const struct comparison_arm *arm = of_candidate ? entry->cand : entry->base;
    return arm && arm->flops > 0 ? arm->flops / arm->bytes : NAN;
}

static bool work_varies(const struct group *g, bool of_candidate)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < g->count; i++) {
        const double intensity = intensity_at(g->items[i], of_candidate);
        if (!isfinite(intensity))
            return false;
        least = fmin(least, intensity);
        most = fmax(most, intensity);
    }
    return most > (1 + INTENSITY_CHANGE) * least;
}

/* A launch alone costs more than one of a graph: over both, that would look like a part which does not grow. Two arms
 * of a size were timed alike, or there is no ratio and no point. */
enum method { METHOD_UNKNOWN, METHOD_ALONE, METHOD_GRAPHS };

static enum method method_at(const struct group *g, size_t size)
{
    const double batch = g->items[size]->base->batch;
    return isnan(batch) ? METHOD_UNKNOWN : batch > 1 ? METHOD_GRAPHS : METHOD_ALONE;
}

static bool timing_varies(const struct group *g)
{
    for (size_t i = 0; i < g->count; i++)
        if (method_at(g, i) == METHOD_UNKNOWN || method_at(g, i) != method_at(g, 0))
            return true;
    return false;
}

static int fit_rows(struct sweep *sweep, const struct group *g, struct group *with, int looks, struct err *e)
{
    if (!has_bytes(g) || g->count < FIT_SIZES_MIN)
        return 0;
    if (keep_fittable(g, with) < FIT_SIZES_MIN) {
        sweep->says_nothing = find_silent(g) != NULL;
        return 0;
    }
    sweep->work_varies = work_varies(with, false) || work_varies(with, true);
    sweep->timing_varies = !sweep->work_varies && timing_varies(with);
    if (sweep->work_varies || sweep->timing_varies)
        return 0;
    const bool paired = with->items[0]->row && with->items[0]->row->paired;
    struct side base = {0}, cand = {0};
    int rc = side_fill(&base, with, false, paired, e);
    if (!rc)
        rc = side_fill(&cand, with, true, paired, e);
    const struct sweep_times times = {
        with->count, {base.bytes, base.ns, base.count}, {cand.bytes, cand.ns, cand.count}, paired, looks};
    if (!rc && base.count && (!with->items[0]->cand || cand.count))
        rc = sweep_fit_times(sweep, &times, e);
    side_release(&base);
    side_release(&cand);
    /* The worst point is one of those on the line: found again among all. */
    struct sweep_fit *fits[] = {&sweep->base, &sweep->cand};
    for (size_t f = 0; f < 2 && sweep->has_fit; f++)
        for (size_t i = 0; i < g->count; i++)
            if (g->items[i] == with->items[fits[f]->worst_point]) {
                fits[f]->worst_point = i;
                fits[f]->worst_size = sweep->points[i].size;
                break;
            }
    return rc;
}

/* ---- what it says ---- */

static const char *interval_text(struct arena *arena, enum unit unit, struct bounded b)
{
    char low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    if (!isfinite(b.high))
        return arena_printf(arena, "95%% interval from %s on", unit_format(low, unit, b.low));
    return arena_printf(arena, "95%% interval %s to %s", unit_format(low, unit, b.low),
                        unit_format(high, unit, b.high));
}

static int add_finding(struct analysis *a, const char *id, enum severity severity, const char *variant,
                       const char *claim, struct err *e)
{
    return analysis_finding(a, id, severity, variant, "", claim) ? 0 : err_memory(e);
}

/* An arm of several comparisons is spoken of once. */
static bool was_told(const struct analysis *a, const struct sweep *s, const char *variant)
{
    for (const struct sweep *other = a->sweeps.items; other < s; other++)
        if ((!strcmp(other->baseline, variant) || !strcmp(other->candidate, variant)) &&
            !strcmp(other->cache, s->cache) && !strcmp(other->parameters, s->parameters) &&
            other->has_fit == s->has_fit && other->work_varies == s->work_varies &&
            other->timing_varies == s->timing_varies && other->says_nothing == s->says_nothing)
            return true;
    return false;
}

/* Why no line was fitted to the sizes of `g`; of a pair once, as both mostly calculate the same. */
static int note_work(struct analysis *a, const struct sweep *s, const struct group *g, struct err *e)
{
    assert(g->count > 0);
    const bool of_candidate = !work_varies(g, false);
    const char *variant = of_candidate ? s->candidate : s->baseline;
    if (was_told(a, s, variant))
        return 0;
    const struct entry *first = g->items[0], *last = g->items[g->count - 1];
    char from[UNITS_TEXT_BYTES], to[UNITS_TEXT_BYTES];
    const char *claim = arena_printf(
        &a->arena,
        "no line t = fixed + bytes / bandwidth is fitted: the operations per byte change with the size, from "
        "%s at %s to %s at %s",
        unit_format(from, UNIT_NONE, intensity_at(first, of_candidate)), size_of(&a->arena, first),
        unit_format(to, UNIT_NONE, intensity_at(last, of_candidate)), size_of(&a->arena, last));
    return add_finding(a, "sweep-no-line", SEVERITY_INFO, variant, claim, e);
}

/* "the sizes up to small are timed in graphs, the others launch by launch" */
static const char *describe_methods(struct arena *arena, const struct group *g)
{
    static const char *const words[] = {[METHOD_UNKNOWN] = "in a way that is not known",
                                        [METHOD_ALONE] = "launch by launch",
                                        [METHOD_GRAPHS] = "in graphs"};
    size_t first = 1, same;
    while (first < g->count && method_at(g, first) == method_at(g, 0))
        first++;
    const char *of_first = words[method_at(g, 0)];
    if (first == g->count)
        return arena_printf(arena, "the sizes are timed %s", of_first);
    for (same = first + 1; same < g->count && method_at(g, same) == method_at(g, first);)
        same++;
    return arena_printf(arena, "the sizes up to %s are timed %s, %s %s", size_of(arena, g->items[first - 1]), of_first,
                        same == g->count ? "the others" : "of the others some", words[method_at(g, first)]);
}

/* Both arms of a pair are timed alike: it is said of the baseline, once. */
static int note_methods(struct analysis *a, const struct sweep *s, const struct group *g, struct err *e)
{
    if (was_told(a, s, s->baseline))
        return 0;
    const char *claim = arena_printf(
        &a->arena, "no line t = fixed + bytes / bandwidth is fitted: %s, and a fixed cost would be that of the method",
        describe_methods(&a->arena, g));
    return add_finding(a, "sweep-no-line", SEVERITY_INFO, s->baseline, claim, e);
}

/* Takes it from the arm that declares it; when both do, from the baseline. */
static int note_silence(struct analysis *a, const struct sweep *s, const struct group *g, struct err *e)
{
    const struct entry *silent = find_silent(g);
    const bool of_baseline = *silent->base->no_verdict;
    const char *variant = of_baseline ? s->baseline : s->candidate;
    if (was_told(a, s, variant))
        return 0;
    const char *claim = arena_printf(&a->arena, "no line t = fixed + bytes / bandwidth is fitted: %s (%s)",
                                     comparison_reasons[COMPARISON_TIMES_SAY_NOTHING].sentence,
                                     of_baseline ? silent->base->no_verdict : silent->cand->no_verdict);
    return add_finding(a, "sweep-no-line", SEVERITY_INFO, variant, claim, e);
}

/* A line that does not hold is not to be read. */
static int note_no_line(struct analysis *a, const char *variant, const struct sweep_fit *fit, struct err *e)
{
    char by[UNITS_TEXT_BYTES];
    const char *claim =
        arena_printf(&a->arena,
                     "no line t = fixed + bytes / bandwidth goes through its times: at %s it misses by %s of the time; "
                     "look there for another algorithm, a cache that overflows, or a GPU that is not yet full",
                     fit->worst_size, unit_format(by, UNIT_RATIO, fabs(fit->worst_residual)));
    return add_finding(a, "sweep-no-line", SEVERITY_INFO, variant, claim, e);
}

/* Which part of the shortest time is paid per call, whatever the size? */
static int note_fixed(struct analysis *a, const struct sweep *s, const char *variant, const struct sweep_fit *fit,
                      double shortest_ns, struct err *e)
{
    char most[UNITS_TEXT_BYTES], share[UNITS_TEXT_BYTES], time[UNITS_TEXT_BYTES], rate[UNITS_TEXT_BYTES],
        fixed[UNITS_TEXT_BYTES], half[UNITS_TEXT_BYTES];
    const double most_ns = fmin(fmax(0, fit->fixed_ns.high), shortest_ns), least_ns = fmax(0, fit->fixed_ns.low);
    unit_format(rate, UNIT_BYTES_PER_S, fit->bytes_per_s.value);
    unit_format(time, UNIT_NS, shortest_ns);
    unit_format(share, UNIT_RATIO, most_ns / shortest_ns);
    if (most_ns <= FIXED_NOTHING * shortest_ns) {
        const char *claim = arena_printf(
            &a->arena,
            "launch overhead cannot be the cause: of the %s at %s at most %s (%s) do not grow with the size; "
            "the rest is bytes at %s",
            time, s->points[0].size, unit_format(most, UNIT_NS, most_ns), share, rate);
        return add_finding(a, "bandwidth-limited", SEVERITY_INFO, variant, claim, e);
    }
    if (least_ns > 0) {
        const double fixed_ns = fit->fixed_ns.value;
        const char *claim = arena_printf(
            &a->arena,
            "%s of each call do not grow with the size (%s): %s of the time at %s; half of it is bytes, at "
            "%s, from about %s on",
            unit_format(fixed, UNIT_NS, fixed_ns), interval_text(&a->arena, UNIT_NS, fit->fixed_ns),
            unit_format(share, UNIT_RATIO, fmin(1, fixed_ns / shortest_ns)), s->points[0].size, rate,
            unit_format(half, UNIT_BYTES, fixed_ns * fit->bytes_per_s.value * 1e-9));
        return add_finding(a, "fixed-cost", SEVERITY_INFO, variant, claim, e);
    }
    const char *claim =
        arena_printf(&a->arena,
                     "whether a part of each call does not grow with the size is not known: from none to %s, %s of the "
                     "time at %s",
                     unit_format(most, UNIT_NS, most_ns), share, s->points[0].size);
    return add_finding(a, "fixed-cost-unknown", SEVERITY_INFO, variant, claim, e);
}

static bool excludes(struct bounded b, double value)
{
    return b.low > value || b.high < value;
}

/* What did the candidate change: the fixed part, the bandwidth, both, neither? */
static int note_change(struct analysis *a, const struct sweep *s, struct err *e)
{
    static const char *const what[2][2] = {{"neither", "the bandwidth"}, {"the fixed part", "both"}};
    char fixed[UNITS_TEXT_BYTES], factor[UNITS_TEXT_BYTES];
    if (!isfinite(s->fixed_change_ns.value) || !isfinite(s->bandwidth_factor.value))
        return 0;
    const bool moved = excludes(s->fixed_change_ns, 0), scaled = excludes(s->bandwidth_factor, 1);
    const char *claim =
        arena_printf(&a->arena,
                     "against %s, of latency and bandwidth, it changes %s beyond doubt: the fixed part by %s (%s), the "
                     "bandwidth by a factor of %s (%s)",
                     s->baseline, what[moved][scaled], unit_format(fixed, UNIT_NS, s->fixed_change_ns.value),
                     interval_text(&a->arena, UNIT_NS, s->fixed_change_ns),
                     unit_format(factor, UNIT_FACTOR, s->bandwidth_factor.value),
                     interval_text(&a->arena, UNIT_FACTOR, s->bandwidth_factor));
    return add_finding(a, "latency-or-bandwidth", SEVERITY_INFO, s->candidate, claim, e);
}

static int note_line(struct analysis *a, const struct sweep *s, const char *variant, const struct sweep_fit *fit,
                     double shortest_ns, struct err *e)
{
    if (was_told(a, s, variant))
        return 0;
    return sweep_fit_holds(fit) ? note_fixed(a, s, variant, fit, shortest_ns, e) : note_no_line(a, variant, fit, e);
}

static int note_fits(struct analysis *a, const struct sweep *s, struct err *e)
{
    if (!s->has_fit)
        return 0;
    int rc = note_line(a, s, s->baseline, &s->base, s->points[0].base_ns, e);
    if (rc || !*s->candidate)
        return rc;
    rc = note_line(a, s, s->candidate, &s->cand, s->points[0].cand_ns, e);
    return !rc && sweep_fit_holds(&s->base) && sweep_fit_holds(&s->cand) ? note_change(a, s, e) : rc;
}

static int add_sweep(struct analysis *a, const struct group *g, struct group *scratch, struct err *e)
{
    static const struct bounded unknown = {NAN, NAN, NAN};
    struct sweep *sweep = ARRAY_PUSH(&a->sweeps);
    if (!sweep)
        return err_memory(e);
    *sweep = (struct sweep){
        .baseline = arena_copy(&a->arena, g->items[0]->baseline),
        .candidate = arena_copy(&a->arena, g->items[0]->candidate),
        .cache = arena_copy(&a->arena, g->items[0]->cache),
        .parameters = arena_copy(&a->arena, parameters_of(g->items[0]->config)),
        .average = unknown,
        .fixed_change_ns = unknown,
        .bandwidth_factor = unknown,
    };
    int rc = add_points(a, sweep, g, e);
    if (!rc)
        rc = average_rows(sweep, g, scratch, a->looks, e);
    if (!rc)
        rc = fit_rows(sweep, g, scratch, a->looks, e);
    if (!rc && sweep->work_varies)
        rc = note_work(a, sweep, scratch, e);
    if (!rc && sweep->timing_varies)
        rc = note_methods(a, sweep, scratch, e);
    if (!rc && sweep->says_nothing)
        rc = note_silence(a, sweep, g, e);
    return rc ? rc : note_fits(a, sweep, e);
}

static int add_sweeps(struct analysis *a, struct entries *list, struct err *e)
{
    struct group group = {calloc(list->count + 1, sizeof(const struct entry *)), 0};
    struct group scratch = {calloc(list->count + 1, sizeof(const struct entry *)), 0};
    int rc = group.items && scratch.items ? 0 : err_memory(e);
    for (size_t i = 0; i < list->count && !rc; i++) {
        if (!list->items[i].is_first)
            continue;
        gather(&group, &list->items[i]);
        if (group.count > 1)
            rc = add_sweep(a, &group, &scratch, e);
    }
    free(group.items);
    free(scratch.items);
    return rc;
}

int sweep_analyze(struct analysis *a, struct err *e)
{
    struct entries list = {0};
    struct strtab compared;
    strtab_init(&compared);
    int rc = add_rows(&list, a, e);
    if (!rc)
        rc = add_compared(&compared, a, e);
    if (!rc)
        rc = add_alone(&list, a, &compared, e);
    if (!rc)
        rc = tie(&list, e);
    if (!rc)
        rc = add_sweeps(a, &list, e);
    strtab_release(&compared);
    entries_release(&list);
    return rc;
}
