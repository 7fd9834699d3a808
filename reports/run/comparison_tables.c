/* What was compared, what came out, and what does it rest on? */
#include <math.h>
#include <string.h>

#include "analyzers/columns.h"
#include "analyzers/compare/sweep_fit.h"
#include "reports/pictures/interval_picture.h"
#include "reports/pictures/sweep_picture.h"
#include "reports/rows/row_formats.h"
#include "reports/run/run_report.h"

/* A sentence is no column: the table would be twice as wide as a screen. */
static void write_reason(const struct comparison *c, struct document *d)
{
    document_bullet(d);
    words_arm(d, c->candidate, words_case(d, c->config, c->cache));
    document_span(d, SPAN_PLAIN, ": ");
    document_span(d, SPAN_STRONG, "%s", comparison_verdict_name(c->verdict));
    document_span(d, SPAN_PLAIN, ", %s", c->detail);
}

static void add_verdicts(const struct analysis *a, struct document *d)
{
    const struct row_table table = {.lists = {&comparison_columns}, .formats = {COMPARISON_VERDICTS}};
    row_table_add(d, &table, a->comparisons.items, a->comparisons.count);
    const enum tier tier = document_evidence(d);
    for (size_t i = 0; i < a->comparisons.count; i++)
        write_reason(&a->comparisons.items[i], d);
    document_paragraph(d);
    document_span(d, SPAN_PLAIN,
                  "ratio = t_candidate / t_baseline, speedup = 1 / ratio, gain = 1 - ratio; "
                  "the interval is that of the gain, above 3x that of the speedup; the margin of the verdict is ");
    words_unit(d, UNIT_RATIO, a->margin);
    document_span(
        d, SPAN_PLAIN,
        "; a time is that of a typical process: of each the mean of the middle half of its samples, and of these "
        "the trimmed mean of the logs; a ratio is estimated from the processes, not from two such times");
    document_tier(d, tier);
}

static void add_basis(const struct analysis *a, struct document *d)
{
    const struct row_table table = {.lists = {&comparison_columns}, .formats = {COMPARISON_BASIS}};
    row_table_add(d, &table, a->comparisons.items, a->comparisons.count);
}

/* Who could have stopped earlier had more chances to be wrong. */
static void write_looks(const struct analysis *a, struct document *d)
{
    if (a->looks < 2)
        return;
    document_paragraph(d);
    document_span(
        d, SPAN_PLAIN,
        "The timing could have stopped at any of %d looks: each interval is made at %.4g%%, so that all looks "
        "together are right as often as one at 95%%, and p is that of all of them.",
        a->looks, 100 - 5.0 / a->looks);
}

void comparison_basis_add(const struct analysis *a, struct document *d)
{
    add_basis(a, d);
    write_looks(a, d);
}

void comparison_tables_add(const struct analysis *a, struct document *d)
{
    if (!a->comparisons.count)
        return;
    const bool is_above =
        d->tier == TIER_SECTIONS && a->comparisons.count <= INTERVALS_ON_A_SCREEN && !sweep_picture_is_there(a);
    if (a->comparisons.count == 1 || !is_above) /* else the first screen has it */
        interval_picture_add(a, d);
    const enum tier tier = d->tier;
    if (run_has_evolution(a) || a->sweeps.count) /* which have all of them in one table */
        document_evidence(d);
    add_verdicts(a, d);
    document_evidence(d);
    if (d->tier != TIER_SCREEN) /* a page that is one screen has it in a section */
        comparison_basis_add(a, d);
    document_tier(d, tier);
}

void mark_costs_add(const struct analysis *a, struct document *d)
{
    const struct row_table table = {.lists = {&comparison_columns}, .formats = {COMPARISON_COST}};
    if (!a->mark_costs.count)
        return;
    const enum tier tier = document_evidence(d);
    document_heading(d, 3, "What marks cost");
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "Builds with marks against their variants: no result, and no part of a verdict.");
    row_table_add(d, &table, a->mark_costs.items, a->mark_costs.count);
    document_tier(d, tier);
}

/* ---- sweeps ---- */

static bool has_bus(const struct sweep *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (isfinite(s->points[i].base_bus_factor) || isfinite(s->points[i].cand_bus_factor))
            return true;
    return false;
}

