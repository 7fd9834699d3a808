/* What is the first line of the report? The gravest thing that there is to say. */
#include <math.h>
#include <string.h>

#include "analyzers/compare/measures.h"
#include "core/base/count_of.h"
#include "reports/run/run_headline.h"

static void write_others(struct document *d, size_t others)
{
    if (others)
        document_span(d, SPAN_PLAIN, " (and %zu more below)", others);
}

/* A program that did not do its work, or none that was to be measured. */
static bool write_program(const struct selection_check *s, struct document *d)
{
    static const struct {
        enum selection_reason reason;
        const char *words;
    } kinds[] = {{SELECTION_PROGRAM_FAILED, "PROGRAM FAILED: "}, {SELECTION_NOTHING_MATCHED, "NOTHING TO MEASURE: "}};
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        if (s->reason != kinds[i].reason)
            continue;
        document_span(d, SPAN_PLAIN, "%s", kinds[i].words);
        document_span(d, SPAN_CODE, "%s", s->variant);
        document_span(d, SPAN_PLAIN, ": %s", s->detail);
        return true;
    }
    return false;
}

/* A kernel with another name ran, none ran, or the right name with the wrong instructions. */
static void write_wrong_kernel(const struct selection_check *s, struct document *d)
{
    const bool missed = s->reason == SELECTION_EXPECTATION_MISSED;
    if (write_program(s, d))
        return;
    document_span(d, SPAN_PLAIN, "WRONG KERNEL: ");
    document_span(d, SPAN_CODE, "%s", s->variant);
    if (s->reason == SELECTION_VERIFIED_DIFFERS) {
        document_span(d, SPAN_PLAIN, " %s", s->detail);
        return;
    }
    if (*s->ran) {
        document_span(d, SPAN_PLAIN, " ran ");
        document_span(d, SPAN_CODE, "%s", s->ran);
    } else {
        document_span(d, SPAN_PLAIN, " ran no kernel");
    }
    document_span(d, SPAN_PLAIN, ", but ");
    if (missed) {
        document_span(d, SPAN_PLAIN, "the counters are not those of the kernel that was meant: %s", s->detail);
        return;
    }
    document_span(d, SPAN_PLAIN, "a kernel matching ");
    document_span(d, SPAN_CODE, "%s", s->meant);
    document_span(d, SPAN_PLAIN, " was meant");
    if (*s->chosen)
        document_span(d, SPAN_PLAIN, " (%s)", s->chosen);
}

static bool headline_selection(const struct analysis *a, struct document *d)
{
    const struct selection_check *first = NULL;
    size_t failed = 0;
    for (size_t i = 0; i < a->selection.count; i++)
        if (analysis_is_wrong_kernel(a, &a->selection.items[i]) && !failed++)
            first = &a->selection.items[i];
    if (!first)
        return false;
    write_wrong_kernel(first, d);
    write_others(d, failed - 1);
    return true;
}

/* An arm counts once, by the witness that weighs most. */
bool run_headline_contradicted(const struct analysis *a, struct document *d)
{
    const struct witness_check *first = NULL, *last = NULL;
    size_t arms = 0;
    for (size_t i = 0; i < a->witnesses.count; i++) {
        const struct witness_check *w = &a->witnesses.items[i];
        if (w->status != WITNESS_CONTRADICTED)
            continue;
        arms += !last || last->arm != w->arm;
        last = w;
        first = first ? first : w;
    }
    if (!first)
        return false;
    document_span(d, SPAN_PLAIN, "CONTRADICTED: ");
    words_arm(d, first->variant, first->config);
    document_span(d, SPAN_PLAIN, ": %s (%s)", first->detail, first->witness);
    write_others(d, arms - 1);
    return true;
}

/* Is a right arm left without what it was to be compared with? */
static bool leaves_nothing_to_compare(const struct analysis *a, const struct correctness *wrong)
{
    for (size_t i = 0; i < a->comparisons.count; i++)
        if (!strcmp(a->comparisons.items[i].baseline, wrong->variant) &&
            a->comparisons.items[i].reason == COMPARISON_WRONG_BASELINE)
            return true;
    return false;
}

