/* What would help, and by how much? Said from one arm's counters alone, then set beside
 * what was measured, where the run holds a candidate with just that change. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/arm_differences.h"
#include "analyzers/bounds/bound_advice.h"
#include "analyzers/bounds/gain_prediction.h"
#include "analyzers/entries.h"
#include "analyzers/run_facts.h"
#include "core/base/array.h"
#include "core/base/str.h"
#include "core/base/units.h"
#include "core/gpu/thresholds.h"
#include "core/run/case_key.h"
#include "core/run/counters.h"
#include "core/run/instrumented_arm.h"

struct shown {
    char text[UNITS_TEXT_BYTES];
};

static struct shown show(double share)
{
    struct shown s;
    unit_format(s.text, UNIT_RATIO, share);
    return s;
}
#define PERCENT(share) show(share).text

static double stall_share(const struct counters *c, const char *id)
{
    return counters_stall_share(c, metric_by_id(id));
}

static bool is_about_stages(enum prediction_kind kind)
{
    return kind == PREDICT_LOAD_AHEAD || kind == PREDICT_LOAD_FURTHER || kind == PREDICT_STAGE;
}

/* ---- because ---- */

static void add_other_limit(struct str *out, const struct bound_inputs *in, bool compute)
{
    const double issue = counters_share(in->counters, metric_by_id(METRIC_ISSUE_SHARE));
    if (compute)
        str_addf(out, "; memory (%s) %s", in->memory_busiest->group, PERCENT(in->shares.memory));
    else
        str_addf(out, "; compute (%s) %s", in->compute_unit->group, PERCENT(in->compute_unit_share));
    if (isfinite(issue) && in->compute_unit != metric_by_id(METRIC_ISSUE_SHARE))
        str_addf(out, ", issue slots %s", PERCENT(issue));
}

static void write_waits(struct str *out, const struct bound_inputs *in)
{
    double busy;
    const struct metric *busiest = counters_busiest_of_all(in->counters, &busy);
    str_addf(out, "warps wait for loads %s and at barriers %s of their cycles; %.1f warps per SM at work",
             PERCENT(stall_share(in->counters, METRIC_STALL_LONG_SCOREBOARD)),
             PERCENT(stall_share(in->counters, METRIC_STALL_BARRIER)),
             counters_value(in->counters, METRIC_WARPS_PER_SM));
    if (busiest)
        str_addf(out, "; %s busy %s", busiest->role == METRIC_PLAIN ? "issue slots" : busiest->group, PERCENT(busy));
}

static void write_idle_sms(struct str *out, const struct bound_inputs *in)
{
    bound_inputs_write_grid(out, in);
    str_addf(out, "; %.2f waves; SMs are at work %s of the time", in->waves,
             PERCENT(counters_value(in->counters, METRIC_ACTIVE_CYCLES) /
                     counters_value(in->counters, METRIC_ELAPSED_CYCLES)));
}

static void write_because(struct str *out, const struct bound_inputs *in, enum prediction_kind kind)
{
    switch (kind) {
    case PREDICT_LAUNCH_GAP:
        str_addf(out, "the device is idle %s of the launch interval", PERCENT(in->shares.launch_idle));
        break;
    case PREDICT_SMALL_GRID:
    case PREDICT_TAIL: write_idle_sms(out, in); break;
    case PREDICT_MEMORY_TRAFFIC:
        str_addf(out, "%s at %s of its peak", in->memory_unit->group, PERCENT(in->memory_unit_share));
        add_other_limit(out, in, false);
        break;
    case PREDICT_COMPUTE_WORK:
        str_addf(out,
                 in->compute_unit == metric_by_id(METRIC_ISSUE_SHARE) ? "%s slots at %s of their peak"
                                                                      : "%s at %s of its peak",
                 in->compute_unit->group, PERCENT(in->compute_unit_share));
        add_other_limit(out, in, true);
        break;
    default: write_waits(out, in); break;
    }
}

/* ---- what was measured ---- */

struct outcomes {
    struct prediction_outcome *items;
    size_t count;
};

static void add_outcome(struct outcomes *out, const struct prediction *p, const char *with, double gain)
{
    if (isfinite(gain))
        out->items[out->count++] = (struct prediction_outcome){with, gain, gain >= p->gain_low && gain <= p->gain_high};
}

/* The row of the bundle's counters; caches that were flushed are another matter. */
static bool is_measured(const struct comparison *row, const struct prediction *p)
{
    return row->base.arm == p->arm && row->verdict < COMPARE_UNUSABLE && strcmp(row->cache, "cold") != 0;
}

