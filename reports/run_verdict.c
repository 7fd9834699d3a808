/* What must be seen without scrolling? The verdict, and one line for each question. */
#include <math.h>
#include <string.h>

#include "reports/run_headline.h"
#include "reports/summary_choice.h"
#include "run/instrumented_arm.h"

enum { LINES_MAX = 4, ROWS_MAX = 12 }; /* of one question; the tables below have them all */

static void begin_line(struct document *d, const char *question)
{
    document_bullet(d);
    document_span(d, SPAN_STRONG, "%s:", question);
    document_span(d, SPAN_PLAIN, " ");
}

static void write_rest(struct document *d, size_t count, const char *where)
{
    if (count > LINES_MAX) {
        document_bullet(d);
        document_span(d, SPAN_PLAIN, "and %zu more: %s", count - LINES_MAX, where);
    }
}

/* "latency-bound, fma 21.5%": the class, and the busiest unit of either side. */
static void cell_bound(const struct analysis *a, struct document *d, const struct arm *arm)
{
    const struct bound *b = analysis_bound(a, arm);
    if (!b || b->class_ == BOUND_INCONCLUSIVE) {
        document_cell(d, "unknown");
        return;
    }
    char share[UNITS_TEXT_BYTES];
    bool memory = b->memory_share > b->compute_share;
    const double side = memory ? b->memory_share : b->compute_share;
    document_cell(d, "%s, %s %s", bound_class_name(b->class_),
                  *b->unit ? b->unit
                  : memory ? "memory"
                           : "compute",
                  unit_format(share, UNIT_RATIO, *b->unit ? b->unit_share : side));
}

/* Neither faster nor equivalent: such rows are chosen first. */
static size_t count_grave(const struct analysis *a)
{
    size_t count = 0;
    for (size_t i = 0; i < a->comparisons.count; i++)
        count +=
            a->comparisons.items[i].verdict != COMPARE_FASTER && a->comparisons.items[i].verdict != COMPARE_EQUIVALENT;
    return count;
}

static void write_chosen_rows(const struct analysis *a, const struct summary_choice *choice, struct document *d)
{
    const size_t grave = count_grave(a);
    if (choice->shown == choice->count)
        return;
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "These are %zu of %zu comparisons: ", choice->shown, choice->count);
    if (grave > choice->shown)
        document_span(d, SPAN_PLAIN, "%zu of the %zu that are not faster or equivalent", choice->shown, grave);
    else
        document_span(d, SPAN_PLAIN, "those that are not faster or equivalent, then the largest gains at each shape");
    document_span(d, SPAN_PLAIN, ". And %zu more: see Speed.", choice->count - choice->shown);
}

static void add_comparison_table(const struct analysis *a, struct document *d)
{
    const struct summary_choice choice = summary_of_comparisons(&d->arena, a, ROWS_MAX);
    static const struct document_column columns[] = {{"shape", false},       {"baseline", false},  {"time", true},
                                                     {"bound", false},       {"candidate", false}, {"time", true},
                                                     {"bound", false},       {"speedup", true},    {"gain", true},
                                                     {"95% interval", true}, {"verdict", false}};
    document_table(d, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < a->comparisons.count; i++) {
        const struct comparison *c = &a->comparisons.items[i];
        if (choice.count && !choice.chosen[i])
            continue;
        document_cell(d, "%s", words_case(d, c->config, c->cache));
        document_cell_code(d, c->baseline);
        document_cell_unit(d, UNIT_NS, c->baseline_ns);
        cell_bound(a, d, c->base.arm);
        document_cell_code(d, c->candidate);
        document_cell_unit(d, UNIT_NS, c->candidate_ns);
        cell_bound(a, d, c->cand.arm);
        document_cell_unit(d, UNIT_FACTOR, c->speedup);
        cells_gain(d, c);
        document_cell(d, "%s", comparison_verdict_name(c->verdict));
    }
    write_chosen_rows(a, &choice, d);
}

/* With several comparisons the table has said it. */
static bool has_table(const struct analysis *a)
{
    return a->comparisons.count > 1;
}

static size_t selection_count(const struct analysis *a, enum verdict_status status)
{
    size_t count = 0;
    for (size_t i = 0; i < a->selection.count; i++)
        count += a->selection.items[i].status == status;
    return count;
}

/* Arms are in the order of variants.csv, as the rows are. */
static bool first_of_variant(const struct analysis *a, size_t at)
{
    const struct selection_check *check = &a->selection.items[at];
    return analysis_selection(a, arms_of_variant(&a->run->arms, check->arm->variant)) == check;
}

