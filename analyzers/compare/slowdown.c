/* A candidate became slower: what do its warps wait for that those of the baseline do not? */
#include <math.h>
#include <string.h>

#include "analyzers/entries.h"
#include "core/base/str.h"
#include "core/base/units.h"
#include "core/gpu/thresholds.h"
#include "core/run/counters.h"

enum { REASONS = 2 };

/* Cycles of all warps of an arm in which they wait for one reason, before and after. */
struct growth {
    const struct metric *stall;
    double base, cand;
};

struct slowdown {
    double base, cand;            /* cycles of all warps */
    struct growth grown[REASONS]; /* those that are a good part of what came on top, the largest first */
    size_t count;
    bool has_copies; /* as many asynchronous copies in both: waiting longer for loads is waiting for those */
};

/* A ratio per instruction, times the instructions. */
static double warp_cycles(const struct counters *c, const char *metric)
{
    return counters_value(c, metric) * counters_value(c, METRIC_INSTRUCTIONS);
}

static double more(const struct growth *g)
{
    return g->cand - g->base;
}

static void put_in_order(struct slowdown *s, struct growth g)
{
    for (size_t i = 0; i < REASONS; i++) {
        if (i < s->count && more(&s->grown[i]) >= more(&g))
            continue;
        const struct growth next = s->grown[i];
        s->grown[i] = g;
        g = next;
        if (i == s->count) {
            s->count++;
            return;
        }
    }
}

static bool has_copies_of(const struct thresholds *t, const struct counters *cand, const struct counters *base)
{
    const double before = counters_value(base, METRIC_LDGSTS), after = counters_value(cand, METRIC_LDGSTS);
    return before > 0 && fabs(after - before) <= threshold(t, THRESHOLD_SIGNAL_FLAT) * before;
}

/* False where no reason stands out. A counter that is missing never grows. */
static bool find_reasons(struct slowdown *s, const struct thresholds *t, const struct counters *base,
                         const struct counters *cand)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    *s = (struct slowdown){.base = warp_cycles(base, METRIC_WARP_LATENCY),
                           .cand = warp_cycles(cand, METRIC_WARP_LATENCY),
                           .has_copies = has_copies_of(t, cand, base)};
    if (!(s->cand > s->base))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (metrics[i].role != METRIC_STALL)
            continue;
        const struct growth g = {&metrics[i], warp_cycles(base, metrics[i].id), warp_cycles(cand, metrics[i].id)};
        if (threshold_reached(more(&g) / (s->cand - s->base), threshold(t, THRESHOLD_SLOWDOWN_SHARE)))
            put_in_order(s, g);
    }
    return s->count > 0;
}

static bool is_about(const struct growth *g, const char *group)
{
    return !strcmp(g->stall->group, group);
}

static const char *advice_for(const struct slowdown *s)
{
    if (is_about(&s->grown[0], "barrier"))
        return "look for a barrier that the baseline does without, and for warps with more work than others";
    if (is_about(&s->grown[0], "long_scoreboard"))
        return s->has_copies ? "start each copy before the work that is to hide it, and wait for it behind that work"
                             : "look for loads whose values are used at once";
    return "";
}

static void write_claim(struct str *out, const struct slowdown *s, const char *baseline)
{
    char text[UNITS_TEXT_BYTES];
    str_addf(out, "slower, and its warps take %s cycles", unit_format(text, UNIT_COUNT, round(s->cand)));
    str_addf(out, " where those of '%s' take %s", baseline, unit_format(text, UNIT_COUNT, round(s->base)));
    for (size_t i = 0; i < s->count; i++) {
        const struct growth *g = &s->grown[i];
        str_addf(out, "; %s %s (%s):", i ? "then" : "what grew most is", g->stall->group, g->stall->meaning);
        str_addf(out, " %s", unit_format(text, UNIT_COUNT, round(g->base)));
        str_addf(out, " -> %s", unit_format(text, UNIT_COUNT, round(g->cand)));
        if (s->has_copies && is_about(g, "long_scoreboard"))
            str_add(out, ", with as many asynchronous copies: less work overlaps with them");
    }
}

static int add_finding(struct analysis *a, const struct comparison *c, const struct slowdown *s, struct err *e)
{
    struct str claim;
    str_init(&claim);
    write_claim(&claim, s, c->baseline);
    struct finding *f =
        claim.failed ? NULL
                     : analysis_finding(a, "slowdown", SEVERITY_ADVICE, c->candidate, c->config, str_text(&claim));
    str_release(&claim);
    if (!f)
        return err_memory(e);
    f->advice = advice_for(s);
    int rc = evidence_add(&a->arena, &f->evidence, "baseline_warp_cycles", s->base, UNIT_CYCLES, e);
    if (!rc)
        rc = evidence_add(&a->arena, &f->evidence, "candidate_warp_cycles", s->cand, UNIT_CYCLES, e);
    for (size_t i = 0; i < s->count && !rc; i++)
        rc = evidence_add(&a->arena, &f->evidence, s->grown[i].stall->name, more(&s->grown[i]), UNIT_CYCLES, e);
    return rc;
}

/* Counters are the same with hot and cold caches: once a pair. */
static bool is_said(const struct analysis *a, const struct comparison *c)
{
    for (size_t i = 0; i < a->findings.count; i++) {
        const struct finding *f = &a->findings.items[i];
        if (!strcmp(f->id, "slowdown") && f->arm == c->cand.arm)
            return true;
    }
    return false;
}

int slowdown_analyze(struct analysis *a, struct err *e)
{
    if (bundle_programs(a->bundle))
        return 0; /* one of several kernels is not alone the reason */
    const struct counters_list *counters = &a->run->counters;
    int rc = 0;
    for (size_t i = 0; i < a->comparisons.count && !rc; i++) {
        const struct comparison *c = &a->comparisons.items[i];
        const struct counters *base = counters_find(counters, c->base.arm);
        const struct counters *cand = counters_find(counters, c->cand.arm);
        struct slowdown slowdown;
        if (c->verdict == COMPARE_SLOWER && base && cand && !is_said(a, c) &&
            find_reasons(&slowdown, &a->thresholds, base, cand))
            rc = add_finding(a, c, &slowdown, e);
    }
    return rc;
}