/* "with inputs constant, sorted (right with random, one-hot)" */
static void write_wrong_inputs(const struct correctness *c, struct document *d)
{
    if (!*c->wrong_inputs)
        return;
    document_span(d, SPAN_PLAIN, ", with inputs %s", c->wrong_inputs);
    if (*c->right_inputs)
        document_span(d, SPAN_PLAIN, " (right with %s)", c->right_inputs);
}

static void write_wrong_result(const struct analysis *a, const struct correctness *wrong, size_t others,
                               struct document *d)
{
    const bool is_baseline = leaves_nothing_to_compare(a, wrong);
    document_span(d, SPAN_PLAIN, is_baseline ? "WRONG RESULT: the baseline " : "WRONG RESULT: ");
    words_arm(d, wrong->variant, wrong->config);
    document_span(d, SPAN_PLAIN, " failed %lld of %lld checks", (long long)wrong->failed, (long long)wrong->checks);
    write_wrong_inputs(wrong, d);
    document_span(d, SPAN_PLAIN, *wrong->wrong_inputs ? ": up to " : ": ");
    words_unit(d, UNIT_RATIO, wrong->bad_ratio);
    document_span(d, SPAN_PLAIN, " of the values are wrong, largest error %.3g", wrong->max_abs_err);
    if (*analysis_failure(a, wrong))
        document_span(d, SPAN_PLAIN, " (%s)", analysis_failure(a, wrong));
    write_others(d, others);
    if (is_baseline)
        document_span(d, SPAN_PLAIN, "; the others have nothing to compare with");
}

/* A baseline comes first: without it nothing is compared. */
static bool headline_correctness(const struct analysis *a, struct document *d)
{
    const struct correctness *first = NULL;
    size_t failed = 0;
    for (size_t i = 0; i < a->correctness.count; i++) {
        const struct correctness *row = &a->correctness.items[i];
        if (row->status != VERDICT_FAIL)
            continue;
        failed++;
        if (!first || (leaves_nothing_to_compare(a, row) && !leaves_nothing_to_compare(a, first)))
            first = row;
    }
    if (first)
        write_wrong_result(a, first, failed - 1, d);
    return first;
}

static bool headline_identical(const struct analysis *a, struct document *d)
{
    const struct identical_code *same = NULL;
    size_t others = 0;
    for (size_t i = 0; i < a->identical.count; i++)
        if (!a->identical.items[i].launched_alike)
            continue;
        else if (!same)
            same = &a->identical.items[i];
        else
            others++;
    if (!same)
        return false;
    document_span(d, SPAN_PLAIN, "SAME MACHINE CODE: ");
    document_span(d, SPAN_CODE, "%s", same->a);
    document_span(d, SPAN_PLAIN, " and ");
    words_arm(d, same->b, same->config);
    document_span(d, SPAN_PLAIN, " are one kernel; a difference is noise, or of arguments, streams or data");
    write_others(d, others);
    return true;
}

/* Where all is at one case, that is said elsewhere. */
static void write_case(struct document *d, const struct comparison *c)
{
    const char *words = words_case(d, c->config, c->cache);
    if (*words)
        document_span(d, SPAN_PLAIN, " at %s", words);
}

static void write_unusable(struct document *d, const struct comparison *c)
{
    document_span(d, SPAN_PLAIN, "%s", c->detail);
    if (*words_case(d, c->config, c->cache))
        document_span(d, SPAN_PLAIN, ";");
    write_case(d, c);
}