/* What each variant's counters say, once a variant; all that did not pass, and each choice of a kernel. */
static void write_selection_details(const struct analysis *a, struct document *d)
{
    size_t said = 0;
    for (size_t i = 0; i < a->selection.count; i++) {
        const struct selection_check *s = &a->selection.items[i];
        if (!*s->detail || (s->status == VERDICT_PASS && !*s->chosen && !first_of_variant(a, i)) ||
            (s->status == VERDICT_PASS && arm_is_altered(s->arm)))
            continue;
        if (said == LINES_MAX) {
            document_span(d, SPAN_PLAIN, "; more: see Selection");
            return;
        }
        document_span(d, SPAN_PLAIN, "; ");
        document_span(d, SPAN_CODE, "%s", s->variant);
        document_span(d, SPAN_PLAIN, ": %s", s->detail);
        said++;
    }
}

static void add_selection(const struct analysis *a, struct document *d)
{
    if (!a->selection.count)
        return;
    size_t passed = selection_count(a, VERDICT_PASS), failed = selection_count(a, VERDICT_FAIL);
    size_t unknown = selection_count(a, VERDICT_INCONCLUSIVE);
    const size_t by_name = run_selected_by_name(a);
    begin_line(d, "Selection");
    document_span(d, SPAN_PLAIN, "%s, %zu of %zu ran the %s",
                  verdict_status_name(failed    ? VERDICT_FAIL
                                      : unknown ? VERDICT_INCONCLUSIVE
                                                : VERDICT_PASS),
                  passed + by_name, a->selection.count,
                  bundle_programs(a->bundle) ? "work that was to be measured" : "kernel that was meant");
    if (by_name)
        document_span(d, SPAN_PLAIN, " by its name, of which the counters confirm %zu", passed);
    write_selection_details(a, d);
}

/* That nobody checked of any arm; `kinds` stand behind each other for each arm. */
static bool is_unchecked(const struct analysis *a, size_t kind, size_t kinds)
{
    for (size_t i = kind; i < a->witnesses.count; i += kinds)
        if (a->witnesses.items[i].status != WITNESS_NOT_CHECKED)
            return false;
    return true;
}

/* "not checked: cold_bytes, flush (no cold launches)", with the reason of the first arm. */
static void write_not_checked(const struct analysis *a, size_t kinds, struct document *d)
{
    const struct witness_check *items = a->witnesses.items, *last = NULL;
    for (size_t kind = 0; kind < kinds; kind++) {
        if (!is_unchecked(a, kind, kinds))
            continue;
        if (last && strcmp(last->detail, items[kind].detail) != 0)
            document_span(d, SPAN_PLAIN, " (%s)", last->detail);
        document_span(d, SPAN_PLAIN, "%s%s", last ? ", " : "; not checked: ", items[kind].witness);
        last = &items[kind];
    }
    if (last)
        document_span(d, SPAN_PLAIN, " (%s)", last->detail);
}

static void write_contradictions(const struct analysis *a, struct document *d)
{
    size_t said = 0, found = 0;
    for (size_t i = 0; i < a->witnesses.count; i++) {
        const struct witness_check *w = &a->witnesses.items[i];
        if (w->status != WITNESS_CONTRADICTED || found++ >= LINES_MAX)
            continue;
        document_span(d, SPAN_PLAIN, "; ");
        words_arm(d, w->variant, w->config);
        document_span(d, SPAN_PLAIN, ": %s (%s)", w->detail, w->witness);
        said++;
    }
    if (found > said)
        document_span(d, SPAN_PLAIN, "; and %zu more", found - said);
}

/* Arms have the same witnesses in the same order. */
static void add_witnesses(const struct analysis *a, struct document *d)
{
    size_t kinds = 0, count[WITNESS_CONTRADICTED + 1] = {0};
    while (kinds < a->witnesses.count &&
           (!kinds || strcmp(a->witnesses.items[kinds].witness, a->witnesses.items[0].witness)))
        kinds++;
    for (size_t i = 0; i < a->witnesses.count; i++)
        count[a->witnesses.items[i].status]++;
    if (!kinds)
        return;
    begin_line(d, "Witnesses");
    document_span(d, SPAN_PLAIN, "%s, %zu checks agree, %zu contradicted, %zu not made",
                  count[WITNESS_CONTRADICTED] ? "contradicted"
                  : count[WITNESS_AGREES]     ? "pass"
                                              : "not checked",
                  count[WITNESS_AGREES], count[WITNESS_CONTRADICTED], count[WITNESS_NOT_CHECKED]);
    write_contradictions(a, d);
    write_not_checked(a, kinds, d);
}

