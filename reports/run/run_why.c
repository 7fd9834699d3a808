/* Why is it faster or not, is the copying hidden, and what is there to try? A sentence each. */
#include <math.h>
#include <string.h>

#include "reports/run/run_screen.h"
#include "run/instrumented_arm.h"

/* Shares of the time in which warps wait for loads. */
#define HIDDEN_MOST        0.01
#define MOSTLY_HIDDEN_MOST 0.1

enum { PART_BYTES = 110, CLAUSE_BYTES = 150, INSIDES_MAX = 3 }; /* of a sentence that a section has in full */

void screen_line(struct document *d, const char *question)
{
    document_bullet(d);
    document_span(d, SPAN_STRONG, "%s:", question);
    document_span(d, SPAN_PLAIN, " ");
}

/* A part that is too long by itself ends where an explanation of it begins, if it has one. */
static size_t first_clause(const char *text, size_t length)
{
    size_t end = 0;
    for (size_t i = 0; i + 1 < length && i <= CLAUSE_BYTES; i++)
        if (text[i] == ':' && text[i + 1] == ' ')
            end = i;
    return end ? end : length;
}

void screen_beginning(struct document *d, const char *text, const char *between)
{
    size_t end = 0;
    const char *next = text;
    while (next && (size_t)(next - text) <= PART_BYTES) {
        end = (size_t)(next - text);
        next = strstr(next + (next > text), between);
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
        screen_line(d, "Why");
        screen_beginning(d, f->claim, "; ");
        return;
    }
    const struct transition *t = transition_of(a, leading_comparison(a));
    const struct bound *b = analysis_bound(a, leading_arm(a));
    if (t) {
        screen_line(d, "Why");
        write_arm(a, d, t->candidate, t->config);
        screen_beginning(d, t->text, "; ");
    } else if (b && *b->cause) {
        screen_line(d, "Why");
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
        screen_line(d, "Copy");
        if (is_headline)
            run_inside_waits(row, d);
        else
            run_inside_verdict(row, d);
    }
}

/* NAN of an arm whose time is not known by its parts. */
static double lost_share(const struct bound *b, const char *part)
{
    if (!b || !b->lost_count)
        return NAN;
    for (size_t i = 0; i < b->lost_count; i++)
        if (!strcmp(b->lost[i].name, part))
            return b->lost[i].share;
    return 0; /* too little for a part of its own */
}

/* "26.8% -> 0.0%" of one beside another, else "26.8%". */
static void write_share(struct document *d, const struct bound *before, const struct bound *of, const char *part)
{
    if (before) {
        words_unit(d, UNIT_RATIO, lost_share(before, part));
        document_span(d, SPAN_PLAIN, " -> ");
    }
    words_unit(d, UNIT_RATIO, lost_share(of, part));
}

/* Who waits in a loop on an mbarrier is not seen by this counter. */
static const char *hidden_words(double waits)
{
    return waits <= HIDDEN_MOST          ? "hidden, by its counters:"
           : waits <= MOSTLY_HIDDEN_MOST ? "mostly hidden, by its counters:"
                                         : "exposed:";
}

static void add_copy(const struct analysis *a, struct document *d)
{
    const struct comparison *c = leading_comparison(a);
    const struct bound *of = analysis_bound(a, c ? c->cand.arm : leading_arm(a)),
                       *before = c ? analysis_bound(a, c->base.arm) : NULL;
    if (a->insides.count) {
        add_insides(a, d);
        return;
    }
    if (!of || !isfinite(lost_share(of, "long_scoreboard"))) {
        if (!of)
            return;
        screen_line(d, "Copy");
        document_span(d, SPAN_PLAIN, "not known from these counters; ");
        document_span(d, SPAN_CODE, "run --inside");
        document_span(d, SPAN_PLAIN, " looks into the kernels");
        return;
    }
    screen_line(d, "Copy");
    if (before == of || !before || !isfinite(lost_share(before, "long_scoreboard")))
        before = NULL;
    write_arm(a, d, of->variant, of->config);
    document_span(d, SPAN_PLAIN, "%s waits for loads ", hidden_words(lost_share(of, "long_scoreboard")));
    write_share(d, before, of, "long_scoreboard");
    document_span(d, SPAN_PLAIN, " of the time, at barriers ");
    write_share(d, before, of, "barrier");
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
static bool add_mending(const struct analysis *a, const struct arm *arm, struct document *d)
{
    const struct selection_check *selection = arm ? analysis_selection(a, arm) : NULL;
    if (!selection || selection->status != VERDICT_FAIL)
        return false;
    screen_line(d, "To try");
    document_span(d, SPAN_PLAIN, "mend what launches ");
    document_span(d, SPAN_CODE, "%s", arm->variant);
    document_span(d, SPAN_PLAIN, ", and run it again: these times are of the kernel that ran");
    return true;
}

static void add_next(const struct analysis *a, struct document *d)
{
    const struct arm *arm = leading_arm(a);
    if (add_mending(a, arm, d))
        return;
    const struct prediction *p = best_prediction(a, arm);
    const struct bound *b = analysis_bound(a, arm);
    char low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    if (!p && (!b || !*b->advice))
        return;
    screen_line(d, "To try");
    write_arm(a, d, arm->variant, "");
    if (p)
        document_span(d, SPAN_PLAIN, "%s, predicted gain %s to %s", p->change,
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
    add_copy(a, d);
    add_next(a, d);
}
