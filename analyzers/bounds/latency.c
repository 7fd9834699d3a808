/* Would hiding load latency (stages, cp.async, more blocks) pay here, and did it?
 *
 * A kernel cannot get faster than its busiest unit's busy time: if that is a
 * share s of the elapsed cycles, perfect overlap gains at most 1 - s. Issue
 * slots count here, because every instruction needs one. */
#include <math.h>
#include <string.h>

#include "analyzers/arm_differences.h"
#include "analyzers/entries.h"
#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/base/str.h"
#include "core/base/units.h"
#include "core/gpu/thresholds.h"
#include "core/run/case_key.h"
#include "core/run/counters.h"
#include "core/run/instrumented_arm.h"

/* Instructions of kernels that differ in how they load the same work may differ by this
 * share, as addresses and copies are theirs. */
#define INSTRUCTIONS_SAME 0.25

/* A barrier is waited at for the loads of other warps only where some warp waits for loads. */
#define LOADS_LEAST 0.01

/* How busy is the busiest unit, and what do the warps wait for? */
struct picture {
    const struct counters *counters;
    const struct metric *busiest;
    double busy;        /* share of elapsed cycles */
    double memory;      /* busiest memory unit */
    double load_stalls; /* share of warp cycles that wait for loads and barriers */
    bool loads_lead;    /* nothing else that tuning can remove is waited for more */
    double warps_per_sm;
};

/* The same variant with fewer blocks per SM. */
struct lower {
    const struct counters *counters; /* NULL: none in the bundle */
    long blocks_per_sm;
    double busy;
};

/* What overlap can bring at most. */
static double ceiling(const struct picture *p)
{
    return fmax(0, 1 - p->busy);
}

static char *percent(char *text, double share)
{
    return unit_format(text, UNIT_RATIO, share);
}

/* Fixed-latency waits belong to the instruction chain and turns to issue to the
 * scheduler: hiding loads removes neither. */
static bool is_removable_other(const struct metric *m)
{
    static const char *const not_counted[] = {"long_scoreboard", "barrier", "wait", "not_selected"};
    if (m->role != METRIC_STALL)
        return false;
    for (size_t i = 0; i < COUNT_OF(not_counted); i++)
        if (!strcmp(m->group, not_counted[i]))
            return false;
    return true;
}

static bool read_picture(struct picture *p, const struct counters *c)
{
    *p = (struct picture){.counters = c, .warps_per_sm = counters_value(c, METRIC_WARPS_PER_SM)};
    p->busiest = counters_busiest_of_all(c, &p->busy);
    if (!p->busiest)
        return false;
    counters_busiest(c, METRIC_MEMORY, &p->memory);
    double loads = counters_stall_share(c, metric_by_id(METRIC_STALL_LONG_SCOREBOARD));
    double barrier = counters_stall_share(c, metric_by_id(METRIC_STALL_BARRIER));
    p->load_stalls = loads + barrier; /* NAN when either is missing: no claim then */
    p->loads_lead = isfinite(p->load_stalls) && loads >= LOADS_LEAST;
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    for (size_t i = 0; i < count; i++)
        if (is_removable_other(&metrics[i]) && counters_stall_share(c, &metrics[i]) > p->load_stalls)
            p->loads_lead = false;
    return true;
}

/* The arm of the same variant and otherwise the same config with the fewest
 * blocks per SM, fewer than `c` has. */
static struct lower find_lower(const struct counters_list *all, const struct counters *c)
{
    struct lower lowest = {0};
    struct str own_rest, rest;
    long own, blocks;
    str_init(&own_rest);
    str_init(&rest);
    if (case_key_split(c->config, CASE_KEY_OCCUPANCY, &own, &own_rest))
        for (size_t i = 0; i < all->count; i++) {
            const struct counters *other = &all->items[i];
            double busy;
            if (other->arm->variant != c->arm->variant ||
                !case_key_split(other->config, CASE_KEY_OCCUPANCY, &blocks, &rest) || blocks >= own ||
                strcmp(str_text(&rest), str_text(&own_rest)) || !counters_busiest_of_all(other, &busy))
                continue;
            if (!lowest.counters || blocks < lowest.blocks_per_sm)
                lowest = (struct lower){other, blocks, busy};
        }
    str_release(&own_rest);
    str_release(&rest);
    return lowest;
}

/* False where either is unknown. */
static bool is_near(double a, double b, double share)
{
    return fabs(a - b) <= share * fmax(a, b);
}