/* "1.33x (gain 24.8%, 95% interval 24.1% to 25.4%, 5 processes) at large" */
static void write_ratio(const struct comparison *c, struct document *d)
{
    struct gain_words words;
    gain_words_of(&words, c);
    words_unit(d, UNIT_FACTOR, c->speedup);
    document_span(d, SPAN_PLAIN, " (");
    if (!words.saturates)
        document_span(d, SPAN_PLAIN, "gain %s, ", words.gain);
    document_span(d, SPAN_PLAIN, "%.0f%% interval %s", c->confidence * 100, words.interval);
    if (c->verdict == COMPARE_EQUIVALENT || c->verdict == COMPARE_INCONCLUSIVE)
        document_span(d, SPAN_PLAIN, c->verdict == COMPARE_EQUIVALENT ? ", all within +-%s" : ", margin +-%s",
                      words.margin);
    document_span(d, SPAN_PLAIN, ", %lld processes)", (long long)c->n_processes);
    write_case(d, c);
}

/* In two bundles both arms may have one name. */
static void write_comparison(const struct comparison *c, struct document *d)
{
    static const struct {
        const char *other_variant, *same_variant;
    } between[] = {
        [COMPARE_INCONCLUSIVE] = {" is neither faster nor slower beyond doubt than ",
                                  " is neither faster nor slower beyond doubt than in the baseline: "},
        [COMPARE_FASTER] = {" is faster than ", " is faster than in the baseline: "},
        [COMPARE_SLOWER] = {" is slower than ", " is slower than in the baseline: "},
        [COMPARE_EQUIVALENT] = {" is as fast as ", " is as fast as in the baseline: "},
        [COMPARE_UNUSABLE] = {" cannot be compared with ", " cannot be compared with the baseline: "},
        [COMPARE_CONTRADICTED] = {" cannot be compared with ", " cannot be compared with the baseline: "},
    };
    document_span(d, SPAN_CODE, "%s", c->candidate);
    if (!strcmp(c->baseline, c->candidate)) {
        document_span(d, SPAN_PLAIN, "%s", between[c->verdict].same_variant);
    } else {
        document_span(d, SPAN_PLAIN, "%s", between[c->verdict].other_variant);
        document_span(d, SPAN_CODE, "%s", c->baseline);
        document_span(d, SPAN_PLAIN, ": ");
    }
    if (c->verdict >= COMPARE_UNUSABLE || !isfinite(c->ratio))
        write_unusable(d, c);
    else
        write_ratio(c, d);
}

static bool same_pair(const struct analysis *a)
{
    for (size_t i = 1; i < a->comparisons.count; i++)
        if (strcmp(a->comparisons.items[0].baseline, a->comparisons.items[i].baseline) ||
            strcmp(a->comparisons.items[0].candidate, a->comparisons.items[i].candidate))
            return false;
    return true;
}

static bool same_baseline(const struct analysis *a)
{
    for (size_t i = 1; i < a->comparisons.count; i++)
        if (strcmp(a->comparisons.items[0].baseline, a->comparisons.items[i].baseline) != 0)
            return false;
    return true;
}

static size_t count_verdict(const struct analysis *a, enum comparison_verdict verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < a->comparisons.count; i++)
        count += a->comparisons.items[i].verdict == verdict;
    return count;
}

/* " (`k10`)": the candidates that are faster, where they are few. */
static void write_faster(const struct analysis *a, struct document *d)
{
    enum { NAMES_MAX = 3 };
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < a->comparisons.count; i++) {
        const struct comparison *c = &a->comparisons.items[i];
        size_t at = 0;
        while (at < count && strcmp(names[at], c->candidate))
            at++;
        if (c->verdict != COMPARE_FASTER || at < count)
            continue;
        if (count == NAMES_MAX)
            return;
        names[count++] = c->candidate;
    }
    for (size_t i = 0; i < count; i++) {
        document_span(d, SPAN_PLAIN, i ? ", " : " (");
        document_span(d, SPAN_CODE, "%s", names[i]);
    }
    if (count)
        document_span(d, SPAN_PLAIN, ")");
}

/* "faster in 1 of 3 comparisons, equivalent in 2": in the order of what people look for. `unit` follows the number of
 * all; where candidates differ and not all are faster, those that are have their names. */