static bool is_predicted(const struct predicted *list, size_t count, enum prediction_kind kind)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].kind == kind)
            return true;
    return false;
}

/* Where one tile is enough, nothing else is predicted for candidates that load further ahead. */
static enum prediction_kind fitting(const struct predicted *list, size_t count, enum prediction_kind kind)
{
    return kind == PREDICT_LOAD_FURTHER && !is_predicted(list, count, kind) ? PREDICT_LOAD_AHEAD : kind;
}

/* Does it run one kernel, whose time is that of the arm? */
static bool is_alone(const struct counters_list *all, const struct counters *c)
{
    return counters_kernels(all, c->arm) == 1;
}

/* One arm, all that is predicted of it, and where to look for what became of it. */
struct question {
    struct analysis *a;
    const struct counters_list *all;
    const struct run_facts *facts; /* NULL: no variant of the run improves on another */
    const struct bound_inputs *in;
    const struct predicted *list;
    size_t count;
};

/* Does this variant have the change of kind `kind` beside the arm that was asked about, and nothing else? */
static bool is_candidate(const struct question *q, const struct arm *arm, enum prediction_kind kind)
{
    const struct counters *c = counters_find(q->all, arm);
    const struct bound_inputs cand = bound_inputs_gather(q->a, c, arm, c ? c->kernel : "");
    const enum prediction_kind is = c && is_alone(q->all, c) ? prediction_recognise(q->in, &cand) : PREDICTION_KINDS;
    return is != PREDICTION_KINDS && fitting(q->list, q->count, is) == kind;
}

static void find_compared(const struct question *q, enum prediction_kind kind, const struct prediction *p,
                          struct outcomes *out)
{
    for (size_t i = 0; i < q->a->comparisons.count; i++) {
        const struct comparison *row = &q->a->comparisons.items[i];
        if (is_measured(row, p) && is_candidate(q, row->cand.arm, kind))
            add_outcome(out, p, row->candidate, row->gain);
    }
}

/* Timed with warm caches, and not found to be wrong or another kernel. */
static bool is_usable(const struct analysis *a, const struct arm *arm)
{
    const struct arm_rows rows = analysis_rows(a, ARM_COMPARISONS, arm);
    for (size_t i = rows.first; i < rows.end; i++)
        if (a->comparisons.items[i].cand.arm == arm && a->comparisons.items[i].verdict >= COMPARE_UNUSABLE)
            return false;
    return analysis_timing(a, arm) != NULL;
}

/* Variants that were written to improve on this one, which is not what the run compares them with: the ratio of the
 * two arms. */
static int find_improved(const struct question *q, enum prediction_kind kind, const struct prediction *p,
                         struct outcomes *out, struct err *e)
{
    const struct table *t = &q->a->bundle->tables[BUNDLE_VARIANTS];
    for (size_t row = 0; row < table_rows(t) && q->facts; row++) {
        const struct arm *arm = q->a->run->tables[BUNDLE_VARIANTS].arms[row];
        if (arm == p->arm || arm->config != p->arm->config ||
            strcmp(table_text(t, row, VARIANTS_IMPROVES_ON), p->variant) != 0 ||
            !strcmp(table_text(t, row, VARIANTS_BASELINE), p->variant) || !is_candidate(q, arm, kind) ||
            !is_usable(q->a, arm) || !is_usable(q->a, p->arm))
            continue;
        double ratio;
        struct fact_interval known;
        if (run_facts_time_ratio(q->facts, arm, p->arm, &ratio, &known, e))
            return e->code;
        if (!*known.doubt)
            add_outcome(out, p, arena_copy(&q->a->arena, arm->variant), 1 - ratio);
    }
    return 0;
}

/* The same variant at the same config with twice the blocks per SM. */
static void find_twice_the_blocks(struct analysis *a, const struct prediction *p, struct outcomes *out)
{
    const struct timing_summary *now = analysis_timing(a, p->arm);
    struct str rest, other_rest;
    long blocks, other;
    str_init(&rest);
    str_init(&other_rest);
    const bool has_blocks = now && case_key_split(p->config, CASE_KEY_OCCUPANCY, &blocks, &rest);
    for (size_t i = 0; i < a->timings.count && has_blocks; i++) {
        const struct timing_summary *t = &a->timings.items[i];
        if (t->arm->variant != p->arm->variant || strcmp(t->cache, now->cache) ||
            !case_key_split(t->config, CASE_KEY_OCCUPANCY, &other, &other_rest) || other != 2 * blocks ||
            strcmp(str_text(&rest), str_text(&other_rest)))
            continue;
        add_outcome(out, p, arena_printf(&a->arena, "%s=%ld", CASE_KEY_OCCUPANCY, other), 1 - t->p50_ns / now->p50_ns);
    }
    str_release(&rest);
    str_release(&other_rest);
}

