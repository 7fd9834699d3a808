/* Why is it faster or not, is the copying hidden, and what is there to try? A sentence each. */
#include <math.h>
#include <string.h>

#include "core/run/instrumented_arm.h"
#include "core/run/run.h"
#include "reports/run/run_screen.h"

/* Shares of the time in which warps wait for loads. */
#define HIDDEN_MOST        0.01
#define MOSTLY_HIDDEN_MOST 0.1
/* Where SMs work less than that, waits are a small share of the time whatever they are of the work. */
#define AT_WORK_LEAST 0.5

enum { PART_BYTES = 110, CLAUSE_BYTES = 150, INSIDES_MAX = 2 }; /* of a sentence that a section has in full */

/* A part that is too long by itself ends where an explanation of it begins, if it has one. A path says nothing by
 * itself: it has no explanation. */
static size_t first_clause(const char *text, size_t length)
{
    size_t end = 0;
    for (size_t i = 0; i + 1 < length && i <= CLAUSE_BYTES; i++)
        if (text[i] == ':' && text[i + 1] == ' ' && memchr(text, ' ', i))
            end = i;
    return end ? end : length;
}

void screen_beginning(struct document *d, const char *text, const char *between)
{
    size_t end = 0;
    const char *next = strstr(text, between);
    while (next && (size_t)(next - text) <= PART_BYTES) {
        end = (size_t)(next - text);
        next = strstr(next + 1, between); /* one that the text begins with, too */
    }
    if (!next && strlen(text) <= PART_BYTES)
        end = strlen(text);
    else if (!end)
        end = first_clause(text, strcspn(text, ";"));
    document_span(d, SPAN_PLAIN, "%.*s", (int)end, text);
}

/* ---- why ---- */

/* The comparison that the first line is about: of several the fastest, or the worst where none is faster. */
static const struct comparison *leading_comparison(const struct analysis *a)
{
    const struct comparison *best = NULL;
    for (size_t i = 0; i < a->comparisons.count; i++) {
        const struct comparison *c = &a->comparisons.items[i];
        if (c->verdict < COMPARE_UNUSABLE && isfinite(c->speedup) && (!best || c->speedup > best->speedup))
            best = c;
    }
    return best;
}

static const struct transition *transition_of(const struct analysis *a, const struct comparison *c)
{
    for (size_t i = 0; c && i < a->transitions.count; i++)
        if (a->transitions.items[i].cand == c->cand.arm)
            return &a->transitions.items[i];
    return NULL;
}

/* The arm that somebody would work on next. */
static const struct arm *leading_arm(const struct analysis *a)
{
    const struct comparison *c = leading_comparison(a);
    if (c && c->verdict != COMPARE_SLOWER)
        return c->cand.arm;
    if (c)
        return c->base.arm;
    return a->timings.count ? analysis_arm(a, a->timings.items[0].variant, a->timings.items[0].config) : NULL;
}

/* A finding that says why the times are as they are. */
static const struct finding *explanation(const struct analysis *a)
{
    for (size_t i = 0; i < a->findings.count; i++)
        if (!strcmp(a->findings.items[i].id, "gain-by-occupancy") && !arm_is_instrumented(a->findings.items[i].arm))
            return &a->findings.items[i];
    return NULL;
}

/* Whose it is: known where one arm is compared with one. */
static void write_arm(const struct analysis *a, struct document *d, const char *variant, const char *config)
{
    if (a->comparisons.count == 1)
        return;
    words_arm(d, variant, config);
    document_span(d, SPAN_PLAIN, ": ");
}

static void add_why(const struct analysis *a, struct document *d)
{
    const struct finding *f = explanation(a);
    if (f) {
        document_fact(d, "Why");
        screen_beginning(d, f->claim, "; ");
        return;
    }
    const struct transition *t = transition_of(a, leading_comparison(a));
    const struct bound *b = analysis_only_bound(a, leading_arm(a));
    if (t) {
        document_fact(d, "Why");
        write_arm(a, d, t->candidate, t->config);
        if (!analysis_bound(a, t->cand))
            document_span(d, SPAN_PLAIN, "not known, what differs: ");
        screen_beginning(d, t->text, "; ");
    } else if (b && *b->cause) {
        document_fact(d, "Why");
        words_arm(d, b->variant, b->config);
        document_span(d, SPAN_PLAIN, ": ");
        screen_beginning(d, b->cause, "; ");
    }
}