static void write_bitwise(const struct analysis *a, struct document *d)
{
    size_t equal = 0, differ = 0;
    for (size_t i = 0; i < a->correctness.count; i++) {
        equal += a->correctness.items[i].bitwise_equal == 1;
        differ += a->correctness.items[i].bitwise_equal == 0;
    }
    if (equal && !differ)
        document_span(d, SPAN_PLAIN, ", bitwise equal to the baseline");
    else if (differ)
        document_span(d, SPAN_PLAIN, ", not bitwise equal to the baseline in %zu of %zu", differ, equal + differ);
}

/* The worst arm's hint is the one to read first. */
static void write_correctness_failure(const struct analysis *a, struct document *d)
{
    const struct correctness *worst = NULL;
    for (size_t i = 0; i < a->correctness.count; i++) {
        const struct correctness *c = &a->correctness.items[i];
        if (c->status == VERDICT_FAIL && (!worst || c->bad_ratio > worst->bad_ratio))
            worst = c;
    }
    if (!worst)
        return;
    document_span(d, SPAN_PLAIN, "; worst: ");
    words_arm(d, worst->variant, worst->config);
    document_span(d, SPAN_PLAIN, " with ");
    words_unit(d, UNIT_RATIO, worst->bad_ratio);
    document_span(d, SPAN_PLAIN, " of the values%s%s", *worst->hint ? ": " : "", worst->hint);
}

static void add_correctness(const struct analysis *a, struct document *d)
{
    if (!a->correctness.count)
        return;
    enum verdict_status status = VERDICT_PASS;
    long long checks = 0, failed = 0;
    double largest = 0;
    for (size_t i = 0; i < a->correctness.count; i++) {
        const struct correctness *c = &a->correctness.items[i];
        checks += c->checks;
        failed += c->failed;
        if (c->checks && (c->max_abs_err > largest || isnan(c->max_abs_err)))
            largest = c->max_abs_err; /* a NaN stays: nothing is larger */
        if (c->status == VERDICT_FAIL || (c->status == VERDICT_INCONCLUSIVE && status == VERDICT_PASS))
            status = c->status;
    }
    begin_line(d, "Correctness");
    document_span(d, SPAN_PLAIN, "%s, %lld of %lld checks passed, largest error %.3g", verdict_status_name(status),
                  checks - failed, checks, largest);
    write_bitwise(a, d);
    write_correctness_failure(a, d);
}

/* What the headline leaves out. */
static void add_speed(const struct analysis *a, struct document *d)
{
    for (size_t i = 0; i < a->comparisons.count && !has_table(a); i++) {
        const struct comparison *c = &a->comparisons.items[i];
        begin_line(d, "Speed");
        document_span(d, SPAN_PLAIN, "%s at %s: ", comparison_verdict_name(c->verdict),
                      words_case(d, c->config, c->cache));
        document_span(d, SPAN_CODE, "%s", c->candidate);
        document_span(d, SPAN_PLAIN, " ");
        words_unit(d, UNIT_NS, c->candidate_ns);
        document_span(d, SPAN_PLAIN, ", ");
        document_span(d, SPAN_CODE, "%s", c->baseline);
        document_span(d, SPAN_PLAIN, " ");
        words_unit(d, UNIT_NS, c->baseline_ns);
        document_span(d, SPAN_PLAIN, " (over %lld processes, %lld samples; %s: %s)", (long long)c->n_processes,
                      (long long)c->n_samples, c->reason, c->detail);
    }
}

/* A program runs any number of kernels. */
static void write_kernel(const struct analysis *a, struct document *d, const char *symbol)
{
    if (!bundle_programs(a->bundle) || !*symbol)
        return;
    document_span(d, SPAN_PLAIN, ", ");
    words_kernel(d, symbol);
}

static void add_bound(const struct analysis *a, struct document *d)
{
    for (size_t i = 0; i < a->bounds.count && i < LINES_MAX && !has_table(a); i++) {
        const struct bound *b = &a->bounds.items[i];
        begin_line(d, "Bound");
        words_arm(d, b->variant, b->config);
        write_kernel(a, d, b->kernel);
        document_span(d, SPAN_PLAIN, " is ");
        words_bound(d, b);
        words_repeats(d, b);
        document_span(d, SPAN_PLAIN, "%s%s", *b->cause ? ": " : "", b->cause);
    }
    if (!has_table(a))
        write_rest(d, a->bounds.count, "see Bounds");
}