static void write_tally(const struct analysis *a, const char *unit, bool same, struct document *d)
{
    static const enum comparison_verdict order[] = {COMPARE_FASTER,       COMPARE_SLOWER,   COMPARE_EQUIVALENT,
                                                    COMPARE_INCONCLUSIVE, COMPARE_UNUSABLE, COMPARE_CONTRADICTED};
    bool first = true;
    for (size_t i = 0; i < COUNT_OF(order); i++) {
        size_t count = count_verdict(a, order[i]);
        if (!count)
            continue;
        document_span(d, SPAN_PLAIN, "%s%s in %zu", first ? "" : ", ", comparison_verdict_name(order[i]), count);
        if (first)
            document_span(d, SPAN_PLAIN, " of %zu%s", a->comparisons.count, unit);
        if (!same && order[i] == COMPARE_FASTER && count < a->comparisons.count)
            write_faster(a, d);
        first = false;
    }
}

static bool has_speedup(const struct comparison *c)
{
    return c->verdict < COMPARE_UNUSABLE && isfinite(c->speedup);
}

static const struct comparison *first_unusable(const struct analysis *a)
{
    for (size_t i = 0; i < a->comparisons.count; i++)
        if (a->comparisons.items[i].verdict >= COMPARE_UNUSABLE)
            return &a->comparisons.items[i];
    return NULL;
}

/* The rows with the lowest and the highest speedup; NULL when no row was decided. */
struct extremes {
    const struct comparison *lowest, *highest;
};

static struct extremes extremes_of(const struct analysis *a)
{
    struct extremes e = {NULL, NULL};
    bool decided = false;
    for (size_t i = 0; i < a->comparisons.count; i++) {
        const struct comparison *c = &a->comparisons.items[i];
        if (!has_speedup(c))
            continue;
        decided |= c->verdict != COMPARE_INCONCLUSIVE;
        if (!e.lowest || c->speedup < e.lowest->speedup)
            e.lowest = c;
        if (!e.highest || c->speedup > e.highest->speedup)
            e.highest = c;
    }
    return decided ? e : (struct extremes){NULL, NULL};
}

/* The one sweep that all rows are of; NULL when they are of several, or of none. */
static const struct sweep *only_sweep(const struct analysis *a)
{
    const struct sweep *found = NULL;
    for (size_t i = 0; i < a->sweeps.count; i++) {
        const struct sweep *s = &a->sweeps.items[i];
        if (*s->candidate && s->averaged > 1 && s->count == a->comparisons.count)
            found = s;
    }
    return found;
}

/* "1.06x to 2.69x, geometric mean 1.69x over 17 sizes" */
static void write_range(const struct extremes *e, const struct sweep *sweep, struct document *d)
{
    char low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES], average[UNITS_TEXT_BYTES];
    document_span(d, SPAN_PLAIN, "%s to %s", unit_format_factor(low, e->lowest->speedup),
                  unit_format_factor(high, e->highest->speedup));
    if (sweep)
        document_span(d, SPAN_PLAIN, ", geometric mean %s over %zu sizes",
                      unit_format_factor(average, 1 / sweep->average.value), sweep->averaged);
}

static bool is_damaged(const struct analysis *a)
{
    return caveat_has(&a->bundle->caveats, CAVEAT_TRUNCATED);
}

static size_t open_selections(const struct analysis *a)
{
    size_t open = 0;
    for (size_t i = 0; i < a->selection.count; i++)
        open += a->selection.items[i].status == VERDICT_INCONCLUSIVE;
    return open;
}

static size_t open_because(const struct analysis *a, enum selection_reason reason)
{
    size_t count = 0;
    for (size_t i = 0; i < a->selection.count; i++)
        count += a->selection.items[i].reason == reason;
    return count;
}

size_t run_selected_by_name(const struct analysis *a)
{
    return open_because(a, SELECTION_NO_COUNTERS);
}