/* ---- is the copy hidden? ---- */

/* A single one is the first line, unless arms are compared. */
static void add_insides(const struct analysis *a, struct document *d)
{
    const bool is_headline = a->insides.count == 1 && !a->comparisons.count;
    for (size_t i = 0; i < a->insides.count && i < INSIDES_MAX; i++) {
        const struct inside *row = &a->insides.items[i];
        if (is_headline && !(row->is_ok && isfinite(row->exposed_wait.value)))
            continue;
        document_fact(d, "Copy");
        if (is_headline)
            run_inside_rest(row, d);
        else
            run_inside_line(row, d);
    }
    if (a->insides.count > INSIDES_MAX)
        document_span(d, SPAN_PLAIN, "; and %zu more: see Inside", a->insides.count - INSIDES_MAX);
}

/* Waits for which counters were read. */
struct waits {
    double loads, barriers;
};

/* NAN of what was not counted, and of an arm whose time is not known by its parts. */
static double lost_share(const struct bound *b, const struct counters *c, const char *part, const char *metric)
{
    if (!b->lost_count || !c || !isfinite(counters_value(c, metric)))
        return NAN;
    for (size_t i = 0; i < b->lost_count; i++)
        if (!strcmp(b->lost[i].name, part))
            return b->lost[i].share;
    return 0; /* too little for a part of its own */
}

static struct waits waits_of(const struct analysis *a, const struct bound *b)
{
    if (!b || !a->run)
        return (struct waits){NAN, NAN};
    const struct counters *c = counters_find(&a->run->counters, b->arm);
    return (struct waits){lost_share(b, c, "long_scoreboard", METRIC_STALL_LONG_SCOREBOARD),
                          lost_share(b, c, "barrier", METRIC_STALL_BARRIER)};
}

/* The part of a launch that is not its gap, copies, an empty part of the GPU, its begin or its end. */
static double work_share(const struct bound *b)
{
    double share = 0;
    for (size_t i = 0; i < b->lost_count; i++)
        if (b->lost[i].kind == LOST_UNIT || b->lost[i].kind == LOST_STALL)
            share += b->lost[i].share;
    return share;
}

/* "26.8% -> 0.0%" of one beside another, else "26.8%". */
static void write_share(struct document *d, double before, double share)
{
    if (isfinite(before)) {
        words_unit(d, UNIT_RATIO, before);
        document_span(d, SPAN_PLAIN, " -> ");
    }
    words_unit(d, UNIT_RATIO, share);
}

static const char *hidden_word(double waits)
{
    return waits <= HIDDEN_MOST ? "hidden" : waits <= MOSTLY_HIDDEN_MOST ? "mostly hidden" : "exposed";
}