/* The more important its comparison, the more so the transition; one without a comparison comes last. */
static struct summary_choice important_transitions(const struct analysis *a, struct arena *arena)
{
    double *weights = arena_alloc(arena, (a->transitions.count + 1) * sizeof *weights);
    const struct summary_choice rows = summary_of_comparisons(arena, a, ROWS_MAX);
    for (size_t i = 0; weights && i < a->transitions.count; i++)
        for (size_t k = 0; k < rows.shown && weights[i] == 0; k++) {
            const struct comparison *c = &a->comparisons.items[rows.by_importance[k]];
            if (c->cand.arm == a->transitions.items[i].cand)
                weights[i] = (double)(rows.shown - k);
        }
    return weights ? summary_by_weight(arena, weights, NULL, a->transitions.count, LINES_MAX)
                   : (struct summary_choice){0};
}

static void add_transitions(const struct analysis *a, struct document *d)
{
    const struct summary_choice choice = important_transitions(a, &d->arena);
    for (size_t i = 0; i < choice.count; i++)
        if (choice.chosen[i]) {
            begin_line(d, "Transition");
            words_transition(d, &a->transitions.items[i]);
        }
    write_rest(d, a->transitions.count, "'cpprof compare' lists all");
}

static size_t expected_change_count(const struct analysis *a, enum verdict_status status)
{
    size_t count = 0;
    for (size_t i = 0; i < a->expected_changes.count; i++)
        count += a->expected_changes.items[i].status == status;
    return count;
}

/* A refuted one is what there is to learn. */
static void add_expected_changes(const struct analysis *a, struct document *d)
{
    if (!a->expected_changes.count)
        return;
    const size_t unknown = expected_change_count(a, VERDICT_INCONCLUSIVE);
    begin_line(d, "Expected signals");
    document_span(d, SPAN_PLAIN, "%zu of %zu confirmed", expected_change_count(a, VERDICT_PASS),
                  a->expected_changes.count);
    if (unknown)
        document_span(d, SPAN_PLAIN, ", %zu not known", unknown);
    size_t said = 0;
    for (size_t i = 0; i < a->expected_changes.count; i++) {
        const struct expected_change_result *s = &a->expected_changes.items[i];
        if (s->status != VERDICT_FAIL || ++said > LINES_MAX)
            continue;
        document_span(d, SPAN_PLAIN, "; refuted: ");
        words_arm(d, s->variant, s->config);
        if (expected_change_is_against_another(a, s)) {
            document_span(d, SPAN_PLAIN, " beside ");
            document_span(d, SPAN_CODE, "%s", s->baseline);
        }
        document_span(d, SPAN_PLAIN, ", %s: %s", s->expected_change, s->change);
    }
    if (said > LINES_MAX)
        document_span(d, SPAN_PLAIN, "; and %zu more that are refuted: see Expected signals", said - LINES_MAX);
}

/* The lines on selection and correctness have said what failed there. */
static bool is_said_elsewhere(const struct analysis *a, const struct finding *f)
{
    const struct selection_check *selection = analysis_selection(a, f->arm);
    const struct correctness *correctness = analysis_correctness(a, f->arm);
    return f->severity == SEVERITY_FAILURE &&
           ((selection && selection->status == VERDICT_FAIL) || (correctness && correctness->status == VERDICT_FAIL));
}

/* Failures and warnings belong above the numbers that they are about, explanations below. */
static void add_findings(const struct analysis *a, struct document *d, bool grave)
{
    static const char *const labels[] = {[SEVERITY_INFO] = "Why",
                                         [SEVERITY_ADVICE] = "Why",
                                         [SEVERITY_WARNING] = "Warning",
                                         [SEVERITY_FAILURE] = "Failure"};
    size_t count = 0;
    for (size_t i = 0; i < a->findings.count; i++) {
        const struct finding *f = &a->findings.items[i];
        if ((f->severity >= SEVERITY_WARNING) != grave || is_said_elsewhere(a, f) || ++count > LINES_MAX)
            continue;
        begin_line(d, labels[f->severity]);
        document_span(d, SPAN_CODE, "%s", f->id);
        if (*f->variant) {
            document_span(d, SPAN_PLAIN, ", ");
            words_arm(d, f->variant, f->config);
        }
        document_span(d, SPAN_PLAIN, ": %s%s%s", f->claim, *f->advice ? "; " : "", f->advice);
    }
    write_rest(d, count, "see Findings");
}

