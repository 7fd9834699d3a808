/* A candidate became slower: what do its warps wait for that those of the baseline do not? */
#include <math.h>
#include <string.h>

#include "analyzers/entries.h"
#include "base/str.h"
#include "base/units.h"
#include "model/counters.h"
#include "model/evidence.h"
#include "model/thresholds.h"

/* The cycles of all warps of both arms, and of them those in which they wait for one reason. */
struct growth {
    const struct metric *reason;
    double base_all, cand_all;
    double base, cand;
};

/* A ratio per instruction, times the instructions. */
static double warp_cycles(const struct counters *c, const char *metric)
{
    return counters_value(c, metric) * counters_value(c, "instructions");
}

/* The reason that grew most; false when it is less than a good part of what all grew by. */
static bool find_growth(struct growth *g, const struct counters *base, const struct counters *cand)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    *g = (struct growth){NULL, warp_cycles(base, "warp_latency"), warp_cycles(cand, "warp_latency"), 0, 0};
    for (size_t i = 0; i < count; i++) {
        if (metrics[i].role != METRIC_STALL)
            continue;
        const double before = warp_cycles(base, metrics[i].id), after = warp_cycles(cand, metrics[i].id);
        if (after - before > g->cand - g->base) { /* never of a counter that is missing */
            g->reason = &metrics[i];
            g->base = before;
            g->cand = after;
        }
    }
    const double more = g->cand_all - g->base_all;
    return g->reason && more > 0 && threshold_reached((g->cand - g->base) / more, threshold_value(THRESHOLD_SLOWDOWN_SHARE));
}

/* As many asynchronous copies in both: what then waits longer for loads waits for those. */
static bool has_copies_of(const struct counters *cand, const struct counters *base)
{
    const double before = counters_value(base, "ldgsts"), after = counters_value(cand, "ldgsts");
    return before > 0 && fabs(after - before) <= threshold_value(THRESHOLD_SIGNAL_FLAT) * before;
}

static const char *advice_for(const struct growth *g, bool has_copies)
{
    if (!strcmp(g->reason->group, "barrier"))
        return "look for a barrier that the baseline does without, and for warps with more work than others";
    if (!strcmp(g->reason->group, "long_scoreboard"))
        return has_copies ? "start each copy before the work that is to hide it, and wait for it behind that work"
                          : "look for loads whose values are used at once";
    return "";
}

static void write_claim(struct str *out, const struct growth *g, const char *baseline, bool has_copies)
{
    char text[UNITS_TEXT_BYTES];
    str_addf(out, "slower, and its warps take %s cycles", unit_format(text, UNIT_COUNT, round(g->cand_all)));
    str_addf(out, " where those of '%s' take %s;", baseline, unit_format(text, UNIT_COUNT, round(g->base_all)));
    str_addf(out, " what grew most is %s (%s):", g->reason->group, g->reason->meaning);
    str_addf(out, " %s", unit_format(text, UNIT_COUNT, round(g->base)));
    str_addf(out, " -> %s", unit_format(text, UNIT_COUNT, round(g->cand)));
    if (has_copies && !strcmp(g->reason->group, "long_scoreboard"))
        str_add(out, "; it starts as many asynchronous copies, and less work overlaps with them");
}

static int add_finding(struct analysis *a, const struct comparison *c, const struct growth *g, bool has_copies,
                       struct err *e)
{
    struct str claim;
    str_init(&claim);
    write_claim(&claim, g, c->baseline, has_copies);
    struct finding *f =
        claim.failed ? NULL : analysis_finding(a, "slowdown", SEVERITY_ADVICE, c->candidate, c->shape, str_text(&claim));
    str_release(&claim);
    if (!f)
        return err_memory(e);
    f->advice = advice_for(g, has_copies);
    int rc = finding_add_evidence(a, f, "baseline_warp_cycles", g->base_all, UNIT_CYCLES, e);
    if (!rc)
        rc = finding_add_evidence(a, f, "candidate_warp_cycles", g->cand_all, UNIT_CYCLES, e);
    if (!rc)
        rc = finding_add_evidence(a, f, g->reason->name, g->cand - g->base, UNIT_CYCLES, e);
    return rc;
}

/* Counters are the same with hot and cold caches: once a pair. */
static bool is_said(const struct analysis *a, const struct comparison *c)
{
    for (size_t i = 0; i < a->findings.count; i++) {
        const struct finding *f = &a->findings.items[i];
        if (!strcmp(f->id, "slowdown") && !strcmp(f->variant, c->candidate) && !strcmp(f->shape, c->shape))
            return true;
    }
    return false;
}

int slowdown_analyze(struct analysis *a, struct err *e)
{
    if (bundle_programs(a->bundle))
        return 0; /* of several kernels, none of them alone the reason */
    struct counters_list counters;
    counters_list_init(&counters);
    int rc = counters_read(&counters, &a->bundle->tables[BUNDLE_METRICS], e);
    for (size_t i = 0; i < a->comparisons.count && !rc; i++) {
        const struct comparison *c = &a->comparisons.items[i];
        const struct counters *base = counters_find(&counters, c->baseline, c->shape);
        const struct counters *cand = counters_find(&counters, c->candidate, c->shape);
        struct growth growth;
        if (c->verdict == COMPARE_SLOWER && base && cand && !is_said(a, c) && find_growth(&growth, base, cand))
            rc = add_finding(a, c, &growth, has_copies_of(cand, base), e);
    }
    counters_list_release(&counters);
    return rc;
}