bool run_selection_lacks_processes(const struct analysis *a)
{
    size_t lacking = 0, passed = 0;
    for (size_t i = 0; i < a->selection.count; i++) {
        const struct selection_check *check = &a->selection.items[i];
        lacking += check->launches > 0 && check->reason == SELECTION_TRACE_INCOMPLETE;
        passed += check->status == VERDICT_PASS;
    }
    return bundle_programs(a->bundle) && lacking && lacking + passed == a->selection.count;
}

struct headline_doubt run_headline_doubt(const struct analysis *a)
{
    struct headline_doubt doubt = {.kernel = !a->selection.count || open_selections(a) > 0,
                                   .result = !a->correctness.count,
                                   .damaged = is_damaged(a)};
    bool is_other = doubt.result;
    for (size_t i = 0; i < a->correctness.count; i++) {
        const struct correctness *row = &a->correctness.items[i];
        const bool is_open = row->status == VERDICT_INCONCLUSIVE, uncompared = analysis_is_uncompared(a, row->arm);
        doubt.result |= is_open && !(uncompared && analysis_accepts_uncompared(a));
        is_other |= is_open && !uncompared;
    }
    doubt.uncompared = doubt.result && !is_other;
    return doubt;
}

/* What is open of all of them where one reason is that of all. */
static void write_unselected(const struct analysis *a, struct document *d)
{
    static const struct {
        enum selection_reason reason;
        const char *open;
    } alone[] = {
        {SELECTION_NO_COUNTERS, "that the kernels that were meant ran (their names say so, no counter does)"},
        {SELECTION_NO_OPERATIONS, "that the declared operations were done"},
        {SELECTION_UNCOUNTED, "times of launches that wait for the GPU inside their call"},
    };
    const size_t open = open_selections(a);
    for (size_t i = 0; i < COUNT_OF(alone); i++)
        if (open && open == open_because(a, alone[i].reason)) {
            document_span(d, SPAN_PLAIN, "; UNPROVEN: %s", alone[i].open);
            return;
        }
    document_span(d, SPAN_PLAIN, "; UNPROVEN: that %s ran%s",
                  bundle_programs(a->bundle) ? "the work that was to be measured" : "the kernels that were meant",
                  run_selection_lacks_processes(a) ? " in every process" : "");
}

/* The failure of the process that was to show it. */
static void write_unverified(const struct analysis *a, struct document *d)
{
    struct str why;
    str_init(&why);
    document_span(d, SPAN_PLAIN, "; UNPROVEN: that the results are right");
    if (bundle_failure_of(a->bundle, "verify", NULL, &why))
        document_span(d, SPAN_PLAIN, " (%s)", str_text(&why));
    d->failed |= why.failed;
    str_release(&why);
}

void run_uncompared_write(const struct analysis *a, struct document *d)
{
    document_span(d, SPAN_PLAIN, "not compared: %s; ", analysis_uncompared_reason(a));
    document_span(d, SPAN_CODE, "run --unverified");
    document_span(d, SPAN_PLAIN, analysis_accepts_uncompared(a) ? " accepted that" : " accepts that");
}

void run_headline_unproven(const struct analysis *a, struct document *d)
{
    const struct headline_doubt doubt = run_headline_doubt(a);
    if (doubt.kernel)
        write_unselected(a, d);
    if (doubt.uncompared)
        document_span(d, SPAN_PLAIN, "; results not compared");
    else if (doubt.result)
        write_unverified(a, d);
    if (doubt.damaged)
        document_span(d, SPAN_PLAIN, "; DAMAGED BUNDLE: see the caveats");
}

