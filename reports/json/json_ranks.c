/* What does `ranks` say to a program? */
#include <math.h>

#include "analyzers/columns.h"
#include "analyzers/ranks/ranks_words.h"
#include "reports/ranks_report.h"
#include "reports/rows/row_formats.h"

static json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *totals_of(const struct ranks *r)
{
    json_t *counts = json_object();
    for (int verdict = 0; verdict < RANK_VERDICTS; verdict++)
        json_object_set_new(counts, rank_verdict_key((enum rank_verdict)verdict),
                            json_integer(r->costs.counts[verdict]));
    return json_pack("{sI so so so so so so so so so}", "devices", (json_int_t)r->arrivals.places.count, "steps",
                     r->arrivals.step_count ? json_integer(r->arrivals.step_count) : json_null(), "span_ns",
                     json_number(ranks_mean(r, r->costs.span_ns)), "late_ns", json_number(ranks_late_cost(r)),
                     "slow_ns", json_number(ranks_slow(r)), "unjudged_ns",
                     json_number(ranks_mean(r, r->costs.unjudged_ns)), "unrecorded_ns",
                     json_number(ranks_mean(r, r->costs.unrecorded_ns)), "skew_ns", json_number(r->skew.ns),
                     "skew_all_ns", json_number(r->skew.all_ns), "collectives", counts);
}

static json_t *rows(const struct row_columns *list, const void *items, size_t count, const struct ranks_context *c)
{
    return row_json_array(list, 0, items, count, c);
}

json_t *json_ranks(const struct ranks_report *report)
{
    const struct ranks *r = report->ranks;
    const struct rank_clocks *clocks = ranks_shown_clocks(r);
    struct arena arena;
    arena_init(&arena);
    const struct ranks_context c = {&arena, r, report->operand};
    static const char *const reasons[] = {
        [ARRIVALS_FEW_PLACES] = "few_devices", [ARRIVALS_NONE] = "no_collectives", [ARRIVALS_TOO_MANY] = "too_many"};
    const char *reason = r->arrivals.doubt ? reasons[r->arrivals.doubt] : rank_doubt_key(r->costs.doubt);
    json_t *value = json_pack(
        "{ss ss so ss ss? so so so so so so so so so so}", "schema", "cpprof.ranks/1", "source", report->side.source,
        "caveats", json_trace_caveats(report->side.caveats), "verdict", rank_verdict_key(r->costs.verdict), "reason",
        reason, "answer", json_text(ranks_answer(&c)), "totals", totals_of(r), "origins",
        rows(&rank_origin_columns, r->costs.origins.items, r->costs.origins.count, &c), "groups",
        rows(&rank_group_columns, r->groups.items, r->groups.count, &c), "ranks",
        rows(&rank_columns, r->rows.items, r->rows.count, &c), "kernels",
        rows(&rank_kernel_columns, r->kernels.items, r->kernels.count, &c), "links",
        rows(&rank_link_columns, r->links.items.items, r->links.items.count, &c), "clocks",
        rows(&rank_clock_columns, clocks->items.items, clocks->items.count, &c), "mismatches",
        rows(&rank_mismatch_columns, r->meetings.mismatches.items, r->meetings.mismatches.count, &c), "collectives",
        rows(&rank_collective_columns, r->meetings.items.items, r->meetings.items.count, &c));
    arena_release(&arena);
    return value;
}
