/* What does somebody read who knows nothing but that two things were compared? */
#include "reports/compare_report.h"

#include <assert.h>
#include <string.h>

#include "core/base/count_of.h"
#include "reports/run/run_headline.h"

/* ---- the first screen ---- */

static void add_headline(const struct compare_report *r, struct document *d)
{
    if (r->side_count == 1 || !r->verdicts->comparisons.count) {
        run_headline_add(r->verdicts, d);
        return;
    }
    document_heading(d, 1, "");
    for (size_t i = 0; i < r->side_count; i++)
        if (run_headline_contradicted(r->sides[i].analysis, d))
            return;
    run_headline_speed(r->verdicts, d);
    for (size_t i = 0; i < r->side_count; i++)
        run_headline_unproven(r->sides[i].analysis, d);
}

static void add_sources(const struct compare_report *r, struct document *d)
{
    static const char *const names[] = {"Baseline: ", "; candidate: "};
    assert(r->side_count <= COUNT_OF(names));
    document_paragraph(d);
    for (size_t i = 0; i < r->side_count; i++) {
        document_span(d, SPAN_PLAIN, "%s", r->side_count == 1 ? "Each variant against its baseline, in " : names[i]);
        document_span(d, SPAN_CODE, "%s", r->sides[i].path);
    }
    document_span(d, SPAN_PLAIN, ".");
    if (!bundle_programs(r->sides[0].analysis->bundle))
        return;
    document_span(d, SPAN_PLAIN, " Measure: ");
    run_measures_write(r->verdicts, d);
    document_span(d, SPAN_PLAIN, ".");
}

static void write_finding(struct document *d, const struct finding *f)
{
    document_bullet(d);
    if (*f->variant) {
        words_arm(d, f->variant, f->config);
        document_span(d, SPAN_PLAIN, ": ");
    }
    document_span(d, SPAN_PLAIN, "%s%s%s", f->claim, *f->advice ? "; " : "", f->advice);
}

static void write_caveat(struct document *d, const struct caveat *caveat)
{
    if (caveat->kind == CAVEAT_NOTE)
        return;
    document_bullet(d);
    document_span(d, SPAN_PLAIN, "%s", caveat->text);
}

static void write_uncompared(const struct analysis *a, struct document *d)
{
    if (!analysis_all_uncompared(a))
        return;
    document_bullet(d);
    document_span(d, SPAN_PLAIN, "results ");
    run_uncompared_write(a, d);
}

/* The bundles' own failures first: a wrong kernel makes every other number moot. */
static void add_warnings(const struct compare_report *r, struct document *d)
{
    const struct analysis *lists[] = {r->sides[0].analysis, r->side_count > 1 ? r->sides[1].analysis : NULL,
                                      r->side_count > 1 ? r->verdicts : NULL};
    document_heading(d, 2, "Before any ratio");
    const size_t start = d->count;
    for (size_t i = 0; i < COUNT_OF(lists); i++)
        for (size_t k = 0; lists[i] && k < lists[i]->findings.count; k++)
            if (lists[i]->findings.items[k].severity >= SEVERITY_WARNING)
                write_finding(d, &lists[i]->findings.items[k]);
    for (size_t i = 0; i < r->side_count; i++) {
        write_uncompared(r->sides[i].analysis, d);
        run_caveats_each(r->sides[i].analysis, d, write_caveat);
    }
    if (d->count == start) {
        document_paragraph(d);
        document_span(d, SPAN_PLAIN, "Nothing was found that would make a ratio mislead.");
    }
}

/* ---- the rest ---- */

static void add_explanations(const struct compare_report *r, struct document *d)
{
    static const char *const sweep_ids[] = {"bandwidth-limited", "fixed-cost",           "fixed-cost-unknown",
                                            "sweep-no-line",     "latency-or-bandwidth", "only-in-candidate"};
    for (size_t i = 0; i < r->verdicts->findings.count; i++)
        for (size_t k = 0; k < COUNT_OF(sweep_ids); k++)
            if (!strcmp(r->verdicts->findings.items[i].id, sweep_ids[k]))
                write_finding(d, &r->verdicts->findings.items[i]);
}

static void add_verdicts(const struct compare_report *r, struct document *d)
{
    document_heading(d, 2, "Comparisons");
    if (!r->verdicts->comparisons.count) {
        document_paragraph(d);
        document_span(d, SPAN_PLAIN, "There is none: no variant of the bundle has a baseline.");
    }
    sweep_tables_add(r->verdicts, d);
    add_explanations(r, d);
    if (r->verdicts->comparisons.count)
        document_heading(d, 3, "Each comparison");
    comparison_tables_add(r->verdicts, d);
    mark_costs_add(r->verdicts, d);
}

static void add_basis(const struct compare_report *r, struct document *d)
{
    if (!r->verdicts->comparisons.count)
        return;
    document_heading(d, 2, "What each comparison rests on");
    comparison_basis_add(r->verdicts, d);
}

static void add_transitions(const struct compare_report *r, struct document *d)
{
    if (r->verdicts->transitions.count)
        document_heading(d, 2, "What became different");
    for (size_t i = 0; i < r->verdicts->transitions.count; i++) {
        document_bullet(d);
        words_transition(d, &r->verdicts->transitions.items[i]);
    }
}

static void add_expected_changes(const struct compare_report *r, struct document *d)
{
    run_expected_changes_add(r->verdicts, d);
}

static void add_reading(const struct compare_report *r, struct document *d)
{
    static const struct {
        const char *word, *meaning;
    } words[] = {
        {"faster, slower",
         "the whole 95% interval of the ratio lies beyond the margin, in time and in clock cycles, and "
         "also when the number of comparisons in this document is counted in (Holm)"},
        {"equivalent", "shown to be no further apart than the margin: a result, not the absence of one"},
        {"inconclusive",
         "neither was shown; the smallest gain that this measurement could have called stands beside it"},
        {"unusable", "a ratio would mislead, and none is given; the reason stands beside it"},
        {"process",
         "a program start: what one process measures many times is one observation, the mean of the middle half"},
        {"block", "samples of one arm one after the other, before the other arm has its turn"},
        {"p", "how often chance alone would put the interval so far beyond the margin"},
    };
    (void)r;
    document_heading(d, 2, "How to read this");
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        document_fact(d, words[i].word);
        document_span(d, SPAN_PLAIN, "%s", words[i].meaning);
    }
}

static void add_origins(const struct compare_report *r, struct document *d)
{
    for (size_t i = 0; i < r->side_count; i++) {
        if (r->side_count > 1) {
            document_heading(d, 2, i ? "The candidate's bundle: " : "The baseline's bundle: ");
            document_span(d, SPAN_CODE, "%s", r->sides[i].path);
        }
        run_provenance_add(r->sides[i].analysis, d);
    }
}

int report_compare(const struct compare_report *r, struct document *out, struct err *e)
{
    static void (*const screen[])(const struct compare_report *, struct document *) = {add_headline, add_sources,
                                                                                       add_warnings, add_verdicts};
    static void (*const sections[])(const struct compare_report *, struct document *) = {
        add_basis, add_transitions, add_expected_changes, add_reading, add_origins};
    for (size_t i = 0; i < COUNT_OF(screen); i++)
        screen[i](r, out);
    document_tier(out, TIER_SECTIONS);
    for (size_t i = 0; i < COUNT_OF(sections); i++)
        sections[i](r, out);
    return out->failed ? err_memory(e) : 0;
}
