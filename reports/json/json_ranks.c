/* What does `ranks` say to a program? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* All but the collectives, whose array is empty, and the last member. */
static json_t *without_collectives(const struct ranks_report *report)
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
        json_array());
    arena_release(&arena);
    return value;
}

/* Writes the rows of an array that stands alone as rows of one that is a member of an object. */
static void write_deeper(const char *array, struct byte_sink *to)
{
    const char *end = strrchr(array, '\n');
    for (const char *line = strchr(array, '\n'), *next; line && line < end; line = next) {
        next = strchr(line + 1, '\n');
        byte_sink_write(to, "\n  ", 3);
        byte_sink_write(to, line + 1, (size_t)(next - line) - 1);
    }
}

enum { COLLECTIVES_AT_ONCE = 256 };

static int write_collectives(const struct ranks_report *report, size_t first, size_t count, struct byte_sink *to,
                             struct err *e)
{
    struct arena arena;
    arena_init(&arena);
    const struct ranks_context c = {&arena, report->ranks, report->operand};
    json_t *some = rows(&rank_collective_columns, report->ranks->meetings.items.items + first, count, &c);
    char *text = some ? json_to_text(some) : NULL;
    if (text) {
        text[strlen(text) - 1] = '\0'; /* the line's end */
        byte_sink_write(to, ",", first > 0);
        write_deeper(text, to);
    }
    const int rc = text ? 0 : err_memory(e);
    free(text);
    json_decref(some);
    arena_release(&arena);
    return rc;
}

int json_ranks_write(const struct ranks_report *report, struct byte_sink *to, struct err *e)
{
    static const char rest[] = "]\n}\n";
    const size_t count = report->ranks->meetings.items.count;
    json_t *value = without_collectives(report);
    char *text = value ? json_to_text(value) : NULL;
    json_decref(value);
    if (!text)
        return err_memory(e);
    int rc = 0;
    byte_sink_write(to, text, strlen(text) - (sizeof rest - 1));
    for (size_t i = 0; i < count && !rc; i += COLLECTIVES_AT_ONCE)
        rc = write_collectives(report, i, count - i < COLLECTIVES_AT_ONCE ? count - i : COLLECTIVES_AT_ONCE, to, e);
    byte_sink_write(to, "\n  ", count ? 3 : 0);
    byte_sink_write(to, rest, sizeof rest - 1);
    free(text);
    return rc;
}