static void add_points(const struct sweep *s, struct document *d)
{
    const unsigned bus = *s->candidate ? SWEEP_BUS | SWEEP_PAIR_BUS : SWEEP_BUS;
    const struct row_table table = {.lists = {&sweep_point_columns},
                                    .formats = {(*s->candidate ? SWEEP_PAIR : SWEEP_ALONE) | (has_bus(s) ? bus : 0)}};
    row_table_add(d, &table, s->points, s->count);
}

static void add_average(struct document *d, const struct sweep *s)
{
    const struct comparison average = {.ci_low = s->average.low,
                                       .ci_high = s->average.high,
                                       .margin = NAN,
                                       .speedup = 1 / s->average.value,
                                       .gain = 1 - s->average.value};
    if (!s->averaged)
        return;
    document_cell(d, "AVERAGE");
    for (size_t i = 0; i < (has_bus(s) ? 6 : 4); i++)
        document_cell(d, " ");
    document_cell_unit(d, UNIT_FACTOR, average.speedup);
    cells_gain(d, &average);
    document_cell(d, "%s", comparison_verdict_name(s->verdict));
}

static void words_bounded(struct document *d, enum unit unit, struct bounded b)
{
    char low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    words_unit(d, unit, b.value);
    if (isfinite(b.high))
        document_span(d, SPAN_PLAIN, " (%s to %s)", unit_format(low, unit, b.low), unit_format(high, unit, b.high));
    else
        document_span(d, SPAN_PLAIN, " (from %s on)", unit_format(low, unit, b.low));
}

static void add_fit(struct document *d, const char *variant, const struct sweep_fit *fit)
{
    char miss[UNITS_TEXT_BYTES];
    document_bullet(d);
    document_span(d, SPAN_CODE, "%s", variant);
    if (!sweep_fit_holds(fit)) {
        document_span(d, SPAN_PLAIN, ": no line t = t0 + bytes / BW: the best one misses the times by %s, at %s",
                      unit_format(miss, UNIT_RATIO, fabs(fit->worst_residual)), fit->worst_size);
        return;
    }
    document_span(d, SPAN_PLAIN, ": t = t0 + bytes / BW with t0 ");
    words_bounded(d, UNIT_NS, fit->fixed_ns);
    document_span(d, SPAN_PLAIN, ", BW ");
    words_bounded(d, UNIT_BYTES_PER_S, fit->bytes_per_s);
    document_span(d, SPAN_PLAIN, "; it misses the times by %s at most, at %s",
                  unit_format(miss, UNIT_RATIO, fabs(fit->worst_residual)), fit->worst_size);
}

static void add_fits(struct document *d, const struct sweep *s)
{
    if (!s->has_fit)
        return;
    add_fit(d, s->baseline, &s->base);
    if (!*s->candidate)
        return;
    add_fit(d, s->candidate, &s->cand);
    if (!isfinite(s->bandwidth_factor.value) || !sweep_fit_holds(&s->base) || !sweep_fit_holds(&s->cand))
        return;
    document_bullet(d);
    document_span(d, SPAN_PLAIN, "candidate against baseline: t0 ");
    words_bounded(d, UNIT_NS, s->fixed_change_ns);
    document_span(d, SPAN_PLAIN, ", BW ");
    words_bounded(d, UNIT_FACTOR, s->bandwidth_factor);
}

static void add_title(struct document *d, const struct sweep *s)
{
    document_heading(d, 3, "");
    document_span(d, SPAN_PLAIN, "Over sizes: ");
    if (*s->candidate) {
        document_span(d, SPAN_CODE, "%s", s->candidate);
        document_span(d, SPAN_PLAIN, " against ");
    }
    words_arm(d, s->baseline, words_case(d, s->parameters, s->cache));
}

void sweep_tables_add(const struct analysis *a, struct document *d)
{
    const enum tier tier = d->tier;
    document_evidence_of(d, a->sweeps.count);
    for (size_t i = 0; i < a->sweeps.count; i++) {
        const struct sweep *s = &a->sweeps.items[i];
        add_title(d, s);
        add_points(s, d);
        add_average(d, s);
        const enum tier here = document_evidence(d);
        if (s->averaged) {
            document_paragraph(d);
            document_span(d, SPAN_PLAIN,
                          "AVERAGE is the geometric mean of the %zu ratios, its interval that of %lld %s' means "
                          "over the sizes%s; it is not one of the tests of the table.",
                          s->averaged, (long long)s->n_processes, s->in_rounds ? "rounds" : "processes",
                          s->in_rounds ? " (no process measured all of them: a round is several that did)" : "");
        }
        add_fits(d, s);
        document_tier(d, here);
    }
    document_tier(d, tier);
}