/* ---- advice ---- */

static struct bound *bound_of(struct analysis *a, const struct counters *c)
{
    const struct arm_rows rows = analysis_rows(a, ARM_BOUNDS, c->arm);
    for (size_t i = rows.first; i < rows.end; i++) {
        struct bound *b = &a->bounds.items[i];
        if (b->arm == c->arm && (!*c->kernel || !strcmp(b->kernel, c->kernel)))
            return b;
    }
    return NULL;
}

static void join_advice(struct analysis *a, const char **text, const char *first)
{
    *text = arena_printf(&a->arena, "%s%s%s", first, **text ? "; " : "", *text);
}

/* Why a change of the way of loading brings nothing; NULL when it may, or was not asked about. What warps wait for
 * is a share of their own time: SMs without a block, and gaps between launches, wait for no load. */
static const char *ruled_out(struct analysis *a, const struct bound_inputs *in, const struct predicted *p)
{
    const double small = threshold(&a->thresholds, THRESHOLD_SMALL_GAIN),
                 waits = stall_share(in->counters, METRIC_STALL_LONG_SCOREBOARD);
    if (!is_about_stages(p->kind) || p->low >= small)
        return NULL;
    if (waits < small)
        return arena_printf(&a->arena, "%s: long-scoreboard stalls are %s of the warps' cycles",
                            prediction_change(p->kind), PERCENT(waits));
    return p->high < small
               ? arena_printf(&a->arena, "%s: predicted gain at most %s", prediction_change(p->kind), PERCENT(p->high))
               : NULL;
}

/* What may help by the numbers is not denied in general; of stages the numbers say it in any case. */
static void drop_denied(const struct analysis *a, struct bound *b, const struct predicted *list, size_t count)
{
    const struct bound_advice *general = bound_advice_for(b->class_, b->advised_by);
    for (size_t i = 0; i < count && general; i++)
        if ((general->denies >> list[i].kind & 1) &&
            (threshold_reached(list[i].high, threshold(&a->thresholds, THRESHOLD_SMALL_GAIN)) ||
             strstr(general->will_not_help, "stages")))
            b->will_not_help = "";
}

/* What does not help is not to be tried either. */
static void take_back(struct analysis *a, struct bound *b, const struct bound_inputs *in, const struct predicted *list,
                      size_t count)
{
    const char *rest = bound_advice_without_stages(b->class_, b->advised_by);
    if (!rest)
        return;
    const char *general = bound_advice_for(b->class_, b->advised_by)->advice;
    const size_t length = strlen(general);
    for (size_t i = 0; i < count; i++)
        if (!strncmp(b->advice, general, length) && ruled_out(a, in, &list[i])) {
            b->advice = arena_printf(&a->arena, "%s%s", rest, b->advice + length);
            return;
        }
}

static const char tma_not_shown[] = " (unless it loads by TMA already, which these counters do not show)";

/* Numbers come before what holds in general; what the general words say about stages
 * gives way to what the numbers say. */
static void advise(struct analysis *a, struct bound *b, const struct bound_inputs *in, const struct predicted *p)
{
    const double small = threshold(&a->thresholds, THRESHOLD_SMALL_GAIN);
    if (p->kind == PREDICT_MEMORY_TRAFFIC || p->kind == PREDICT_COMPUTE_WORK)
        return; /* how is what the general words say */
    if (p->low >= small) {
        const bool copies =
            p->kind == PREDICT_LOAD_AHEAD || p->kind == PREDICT_LOAD_FURTHER; /* of kernels without cp.async */
        join_advice(a, &b->advice,
                    arena_printf(&a->arena, "%s: predicted gain %s to %s%s", prediction_change(p->kind),
                                 PERCENT(p->low), PERCENT(p->high),
                                 copies && analysis_has_tma(a) ? tma_not_shown : ""));
        return;
    }
    const char *why_not = ruled_out(a, in, p);
    if (why_not)
        join_advice(a, &b->will_not_help, why_not);
}

/* ---- all of one arm ---- */

