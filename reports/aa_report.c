/* May this machine's verdicts be believed, and how small a difference does it find? */
#include "reports/aa_report.h"

#include <math.h>

#include "analyzers/columns.h"
#include "reports/rows/row_formats.h"

/* Effects are per cents of a few: two decimals. */
static const char *share(struct document *d, double value)
{
    return isfinite(value) ? arena_printf(&d->arena, "%.2f%%", 100 * value) : "n/a";
}

static const char *rate(struct document *d, double value)
{
    return isfinite(value) ? arena_printf(&d->arena, "%.1f%%", 100 * value) : "n/a";
}

static const char *rate_range(struct document *d, const struct rate_interval *r)
{
    return arena_printf(&d->arena, "%.1f%% to %.1f%%", 100 * r->low, 100 * r->high);
}

static void write_verdict(const struct aa_report *r, struct document *d)
{
    static const char *const words[] = {
        [VERDICT_PASS] = "the machine keeps the limits",
        [VERDICT_FAIL] = "the machine does NOT keep the limits",
        [VERDICT_INCONCLUSIVE] = "not enough comparisons to tell",
    };
    const struct aa_self *all = &r->result->all;
    document_paragraph(d);
    document_span(d, SPAN_STRONG,
                  "%s: of %zu comparisons of a thing with itself the interval holds 1 in %s, and %s call a difference",
                  words[r->result->status], all->comparisons, rate(d, all->coverage.rate),
                  rate(d, all->false_positives.rate));
    document_span(d, SPAN_PLAIN, ", on ");
    document_span(d, SPAN_CODE, "%s", r->source);
    if (*r->device)
        document_span(d, SPAN_PLAIN, " (%s)", r->device);
    if (caveat_has(r->caveats, CAVEAT_TRUNCATED))
        document_span(d, SPAN_PLAIN, "; DAMAGED BUNDLE: see the caveats");
}

static void write_limits(const struct aa_report *r, struct document *d)
{
    const struct aa_self *all = &r->result->all;
    const bool covers = all->coverage.high >= AA_COVERAGE_LEAST && all->coverage.low <= AA_COVERAGE_MOST;
    document_bullet(d);
    document_span(d, SPAN_PLAIN, "coverage: %s (95%% interval %s) %s what is asked for, %.0f%% to %.0f%%",
                  rate(d, all->coverage.rate), rate_range(d, &all->coverage), covers ? "agrees with" : "is not",
                  100 * AA_COVERAGE_LEAST, 100 * AA_COVERAGE_MOST);
    document_bullet(d);
    document_span(d, SPAN_PLAIN, "false positives beyond a margin of %s: %zu of %zu, at most %s; the limit is %.0f%%",
                  share(d, r->result->margin), all->verdicts[COMPARE_FASTER] + all->verdicts[COMPARE_SLOWER],
                  all->comparisons, rate(d, all->false_positives.high), 100 * AA_FALSE_POSITIVES_MOST);
    document_bullet(d);
    document_span(
        d, SPAN_PLAIN,
        "detectable effect with %zu processes: a slowdown of %s is found in 80%% of comparisons, one of %s in 95%%",
        r->result->processes, share(d, all->detectable_80), share(d, all->detectable_95));
    if (all->comparisons < AA_COMPARISONS_MIN) {
        document_bullet(d);
        document_span(d, SPAN_PLAIN, "%zu comparisons are too few, at least %d are needed", all->comparisons,
                      AA_COMPARISONS_MIN);
    }
}

static void add_selves(const struct aa_result *r, struct document *d)
{
    const struct row_table table = {.lists = {&aa_self_columns}, .formats = {ROW_TABLE}};
    document_heading(d, 2, "A thing against itself");
    row_table_add(d, &table, r->items, r->count);
    if (r->count > 1)
        row_table_row(d, &table, &r->all, NULL);
}

static void add_planted(const struct aa_result *r, struct document *d)
{
    const struct row_table table = {.lists = {&aa_planted_columns}, .formats = {ROW_TABLE}, .context = r};
    if (!r->planted.count)
        return;
    document_heading(d, 2, "Planted slowdowns");
    row_table_add(d, &table, r->planted.items, r->planted.count);
}

static void add_bullet(struct document *d, const char *text)
{
    document_bullet(d);
    document_span(d, SPAN_PLAIN, "%s", text);
}

static void add_reading(const struct aa_report *r, struct document *d)
{
    document_heading(d, 2, "How to read it");
    document_bullet(d);
    document_span(
        d, SPAN_PLAIN,
        "a comparison is %zu processes that follow one another, judged as `run` judges; each process timed both arms",
        r->result->processes);
    add_bullet(
        d,
        "holds 1: the 95% interval of the ratio holds the truth; false: called faster or slower, beyond the margin, which "
        "it is not; at most: upper end of the exact 95% interval of that rate");
    add_bullet(
        d,
        "80% find, 95% find: the smallest slowdown that so many of these comparisons would have called; mde: what each would "
        "have called itself, median and 90th percentile");
    if (r->result->planted.count)
        add_bullet(
            d,
            "extra work is a share of the loop, slowdown one of the time over all processes; of detectable: the slowdown over what "
            "80% find; wrong: faster, or equivalent though beyond the margin, or slower though within");
}

static void add_caveats(const struct caveat_list *caveats, struct document *d)
{
    if (!caveats->count)
        return;
    document_heading(d, 2, "Caveats");
    for (size_t i = 0; i < caveats->count; i++)
        add_bullet(d, caveats->items[i].text);
}

int report_aa(const struct aa_report *r, struct document *out, struct err *e)
{
    write_verdict(r, out);
    write_limits(r, out);
    document_tier(out, TIER_SECTIONS);
    add_selves(r->result, out);
    add_planted(r->result, out);
    add_reading(r, out);
    add_caveats(r->caveats, out);
    return out->failed ? err_memory(e) : 0;
}
