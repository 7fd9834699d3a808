/* How does the gain change with more blocks per SM, and why?
 *
 * A variant that hides latency inside a block gains most where an SM has few
 * blocks: with more, other blocks' work already fills the waits. The baseline's
 * own counters say whether that is what happened. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/entries.h"
#include "core/base/array.h"
#include "core/base/str.h"
#include "core/gpu/thresholds.h"
#include "core/run/case_key.h"
#include "core/run/counters.h"

enum { POINTS_MAX = 16 };

/* A decided comparison at one number of blocks per SM. */
struct point {
    const struct comparison *row;
    long blocks_per_sm;
    const char *unit; /* what the baseline keeps busiest: "issue", "fma", "dram" */
    double busy;      /* how busy; NAN when it was not counted */
};

struct trend {
    struct point items[POINTS_MAX];
    size_t count;
};

static bool is_decided(const struct comparison *c)
{
    return isfinite(c->gain) &&
           (c->verdict == COMPARE_FASTER || c->verdict == COMPARE_SLOWER || c->verdict == COMPARE_EQUIVALENT);
}

/* A launch alone costs more than one of a graph, of either arm: gains of both kinds are no trend. */
static bool is_timed_like(const struct comparison *a, const struct comparison *b)
{
    return (a->base.batch > 1) == (b->base.batch > 1);
}

static int by_blocks(const void *a, const void *b)
{
    const struct point *left = a, *right = b;
    return left->blocks_per_sm < right->blocks_per_sm ? -1 : left->blocks_per_sm > right->blocks_per_sm;
}

/* Every point of the same pair that differs from `first` in blocks per SM only;
 * empty when `first` is not the first of them, so that each trend is told once. */
static void gather(struct trend *trend, const struct analysis *a, size_t first, const struct counters_list *counters)
{
    const struct comparison *head = &a->comparisons.items[first];
    struct str head_rest, rest;
    str_init(&head_rest);
    str_init(&rest);
    long blocks;
    trend->count = 0;
    bool told = !is_decided(head) || !case_key_split(head->config, CASE_KEY_OCCUPANCY, &blocks, &head_rest);
    for (size_t i = 0; i < a->comparisons.count && !told && trend->count < POINTS_MAX; i++) {
        const struct comparison *c = &a->comparisons.items[i];
        if (!is_decided(c) || !is_timed_like(c, head) || strcmp(c->cache, head->cache) ||
            strcmp(c->baseline, head->baseline) || strcmp(c->candidate, head->candidate) ||
            !case_key_split(c->config, CASE_KEY_OCCUPANCY, &blocks, &rest) ||
            strcmp(str_text(&rest), str_text(&head_rest)))
            continue;
        told = i < first;
        const struct counters *counted = counters_find(counters, c->base.arm);
        double busy = NAN;
        const struct metric *unit = counted ? counters_busiest_of_all(counted, &busy) : NULL;
        trend->items[trend->count++] = (struct point){c, blocks, unit ? unit->group : "", unit ? busy : NAN};
    }
    if (told)
        trend->count = 0;
    qsort(trend->items, trend->count, sizeof trend->items[0], by_blocks);
    str_release(&head_rest);
    str_release(&rest);
}

/* Gains differ when their intervals do not touch. The interval is the ratio's:
 * a higher ratio is a lower gain. */
static bool is_lower(const struct comparison *a, const struct comparison *b)
{
    return a->ci_low > b->ci_high;
}

static void add_gains(struct str *out, const struct trend *t)
{
    const struct comparison *first = t->items[0].row, *last = t->items[t->count - 1].row;
    const char *moves = is_lower(last, first) ? "falls" : is_lower(first, last) ? "rises" : "hardly changes:";
    str_addf(out, "the gain of '%s' over '%s' %s from %.1f%% at " CASE_KEY_OCCUPANCY "=%ld to", first->candidate,
             first->baseline, moves, first->gain * 100, t->items[0].blocks_per_sm);
    for (size_t i = 1; i < t->count; i++)
        str_addf(out, "%s %.1f%% at %ld",
                 i == 1              ? ""
                 : i + 1 == t->count ? " and"
                                     : ",",
                 t->items[i].row->gain * 100, t->items[i].blocks_per_sm);
}

/* "issue slots" when that is what is busiest at every point. */
static const char *busiest_name(const struct trend *t)
{
    for (size_t i = 1; i < t->count; i++)
        if (strcmp(t->items[i].unit, t->items[0].unit))
            return "busiest resource";
    return strcmp(t->items[0].unit, "issue") ? t->items[0].unit : "issue slots";
}

/* Only the baseline's own rising use of what it keeps busiest is a reason. */
static bool add_reason(struct str *out, const struct thresholds *thresholds, const struct trend *t)
{
    const struct point *first = &t->items[0], *last = &t->items[t->count - 1];
    if (!is_lower(last->row, first->row) ||
        !threshold_reached(last->busy - first->busy, threshold(thresholds, THRESHOLD_HIDDEN_RISE)))
        return false;
    str_addf(out,
             ": occupancy already hides the latency that it would hide: with more blocks per SM '%s' alone keeps its "
             "%s busy",
             first->row->baseline, busiest_name(t));
    for (size_t i = 0; i < t->count; i++)
        str_addf(out, "%s %.1f%%", !i ? "" : i + 1 == t->count ? " and" : ",", t->items[i].busy * 100);
    str_addf(out, " of elapsed cycles");
    return true;
}

static int add_finding(struct analysis *a, const struct trend *t, struct err *e)
{
    struct str claim;
    str_init(&claim);
    add_gains(&claim, t);
    bool reason = add_reason(&claim, &a->thresholds, t);
    struct finding *f = ARRAY_PUSH(&a->findings);
    int rc = f && !claim.failed ? 0 : err_memory(e);
    if (!rc) {
        f->id = "gain-by-occupancy";
        f->severity = SEVERITY_INFO;
        f->variant = "";
        f->config = "";
        f->claim = arena_copy(&a->arena, str_text(&claim));
        f->advice = reason ? "choose the number of blocks per SM first; more stages pay where few blocks fit" : "";
    }
    for (size_t i = 0; i < t->count && !rc; i++) {
        const char *at = arena_printf(&a->arena, CASE_KEY_OCCUPANCY "=%ld gain", t->items[i].blocks_per_sm);
        rc = evidence_add(&a->arena, &f->evidence, at, t->items[i].row->gain, UNIT_RATIO, e);
        at = arena_printf(&a->arena, CASE_KEY_OCCUPANCY "=%ld baseline busy", t->items[i].blocks_per_sm);
        if (!rc)
            rc = evidence_add(&a->arena, &f->evidence, at, t->items[i].busy, UNIT_RATIO, e);
    }
    str_release(&claim);
    return rc;
}

int gain_trend_analyze(struct analysis *a, struct err *e)
{
    const struct counters_list *counters = &a->run->counters;
    int rc = 0;
    for (size_t i = 0; i < a->comparisons.count && !rc; i++) {
        struct trend trend;
        gather(&trend, a, i, counters);
        if (trend.count > 1)
            rc = add_finding(a, &trend, e);
    }
    return rc;
}