/* Where the range is and what is at its lower end: the best row alone would hide the others. */
static void write_several(const struct analysis *a, struct document *d)
{
    const struct comparison *first = &a->comparisons.items[0];
    const struct extremes extremes = extremes_of(a);
    const bool same = same_pair(a);
    if (same) {
        document_span(d, SPAN_CODE, "%s", first->candidate);
        document_span(d, SPAN_PLAIN, " against ");
        document_span(d, SPAN_CODE, "%s", first->baseline);
        document_span(d, SPAN_PLAIN, ": ");
    }
    if (!same && same_baseline(a)) {
        document_span(d, SPAN_PLAIN, "against ");
        document_span(d, SPAN_CODE, "%s", first->baseline);
        document_span(d, SPAN_PLAIN, ": ");
    }
    const struct sweep *sizes = extremes.lowest && same ? only_sweep(a) : NULL;
    if (extremes.lowest && same) {
        write_range(&extremes, sizes, d);
        document_span(d, SPAN_PLAIN, "; ");
    }
    write_tally(a, sizes ? "" : " comparisons", same, d); /* a comparison for each of the sizes that were named */
    if (extremes.lowest && !same) {
        document_span(d, SPAN_PLAIN, ", ");
        write_range(&extremes, NULL, d);
    }
    if (first_unusable(a)) {
        document_span(d, SPAN_PLAIN, "; ");
        write_comparison(first_unusable(a), d);
    }
}

/* The first case at which the measures disagree; NULL: none. */
static const struct comparison *disagreement(const struct analysis *a)
{
    for (size_t i = 0; i < a->comparisons.count; i++)
        if (measures_disagree(&a->comparisons, &a->comparisons.items[i]))
            return &a->comparisons.items[i];
    return NULL;
}

/* "; which is the fastest depends on the measure: by busy `cudnn` (7.69x), by span `flash` (12.8x), ..." */
static void write_disagreement(const struct analysis *a, struct document *d)
{
    const struct comparison *of = disagreement(a);
    if (!of)
        return;
    document_span(d, SPAN_PLAIN, "; which is the fastest");
    write_case(d, of);
    document_span(d, SPAN_PLAIN, " depends on the measure:");
    for (enum measure m = 0; m < MEASURES; m++) {
        const struct comparison *fastest = measure_fastest(&a->comparisons, of, m);
        char factor[UNITS_TEXT_BYTES];
        document_span(d, SPAN_PLAIN, "%s by %s ", m ? "," : "", measure_name(m));
        document_span(d, SPAN_CODE, "%s", fastest ? fastest->candidate : of->baseline);
        if (fastest)
            document_span(d, SPAN_PLAIN, " (%s)", unit_format_factor(factor, 1 / fastest->by[m].ratio));
        else
            document_span(d, SPAN_PLAIN, " (the baseline)");
    }
}

void run_headline_speed(const struct analysis *a, struct document *d)
{
    if (a->comparisons.count == 1)
        write_comparison(&a->comparisons.items[0], d);
    else
        write_several(a, d);
    write_disagreement(a, d);
}

/* "; by span `flash` 12.8x, `cudnn` 9.79x" */
static void write_measure(const struct analysis *a, enum measure m, struct document *d)
{
    enum { SHOWN = 3 };
    char factor[UNITS_TEXT_BYTES];
    size_t shown = 0, count = 0;
    for (size_t i = 0; i < a->comparisons.count; i++) {
        const struct comparison *c = &a->comparisons.items[i];
        if (!isfinite(c->by[m].ratio) || ++count > SHOWN)
            continue;
        if (!shown++)
            document_span(d, SPAN_PLAIN, "; by %s ", measure_name(m));
        else
            document_span(d, SPAN_PLAIN, ", ");
        words_arm(d, c->candidate, c->config);
        document_span(d, SPAN_PLAIN, " %s", unit_format_factor(factor, 1 / c->by[m].ratio));
    }
    if (count > SHOWN)
        document_span(d, SPAN_PLAIN, " and %zu more", count - SHOWN);
}

void run_measures_write(const struct analysis *a, struct document *d)
{
    document_span(d, SPAN_PLAIN, "busy, the time in which work of a sample runs");
    write_measure(a, MEASURE_SPAN, d);
    write_measure(a, MEASURE_INTERVAL, d);
}

