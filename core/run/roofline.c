/* Which roof is a kernel under, and how far below it? */
#include "core/run/roofline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/str.h"
#include "core/gpu/ceilings.h"

/* A roof has the name of its group of counters. This lists the counters of bytes, and which of them are added. */
static const struct {
    const char *group;
    const char *bytes[2];
} levels[ROOF_LEVELS] = {
    [ROOF_L1] = {"l1", {METRIC_L1_BYTES, NULL}},
    [ROOF_L2] = {"l2", {METRIC_L2_BYTES, NULL}},
    [ROOF_DRAM] = {"dram", {METRIC_DRAM_READ, METRIC_DRAM_WRITE}},
};

/* Returns the ceiling that the counters give for a group, in operations or bytes per second; NAN. */
static double peak_of(const struct counters *c, const char *group)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    for (size_t i = 0; i < count; i++) {
        if (metrics[i].role != METRIC_PEAK || strcmp(metrics[i].group, group))
            continue;
        const double per = metric_flop(&metrics[i]) > 0 ? metric_flop(&metrics[i]) : 1;
        const double peak = per * counters_value(c, metrics[i].id);
        return peak > 0 ? peak : NAN;
    }
    return NAN;
}

static struct roof roof_over(const struct counters *c, const json_t *ceilings, const char *group, double amount,
                             double duration_ns)
{
    return (struct roof){.name = group,
                         .amount = amount,
                         .per_s = amount / (duration_ns * 1e-9),
                         .intensity = NAN,
                         .peak = peak_of(c, group),
                         .measured = ceilings_measured(ceilings, group)};
}

double roof_share(const struct roof *r)
{
    return r->per_s / (isnan(r->measured) ? r->peak : r->measured);
}

/* A kernel that does more than a roof allows shows that it is none: its height is not known then. Returns whether it
 * has no other height. */
static bool drop_beaten(struct roof *r, struct str *beaten)
{
    bool is_beaten = false;
    double *const heights[] = {&r->peak, &r->measured};
    static const char *const kinds[] = {"in theory", "measured"};
    for (size_t i = 0; i < COUNT_OF(heights); i++) {
        if (!(r->per_s > PEAK_ROUNDING * *heights[i]))
            continue;
        str_addf(beaten, "%s%s %s", beaten->length ? ", " : "", r->name, kinds[i]);
        *heights[i] = NAN;
        is_beaten = true;
    }
    return is_beaten && isnan(roof_share(r));
}

/* ---- operations ---- */

static struct roof *precision(struct roofline *out, const struct counters *c, const json_t *ceilings, const char *group)
{
    for (size_t i = 0; i < out->precision_count; i++)
        if (!strcmp(out->precisions[i].name, group))
            return &out->precisions[i];
    if (out->precision_count == ROOF_PRECISIONS_MAX)
        return NULL;
    out->precisions[out->precision_count] = roof_over(c, ceilings, group, 0, out->duration_ns);
    return &out->precisions[out->precision_count++];
}

/* A counter that a chip lacks is not missing when the others of its group, which then count its operations, too, were
 * read. A chip that has none of the group has no such operations. */
static bool is_counted(const struct counters *c, const struct chip *chip, const struct metric *m)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    if (isfinite(counters_value(c, m->id)))
        return true;
    if (!chip || !chip_has_counters(chip) || !chip_lacks(chip, m->id))
        return false;
    for (size_t i = 0; i < count; i++)
        if (metrics[i].role == METRIC_FLOP && !strcmp(metrics[i].group, m->group) && !chip_lacks(chip, metrics[i].id) &&
            !isfinite(counters_value(c, metrics[i].id)))
            return false;
    return true;
}

static void add_name(struct str *list, const char *name)
{
    const char *found = strstr(str_text(list), name);
    const size_t length = strlen(name);
    if (!found || (found[length] && found[length] != ','))
        str_addf(list, "%s%s", list->length ? ", " : "", name);
}

/* Without these any result would be far from the truth. A kernel may well have no operations of other precisions. */
static bool has_basics(const struct counters *c)
{
    static const char *const basics[] = {METRIC_FFMA_THREADS, METRIC_FADD_THREADS, METRIC_FMUL_THREADS};
    for (size_t i = 0; i < COUNT_OF(basics); i++)
        if (!isfinite(counters_value(c, basics[i])))
            return false;
    return true;
}

/* ptxas also makes constants by HFMA2. Where neither additions nor multiplications are there, and others do more work,
 * such instructions are no operations; a kernel that computes in half precision loses a small part of its work. */