static void add_copy(const struct analysis *a, struct document *d)
{
    const struct comparison *c = leading_comparison(a);
    const struct arm *arm = c ? c->cand.arm : leading_arm(a);
    const struct bound *of = analysis_only_bound(a, arm), *beside = c ? analysis_only_bound(a, c->base.arm) : NULL;
    const size_t kernels = analysis_rows(a, ARM_BOUNDS, arm).count;
    const struct waits waits = waits_of(a, of), before = waits_of(a, beside == of ? NULL : beside);
    if (a->insides.count) {
        add_insides(a, d);
        return;
    }
    if (!kernels)
        return;
    document_fact(d, "Copy");
    if (kernels > 1) {
        document_span(d, SPAN_PLAIN, "not known of ");
        words_arm(d, arm->variant, arm->config);
        document_span(d, SPAN_PLAIN, ", which has %zu kernels: see Bounds", kernels);
        return;
    }
    const double at_work = work_share(of);
    if (isfinite(waits.loads) && at_work < AT_WORK_LEAST) {
        char share[UNITS_TEXT_BYTES];
        document_span(d, SPAN_PLAIN, "not known of ");
        words_arm(d, of->variant, of->config);
        document_span(d, SPAN_PLAIN, ": SMs are at work %s of its time", unit_format(share, UNIT_RATIO, at_work));
        return;
    }
    if (!isfinite(waits.loads)) {
        document_span(d, SPAN_PLAIN, "not known from these counters; ");
        document_span(d, SPAN_CODE, "run --inside");
        document_span(d, SPAN_PLAIN, " looks into the kernels");
        return;
    }
    document_span(d, SPAN_PLAIN, "%s", hidden_word(waits.loads));
    if (a->comparisons.count != 1 || !c) {
        document_span(d, SPAN_PLAIN, " in ");
        words_arm(d, of->variant, of->config);
    }
    /* Who waits in a loop on an mbarrier is not seen by this counter. */
    document_span(d, SPAN_PLAIN, "%s: waits for loads ", waits.loads <= MOSTLY_HIDDEN_MOST ? ", by its counters" : "");
    write_share(d, before.loads, waits.loads);
    document_span(d, SPAN_PLAIN, " of the time, at barriers ");
    write_share(d, before.barriers, waits.barriers);
}

/* ---- what next ---- */

/* What would bring most at least, and was not measured. */
static const struct prediction *best_prediction(const struct analysis *a, const struct arm *arm)
{
    const struct prediction *best = NULL;
    for (size_t i = 0; arm && i < a->predictions.count; i++) {
        const struct prediction *p = &a->predictions.items[i];
        if (p->arm == arm && !p->outcome_count && p->gain_low > 0 && (!best || p->gain_low > best->gain_low))
            best = p;
    }
    return best;
}

/* Whatever else could be tried would be tried on another kernel than the one that is meant. */
static bool add_mending(const struct analysis *a, struct document *d)
{
    size_t wrong = 0;
    while (wrong < a->selection.count && a->selection.items[wrong].status != VERDICT_FAIL)
        wrong++;
    if (wrong == a->selection.count)
        return false;
    document_fact(d, "To try");
    document_span(d, SPAN_PLAIN, "mend what launches ");
    document_span(d, SPAN_CODE, "%s", a->selection.items[wrong].variant);
    document_span(d, SPAN_PLAIN, ", and run it again: these times are of the kernel that ran");
    return true;
}

/* These counters do not show who loads by TMA. */
static bool is_about_loads(const struct prediction *p)
{
    return !strcmp(p->id, "load-ahead") || !strcmp(p->id, "load-further");
}

static void add_next(const struct analysis *a, struct document *d)
{
    const struct arm *arm = leading_arm(a);
    if (add_mending(a, d))
        return;
    const struct prediction *p = best_prediction(a, arm);
    const struct bound *b = analysis_only_bound(a, arm);
    char low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    if (!p && (!b || !*b->advice))
        return;
    document_fact(d, "To try");
    if (a->comparisons.count != 1 || arm != a->comparisons.items[0].cand.arm) { /* the lines above are of another */
        words_arm(d, arm->variant, "");
        document_span(d, SPAN_PLAIN, ": ");
    }
    if (p)
        document_span(d, SPAN_PLAIN, "%s%s, predicted gain %s to %s", p->change,
                      is_about_loads(p) && analysis_has_tma(a) ? " (unless it loads by TMA already)" : "",
                      unit_format(low, UNIT_RATIO, p->gain_low), unit_format(high, UNIT_RATIO, p->gain_high));
    else
        screen_beginning(d, b->advice, "; ");
    if (b && *b->will_not_help) {
        document_span(d, SPAN_PLAIN, "; will not help: %.*s", (int)strcspn(b->will_not_help, ":;"), b->will_not_help);
    }
}

void run_why_add(const struct analysis *a, struct document *d)
{
    add_why(a, d);
    if (!a->solutions.count) /* which have no marks to look into */
        add_copy(a, d);
    add_next(a, d);
}