/* Launch costs and resources hardly change with the config: one line a variant, at
 * the first config; the tables below have the others. */
static bool is_other_config(const char *config, const char *first)
{
    return strcmp(config, first) != 0;
}

/* Where there are many, those whose call takes longest compared with their kernel. */
static struct summary_choice important_launches(const struct analysis *a, struct arena *arena)
{
    double *weights = arena_alloc(arena, (a->launches.count + 1) * sizeof *weights);
    bool *has_line = arena_alloc(arena, a->launches.count + 1);
    if (!weights || !has_line)
        return (struct summary_choice){0};
    for (size_t i = 0; i < a->launches.count; i++) {
        const struct launch_cost *l = &a->launches.items[i];
        has_line[i] = !is_other_config(l->config, a->launches.items[0].config) && !arm_is_altered(l->arm);
        weights[i] = l->median_ns / l->kernel_median_ns;
    }
    return summary_by_weight(arena, weights, has_line, a->launches.count, LINES_MAX);
}

static void add_launch_cost(const struct analysis *a, struct document *d)
{
    const struct summary_choice choice = important_launches(a, &d->arena);
    for (size_t i = 0; choice.chosen && i < a->launches.count; i++) {
        const struct launch_cost *l = &a->launches.items[i];
        if (!choice.chosen[i])
            continue;
        begin_line(d, "Launch cost");
        words_arm(d, l->variant, l->config);
        document_span(d, SPAN_PLAIN, ": first call ");
        words_unit(d, UNIT_NS, l->first_ns);
        document_span(d, SPAN_PLAIN, ", then median ");
        words_unit(d, UNIT_NS, l->median_ns);
        document_span(d, SPAN_PLAIN, "; queue ");
        words_unit(d, UNIT_NS, l->queue_median_ns);
        document_span(d, SPAN_PLAIN, ", kernel ");
        words_unit(d, UNIT_NS, l->kernel_median_ns);
        document_span(d, SPAN_PLAIN, " (medians of %lld traced launches)", (long long)l->launches);
    }
    write_rest(d, choice.count, "see Launch cost");
}

/* How much of the first set of each pair lies under the second, where both occur. */
static void write_pairs(const struct analysis *a, const struct timeline_device *on, struct document *d)
{
    bool any = false;
    for (size_t i = 0; i < a->query.pair_count; i++) {
        size_t of = a->query.pairs[i].a, under = a->query.pairs[i].b;
        if (!on->sets[of].busy_ns || !on->sets[under].busy_ns || mirrors_earlier_pair(&a->query, i))
            continue;
        document_span(d, SPAN_PLAIN, ", ");
        words_unit(d, UNIT_RATIO, (double)on->pairs[i].overlap_ns / (double)on->sets[of].busy_ns);
        document_span(d, SPAN_PLAIN, " of ");
        document_span(d, SPAN_CODE, "%s", selector_text(a->query.sets[of]));
        document_span(d, SPAN_PLAIN, " under ");
        document_span(d, SPAN_CODE, "%s", selector_text(a->query.sets[under]));
        any = true;
    }
    if (!any)
        document_span(d, SPAN_PLAIN, ", no two classes that could overlap");
}

static void add_overlap(const struct analysis *a, struct document *d)
{
    if (!a->has_timeline)
        return;
    size_t said = 0;
    for (size_t i = 0; i < a->timeline.device_count; i++) {
        const struct timeline_device *on = &a->timeline.devices[i];
        if (!on->events || ++said > LINES_MAX)
            continue;
        int64_t span_ns = on->last_end_ns - on->first_start_ns;
        begin_line(d, "Overlap");
        document_span(d, SPAN_PLAIN, "device %d idle ", (int)on->device);
        words_unit(d, UNIT_RATIO, span_ns > 0 ? 1 - (double)on->busy_ns / (double)span_ns : NAN);
        document_span(d, SPAN_PLAIN, " of the measured ");
        words_unit(d, UNIT_NS, (double)span_ns);
        write_pairs(a, on, d);
    }
    write_rest(d, said, "cpprof overlap has each device");
}