static bool are_constants(const struct counters *c)
{
    double others = 0;
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    for (size_t i = 0; i < count; i++)
        if (metrics[i].role == METRIC_FLOP && strcmp(metrics[i].group, "fp16") != 0)
            others += fmax(counters_value(c, metrics[i].id), 0) * metric_flop(&metrics[i]);
    return counters_value(c, METRIC_HADD_THREADS) == 0 && counters_value(c, METRIC_HMUL_THREADS) == 0 &&
           counters_value(c, METRIC_HFMA_THREADS) * metric_flop(metric_by_id(METRIC_HFMA_THREADS)) < others;
}

static void add_operations(struct roofline *out, const struct counters *c, const struct chip *chip,
                           const json_t *ceilings, struct str *uncounted)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    const bool has_constants = are_constants(c);
    for (size_t i = 0; i < count; i++) {
        if (metrics[i].role != METRIC_FLOP || (has_constants && !strcmp(metrics[i].id, METRIC_HFMA_THREADS)))
            continue;
        const double operations = counters_value(c, metrics[i].id);
        if (!is_counted(c, chip, &metrics[i]))
            add_name(uncounted, metrics[i].group);
        struct roof *roof = operations > 0 ? precision(out, c, ceilings, metrics[i].group) : NULL;
        if (!roof)
            continue;
        roof->amount += operations * metric_flop(&metrics[i]);
        roof->per_s = roof->amount / (out->duration_ns * 1e-9);
        out->flop += operations * metric_flop(&metrics[i]);
    }
    out->flop_per_s = out->flop / (out->duration_ns * 1e-9);
}

/* Pipes of different precisions work in parallel, so the one that needs most time is the roof of all. Roofs of unknown
 * height come after the known ones. */
static int longest_first(const void *left, const void *right)
{
    const struct roof *a = left, *b = right;
    const double one = roof_share(a), other = roof_share(b);
    if (isnan(one) != isnan(other))
        return isnan(one) ? 1 : -1;
    if (one != other && !isnan(one))
        return one > other ? -1 : 1;
    return (a->amount < b->amount) - (a->amount > b->amount);
}

/* ---- bytes ---- */

static void add_levels(struct roofline *out, const struct counters *c, const json_t *ceilings)
{
    for (int level = 0; level < ROOF_LEVELS; level++) {
        double bytes = 0;
        for (size_t i = 0; i < 2 && levels[level].bytes[i]; i++)
            bytes += counters_value(c, levels[level].bytes[i]);
        out->levels[level] = roof_over(c, ceilings, levels[level].group, bytes, out->duration_ns);
        if (bytes > 0)
            out->levels[level].intensity = out->flop / bytes;
    }
}

/* ---- the nearest ---- */

static void consider(struct roofline *out, const struct roof *r)
{
    const double share = roof_share(r);
    if (!(share > 0) || share <= out->nearest_share)
        return;
    out->nearest = r->name;
    out->nearest_share = share;
    out->nearest_is_measured = !isnan(r->measured);
}

bool roofline_of(struct roofline *out, const struct counters *c, const struct chip *chip, const json_t *ceilings,
                 struct arena *arena)
{
    struct str uncounted, beaten;
    *out = (struct roofline){.variant = "", .config = "", .kernel = "", .nearest = "", .uncounted = "", .beaten = ""};
    out->duration_ns = counters_value(c, METRIC_DURATION);
    if (!(out->duration_ns > 0) || !has_basics(c))
        return false;
    str_init(&uncounted);
    add_operations(out, c, chip, ceilings, &uncounted);
    out->uncounted = arena_copy(arena, str_text(&uncounted));
    str_release(&uncounted);
    add_levels(out, c, ceilings);
    bool any_is_lost = false; /* it may have been the nearest */
    str_init(&beaten);
    for (size_t i = 0; i < out->precision_count; i++)
        any_is_lost |= drop_beaten(&out->precisions[i], &beaten);
    for (int level = 0; level < ROOF_LEVELS; level++)
        any_is_lost |= drop_beaten(&out->levels[level], &beaten);
    out->beaten = arena_copy(arena, str_text(&beaten));
    str_release(&beaten);
    if (out->precision_count)
        qsort(out->precisions, out->precision_count, sizeof *out->precisions, longest_first);
    for (size_t i = 0; i < out->precision_count && !any_is_lost; i++)
        consider(out, &out->precisions[i]);
    for (int level = 0; level < ROOF_LEVELS && !any_is_lost; level++)
        consider(out, &out->levels[level]);
    if (!*out->nearest)
        out->nearest_share = NAN;
    return true;
}