/* The same calculation, so that overlap can be what its gain comes from: the
 * operations agree, and the instructions do, too, or
 * copies to shared memory replaced some of them. Another algorithm is no measure
 * of what overlap brings, nor is an arm that was not counted. */
static bool differs_in_loading(const struct counters *a, const struct counters *b)
{
    if (!counters_same_operations(a, b))
        return false;
    const bool copies_differ = fabs(counters_value(a, METRIC_LDGSTS) - counters_value(b, METRIC_LDGSTS)) > 0;
    return copies_differ ||
           is_near(counters_value(a, METRIC_INSTRUCTIONS), counters_value(b, METRIC_INSTRUCTIONS), INSTRUCTIONS_SAME);
}

/* The best proven gain over this arm as a baseline that overlap can have brought; NULL when none was. */
static const struct comparison *best_gain(const struct analysis *a, const struct counters_list *all,
                                          const struct picture *p)
{
    const struct counters *c = p->counters;
    const struct comparison *best = NULL;
    for (size_t i = 0; i < a->comparisons.count; i++) {
        const struct comparison *row = &a->comparisons.items[i];
        bool decided =
            row->verdict == COMPARE_FASTER || row->verdict == COMPARE_SLOWER || row->verdict == COMPARE_EQUIVALENT;
        if (!decided || row->base.arm != c->arm || !(row->gain <= ceiling(p)))
            continue;
        const struct counters *other = counters_find(all, row->cand.arm);
        if (!other || !differs_in_loading(c, other))
            continue;
        if (!best || row->gain > best->gain)
            best = row;
    }
    return best;
}

static bool is_exposed(const struct thresholds *t, const struct picture *p)
{
    return !threshold_reached(p->busy, threshold(t, THRESHOLD_LATENCY_SHARE)) && p->loads_lead &&
           threshold_reached(p->load_stalls, threshold(t, THRESHOLD_EXPOSED_STALL));
}

static bool is_hidden(const struct thresholds *t, const struct picture *p, const struct lower *lower)
{
    if (!threshold_reached(p->memory, threshold(t, THRESHOLD_HIDDEN_MEMORY)))
        return false;
    if (threshold_reached(p->busy, threshold(t, THRESHOLD_HIDDEN_SHARE)))
        return true;
    if (!threshold_reached(p->busy, threshold(t, THRESHOLD_LATENCY_SHARE)))
        return false;
    return threshold_reached(p->warps_per_sm, threshold(t, THRESHOLD_HIDDEN_WARPS)) ||
           (lower->counters && threshold_reached(p->busy - lower->busy, threshold(t, THRESHOLD_HIDDEN_RISE)));
}

/* ---- the claim ---- */

static void add_busy(struct str *out, const struct picture *p)
{
    char text[UNITS_TEXT_BYTES];
    const char *suffix = p->busiest->role == METRIC_COMPUTE ? " pipe"
                         : p->busiest->role == METRIC_PLAIN ? " slots"
                                                            : "";
    str_addf(out, "%s%s busy %s of elapsed cycles", p->busiest->group, suffix, percent(text, p->busy));
    if (isfinite(p->warps_per_sm))
        str_addf(out, " with %.1f warps per SM", p->warps_per_sm);
}

static void add_ceiling(struct str *out, const struct picture *p, const struct comparison *measured)
{
    char text[UNITS_TEXT_BYTES];
    str_addf(out, "; perfect overlap could bring at most %s", percent(text, ceiling(p)));
    if (measured)
        str_addf(out, ", measured %+.1f%% with '%s'", measured->gain * 100, measured->candidate);
}

static void write_exposed(struct str *out, const struct picture *p, const struct comparison *measured)
{
    char text[UNITS_TEXT_BYTES];
    str_addf(out, "load latency is exposed: warps wait for loads and barriers %s of their cycles, ",
             percent(text, p->load_stalls));
    add_busy(out, p);
    add_ceiling(out, p, measured);
}

static void write_hidden(struct str *out, const struct picture *p, const struct lower *lower,
                         const struct comparison *measured)
{
    char text[UNITS_TEXT_BYTES];
    bool copies_ahead = counters_value(p->counters, METRIC_LDGSTS) > 0;
    str_addf(out, "%s: ",
             copies_ahead ? "asynchronous copies and occupancy hide the latency"
                          : "occupancy already hides the latency");
    add_busy(out, p);
    if (lower->counters)
        str_addf(out, " (%s at %s=%ld)", percent(text, lower->busy), CASE_KEY_OCCUPANCY, lower->blocks_per_sm);
    add_ceiling(out, p, measured);
}