/* When an arm has several kernels, only the time of all was measured. */
static int find_outcomes(const struct question *q, enum prediction_kind kind, const struct prediction *p,
                         struct outcomes *out, struct err *e)
{
    if (kind == PREDICT_BLOCKS)
        find_twice_the_blocks(q->a, p, out);
    if (!is_about_stages(kind))
        return 0;
    find_compared(q, kind, p, out);
    return find_improved(q, kind, p, out, e);
}

/* There is room for all that there could be; what there is stays, in the arena. */
static int keep_outcomes(struct arena *arena, struct prediction *p, const struct outcomes *out, struct err *e)
{
    p->outcome_count = out->count;
    p->outcomes = out->count ? arena_alloc(arena, out->count * sizeof *out->items) : NULL;
    if (out->count && !p->outcomes)
        return err_memory(e);
    if (out->count)
        memcpy(p->outcomes, out->items, out->count * sizeof *out->items);
    return 0;
}

static int add_prediction(const struct question *q, size_t at, struct err *e)
{
    struct analysis *a = q->a;
    const struct counters *c = q->in->counters;
    const struct predicted *of = &q->list[at];
    const size_t most = a->comparisons.count + a->timings.count + table_rows(&a->bundle->tables[BUNDLE_VARIANTS]) + 1;
    struct prediction *p = ARRAY_PUSH(&a->predictions);
    struct outcomes out = {calloc(most, sizeof *out.items), 0};
    struct str because;
    if (!p || !out.items) {
        free(out.items);
        return err_memory(e);
    }
    const bool alone = is_alone(q->all, c);
    str_init(&because);
    if (!alone)
        str_addf(&because, "of kernel %s alone: ", c->kernel);
    write_because(&because, q->in, of->kind);
    *p = (struct prediction){.arm = c->arm,
                             .variant = arena_copy(&a->arena, c->variant),
                             .config = arena_copy(&a->arena, c->config),
                             .id = prediction_id(of->kind),
                             .change = prediction_change(of->kind),
                             .because = arena_copy(&a->arena, str_text(&because)),
                             .assumption = prediction_assumption(of->kind),
                             .gain_low = of->low,
                             .gain_high = of->high};
    int rc = because.failed ? err_memory(e) : 0;
    if (alone && !rc)
        rc = find_outcomes(q, of->kind, p, &out, e);
    if (!rc)
        rc = keep_outcomes(&a->arena, p, &out, e);
    free(out.items);
    str_release(&because);
    return rc;
}

static int predict_arm(struct analysis *a, const struct counters_list *all, const struct run_facts *facts,
                       const struct counters *c, struct err *e)
{
    if (*arm_no_verdict(a, c->arm))
        return 0; /* nor does a share of its time say anything */
    if (arm_is_instrumented(c->arm))
        return 0; /* nobody makes a build with marks faster */
    const struct bound_inputs in = bound_inputs_gather(a, c, c->arm, c->kernel);
    struct bound *b = bound_of(a, c);
    struct predicted list[PREDICTION_KINDS];
    const size_t count = b ? prediction_make(&in, b->class_, list) : 0;
    const struct question q = {a, all, facts, &in, list, count};
    int rc = 0;
    for (size_t i = 0; i < count && !rc; i++)
        rc = add_prediction(&q, i, e);
    if (b && !rc) {
        take_back(a, b, &in, list, count);
        drop_denied(a, b, list, count);
    }
    for (size_t i = count; i-- > 0 && !rc;) /* the first comes to stand first */
        advise(a, b, &in, &list[i]);
    return rc;
}

static bool any_improves(const struct analysis *a)
{
    const struct table *t = &a->bundle->tables[BUNDLE_VARIANTS];
    for (size_t row = 0; row < table_rows(t); row++)
        if (*table_text(t, row, VARIANTS_IMPROVES_ON))
            return true;
    return false;
}

/* Programs get a bound and no more: nobody knows whose kernels they run. */
int prediction_analyze(struct analysis *a, struct err *e)
{
    if (bundle_programs(a->bundle))
        return 0;
    struct run_facts *facts = NULL;
    const struct counters_list *counters = &a->run->counters;
    int rc = 0;
    if (!rc && any_improves(a))
        rc = run_facts_new(&facts, a, e);
    for (size_t i = 0; i < counters->count && !rc; i++)
        rc = predict_arm(a, counters, facts, &counters->items[i], e);
    run_facts_free(facts);
    return rc;
}