static void write_known(struct document *d, const char *before, enum unit unit, double value, const char *after)
{
    if (!isfinite(value))
        return;
    document_span(d, SPAN_PLAIN, "%s", before);
    words_unit(d, unit, value);
    document_span(d, SPAN_PLAIN, "%s", after);
}

/* One line for each program, about the kernel in which most of its time goes. */
static bool is_later_kernel(const struct analysis *a, size_t at)
{
    return bundle_programs(a->bundle) && at &&
           !strcmp(a->resources.items[at - 1].variant, a->resources.items[at].variant);
}

static bool has_resource_line(const struct analysis *a, size_t at)
{
    return !is_other_config(a->resources.items[at].config, a->resources.items[0].config) && !is_later_kernel(a, at);
}

/* Where there are many, those that spill most, then those with the lowest occupancy. */
static struct summary_choice important_resources(const struct analysis *a, struct arena *arena)
{
    double *weights = arena_alloc(arena, (a->resources.count + 1) * sizeof *weights);
    bool *has_line = arena_alloc(arena, a->resources.count + 1);
    if (!weights || !has_line)
        return (struct summary_choice){0};
    for (size_t i = 0; i < a->resources.count; i++) {
        const struct resource *r = &a->resources.items[i];
        const double spilled = r->spill_bytes > 0 ? r->spill_bytes : 0,
                     occupancy = isfinite(r->occupancy) ? r->occupancy : 1;
        has_line[i] = has_resource_line(a, i) && !arm_is_altered(r->arm);
        weights[i] = spilled + (1 - occupancy);
    }
    return summary_by_weight(arena, weights, has_line, a->resources.count, LINES_MAX);
}

static void add_resources(const struct analysis *a, struct document *d)
{
    const struct summary_choice choice = important_resources(a, &d->arena);
    for (size_t i = 0; choice.chosen && i < a->resources.count; i++) {
        const struct resource *r = &a->resources.items[i];
        if (!choice.chosen[i])
            continue;
        begin_line(d, "Resources");
        words_arm(d, r->variant, r->config);
        write_kernel(a, d, r->kernel);
        document_span(d, SPAN_PLAIN, ": ");
        write_known(d, "", UNIT_COUNT, r->registers, " registers");
        write_known(d, ", ", UNIT_BYTES, r->shared_bytes, " shared");
        write_known(d, ", ", UNIT_BYTES, r->spill_bytes, " spilled");
        write_known(d, ", theoretical occupancy ", UNIT_RATIO, r->occupancy, "");
        write_known(d, ", ", UNIT_NONE, r->waves, " waves");
    }
    write_rest(d, choice.count, "see Resources");
}

static void write_missing(struct document *d, const char *what, const char *why)
{
    begin_line(d, "Missing");
    document_span(d, SPAN_PLAIN, "%s: missing because %s", what, why);
}

/* A note changes no verdict: it waits below. */
static void write_caveat(struct document *d, const struct caveat *caveat)
{
    if (caveat->kind == CAVEAT_NOTE)
        return;
    begin_line(d, "Caveat");
    document_span(d, SPAN_PLAIN, "%s", caveat->text);
}

/* What was asked for and could not be run here. */
static void add_refused(const struct analysis *a, struct document *d)
{
    const struct table *variants = &a->bundle->tables[BUNDLE_VARIANTS];
    for (size_t row = 0; row < table_rows(variants); row++) {
        const char *status = table_text(variants, row, VARIANTS_STATUS);
        if (!*status || !strcmp(status, "ready") || variant_is_altered(table_text(variants, row, VARIANTS_VARIANT)))
            continue;
        begin_line(d, "Not run");
        words_arm(d, table_text(variants, row, VARIANTS_VARIANT), table_text(variants, row, VARIANTS_SHAPE));
        document_span(d, SPAN_PLAIN, ": %s", status);
    }
}

void run_verdict_add(const struct analysis *a, struct document *d)
{
    run_headline_add(a, d);
    if (has_table(a))
        add_comparison_table(a, d);
    add_findings(a, d, true);
    add_selection(a, d);
    add_witnesses(a, d);
    add_correctness(a, d);
    add_speed(a, d);
    add_bound(a, d);
    add_transitions(a, d);
    add_expected_changes(a, d);
    add_findings(a, d, false);
    add_launch_cost(a, d);
    add_overlap(a, d);
    add_resources(a, d);
    add_refused(a, d);
    run_missing_each(a, d, write_missing);
    run_caveats_each(a, d, write_caveat);
}