static int add_evidence(struct analysis *a, struct finding *f, const struct picture *p, const struct lower *lower,
                        const struct comparison *measured, struct err *e)
{
    const struct metric *loads = metric_by_id(METRIC_STALL_LONG_SCOREBOARD),
                        *barrier = metric_by_id(METRIC_STALL_BARRIER);
    const struct {
        const char *name;
        double value;
        enum unit unit;
    } rows[] = {
        {p->busiest->name, p->busy, UNIT_RATIO},
        {"busiest_share_at_lower_" CASE_KEY_OCCUPANCY, lower->counters ? lower->busy : NAN, UNIT_RATIO},
        {"overlap_gain_max", ceiling(p), UNIT_RATIO},
        {"measured_gain", measured ? measured->gain : NAN, UNIT_RATIO},
        {"load_stall_share", p->load_stalls, UNIT_RATIO},
        {loads->name, counters_value(p->counters, loads->id), UNIT_CYCLES},
        {barrier->name, counters_value(p->counters, barrier->id), UNIT_CYCLES},
        {metric_by_id(METRIC_WARPS_PER_SM)->name, p->warps_per_sm, UNIT_NONE},
        {metric_by_id(METRIC_LDGSTS)->name, counters_value(p->counters, METRIC_LDGSTS), UNIT_COUNT},
    };
    int rc = 0;
    for (size_t i = 0; i < COUNT_OF(rows) && !rc; i++)
        rc = evidence_add(&a->arena, &f->evidence, rows[i].name, rows[i].value, rows[i].unit, e);
    return rc;
}

static const char *advice_of(struct analysis *a, const struct picture *p, bool exposed)
{
    const char *silent = arm_no_verdict(a, p->counters->arm);
    if (*silent)
        return arena_printf(&a->arena, "measure it elsewhere before changing it: %s", silent);
    if (!exposed)
        return "do not expect much from more stages: look at the busiest unit";
    if (analysis_has_tma(a) && !(counters_value(p->counters, METRIC_LDGSTS) > 0))
        return "load further ahead (more stages; cp.async or TMA, unless it loads by TMA already, which these counters "
               "do not show) or run more blocks per SM";
    return "load further ahead (more stages, cp.async or TMA) or run more blocks per SM";
}

static int add_finding(struct analysis *a, const struct counters_list *all, const struct picture *p,
                       const struct lower *lower, struct err *e)
{
    bool exposed = is_exposed(&a->thresholds, p);
    if (!exposed && !is_hidden(&a->thresholds, p, lower))
        return 0;
    struct finding *f = ARRAY_PUSH(&a->findings);
    if (!f)
        return err_memory(e);
    const struct comparison *measured = best_gain(a, all, p);
    struct str claim;
    str_init(&claim);
    if (exposed)
        write_exposed(&claim, p, measured);
    else
        write_hidden(&claim, p, lower, measured);
    f->id = exposed ? "latency-exposed" : "latency-hidden";
    f->severity = exposed ? SEVERITY_ADVICE : SEVERITY_INFO;
    f->arm = p->counters->arm;
    f->variant = arena_copy(&a->arena, p->counters->variant);
    f->config = arena_copy(&a->arena, p->counters->config);
    f->claim = arena_copy(&a->arena, str_text(&claim));
    f->advice = advice_of(a, p, exposed);
    int rc = claim.failed ? err_memory(e) : add_evidence(a, f, p, lower, measured, e);
    str_release(&claim);
    return rc;
}

/* Programs get a bound and no more: whose kernels they are, and whether
 * stages could be added to them, is not known. */
int latency_analyze(struct analysis *a, struct err *e)
{
    if (bundle_programs(a->bundle))
        return 0;
    const struct counters_list *counters = &a->run->counters;
    int rc = 0;
    for (size_t i = 0; i < counters->count && !rc; i++) {
        struct picture picture;
        if (arm_is_instrumented(counters->items[i].arm) || !read_picture(&picture, &counters->items[i]))
            continue;
        struct lower lower = find_lower(counters, &counters->items[i]);
        rc = add_finding(a, counters, &picture, &lower, e);
    }
    return rc;
}