/* Nothing was timed, and why: the first process that failed, as the others mostly fail for its reason. */
static bool headline_failure(const struct analysis *a, struct document *d)
{
    struct str text;
    str_init(&text);
    const bool says =
        !table_rows(&a->bundle->tables[BUNDLE_TIMING]) && !is_damaged(a) && bundle_failure(a->bundle, 0, &text);
    if (says) {
        document_span(d, SPAN_PLAIN, "nothing was timed: %s", str_text(&text));
        write_others(d, json_array_size(json_object_get(a->bundle->manifest, "failures")) - 1);
    }
    d->failed |= text.failed;
    str_release(&text);
    return says;
}

/* A solution that ends a process: first, as what it did before is no longer the question. */
static bool headline_broken(const struct analysis *a, struct document *d)
{
    struct str text;
    str_init(&text);
    const bool says = analysis_has_task(a) && !is_damaged(a) &&
                      (bundle_broke_off(a->bundle, NULL, &text) ||
                       (a->identical.count && bundle_failure_with_code(a->bundle, &text)));
    if (says) {
        document_span(d, SPAN_PLAIN, "PROCESS FAILED: %s", str_text(&text));
        write_others(d, json_array_size(json_object_get(a->bundle->manifest, "failures")) - 1);
    }
    d->failed |= text.failed;
    str_release(&text);
    return says;
}

static bool headline_speed(const struct analysis *a, struct document *d)
{
    if (!a->comparisons.count)
        return false;
    run_headline_speed(a, d);
    run_headline_unproven(a, d);
    return true;
}

/* Of a run with marks: what they recorded, or what may wait. */
static bool headline_inside(const struct analysis *a, struct document *d)
{
    if (a->insides.count == 1)
        run_inside_verdict(&a->insides.items[0], d);
    else if (a->insides.count)
        run_inside_counts(a, d);
    else if (a->slacks.count == 1)
        run_slack_answer(&a->slacks.items[0], d);
    else if (a->slacks.count)
        run_slack_counts(a, d);
    else
        return false;
    run_headline_unproven(a, d);
    return true;
}

/* Of a run of one arm: what running its parts together saves is known without another arm. */
static bool headline_both(const struct analysis *a, struct document *d)
{
    char comm[UNITS_TEXT_BYTES], compute[UNITS_TEXT_BYTES], hidden[UNITS_TEXT_BYTES];
    const struct both_parts both = analysis_both_parts(a);
    if (!(both.hidden > 0))
        return false;
    document_span(d, SPAN_PLAIN, ": communication (%s) and compute (%s) run together, %s of the shorter is hidden",
                  unit_format(comm, UNIT_NS, both.comm_ns), unit_format(compute, UNIT_NS, both.compute_ns),
                  unit_format(hidden, UNIT_RATIO, both.hidden));
    return true;
}

static bool headline_timing(const struct analysis *a, struct document *d)
{
    if (!a->timings.count)
        return false;
    const struct timing_summary *t = &a->timings.items[0];
    words_arm(d, t->variant, t->config);
    document_span(d, SPAN_PLAIN, " takes ");
    words_unit(d, UNIT_NS, t->p50_ns);
    document_span(d, SPAN_PLAIN, " (median of %lld samples)", (long long)t->samples);
    if (!headline_both(a, d))
        document_span(d, SPAN_PLAIN, "; nothing to compare it with");
    write_others(d, a->timings.count - 1);
    run_headline_unproven(a, d);
    return true;
}

static bool headline_nothing(const struct analysis *a, struct document *d)
{
    if (is_damaged(a)) /* perhaps more was timed than is left */
        document_span(d, SPAN_PLAIN, "no verdict on speed; DAMAGED BUNDLE: see the caveats");
    else
        document_span(d, SPAN_PLAIN, "nothing was timed: no verdict on speed");
    return true;
}

void run_headline_add(const struct analysis *a, struct document *d)
{
    static bool (*const gravest_first[])(const struct analysis *, struct document *) = {
        run_headline_hang, headline_selection, run_headline_contradicted, headline_correctness,
        headline_broken,   headline_identical, headline_failure,          headline_speed,
        headline_inside,   headline_timing,    headline_nothing,
    };
    document_heading(d, 1, "");
    for (size_t i = 0; !gravest_first[i](a, d); i++)
        ;
}
