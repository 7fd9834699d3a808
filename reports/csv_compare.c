/* What does a spreadsheet read about comparisons? */
#include <string.h>

#include "io/table.h"
#include "reports/compare_report.h"
#include "reports/document/inert_cell.h"

enum column_of_row { BASELINE, CANDIDATE, SHAPE, CACHE, RATIO, SPEEDUP, GAIN, CI_LOW, CI_HIGH, CONFIDENCE, VERDICT, REASON,
                     DETAIL, MARGIN, MDE, P_VALUE, P_HOLM, VERDICT_ALONE, PROCESSES, SAMPLES, DISCARDED, BASELINE_NS,
                     CANDIDATE_NS, CYCLES_RATIO, CLOCK_RATIO, BASELINE_RATE, CANDIDATE_RATE, COLUMNS };

static const struct column columns[COLUMNS] = {
    [BASELINE] = COLUMN_ANY("baseline", UNIT_TEXT),
    [CANDIDATE] = COLUMN_ANY("candidate", UNIT_TEXT),
    [SHAPE] = COLUMN_ANY("shape", UNIT_TEXT),
    [CACHE] = COLUMN_ANY("cache", UNIT_TEXT),
    [RATIO] = COLUMN_ANY("ratio", UNIT_FACTOR),
    [SPEEDUP] = COLUMN_ANY("speedup", UNIT_FACTOR),
    [GAIN] = COLUMN_ANY("gain", UNIT_RATIO),
    [CI_LOW] = COLUMN_ANY("ci_low", UNIT_FACTOR),
    [CI_HIGH] = COLUMN_ANY("ci_high", UNIT_FACTOR),
    [CONFIDENCE] = COLUMN_ANY("confidence", UNIT_RATIO),
    [VERDICT] = COLUMN_ANY("verdict", UNIT_TEXT),
    [REASON] = COLUMN_ANY("reason", UNIT_TEXT),
    [DETAIL] = COLUMN_ANY("detail", UNIT_TEXT),
    [MARGIN] = COLUMN_ANY("margin", UNIT_RATIO),
    [MDE] = COLUMN_ANY("mde", UNIT_RATIO),
    [P_VALUE] = COLUMN_ANY("p_value", UNIT_NONE),
    [P_HOLM] = COLUMN_ANY("p_holm", UNIT_NONE),
    [VERDICT_ALONE] = COLUMN_ANY("verdict_alone", UNIT_TEXT),
    [PROCESSES] = COLUMN_ANY("n_processes", UNIT_COUNT),
    [SAMPLES] = COLUMN_ANY("n_samples", UNIT_COUNT),
    [DISCARDED] = COLUMN_ANY("discarded_blocks", UNIT_COUNT),
    [BASELINE_NS] = COLUMN_ANY("baseline_ns", UNIT_NS),
    [CANDIDATE_NS] = COLUMN_ANY("candidate_ns", UNIT_NS),
    [CYCLES_RATIO] = COLUMN_ANY("cycles_ratio", UNIT_FACTOR),
    [CLOCK_RATIO] = COLUMN_ANY("clock_ratio", UNIT_FACTOR),
    [BASELINE_RATE] = COLUMN_ANY("baseline_bytes_per_s", UNIT_BYTES_PER_S),
    [CANDIDATE_RATE] = COLUMN_ANY("candidate_bytes_per_s", UNIT_BYTES_PER_S),
};

static struct cell inert_text(struct table *t, const char *text)
{
    struct str inert;
    str_init(&inert);
    inert_cell_add(&inert, text, strlen(text));
    const struct cell cell = cell_text(t, str_text(&inert));
    str_release(&inert);
    return cell;
}

static void fill_texts(struct table *t, struct cell *row, const struct comparison *c)
{
    row[BASELINE] = inert_text(t, c->baseline);
    row[CANDIDATE] = inert_text(t, c->candidate);
    row[SHAPE] = inert_text(t, c->shape);
    row[CACHE] = inert_text(t, c->cache);
    row[VERDICT] = cell_text(t, comparison_verdict_name(c->verdict));
    row[REASON] = cell_text(t, c->reason);
    row[DETAIL] = inert_text(t, c->detail);
    row[VERDICT_ALONE] = cell_text(t, comparison_verdict_name(c->alone));
}

/* What is not finite is an empty cell. */
static void fill_numbers(struct cell *row, const struct comparison *c)
{
    row[RATIO] = cell_number(c->ratio);
    row[SPEEDUP] = cell_number(c->speedup);
    row[GAIN] = cell_number(c->gain);
    row[CI_LOW] = cell_number(c->ci_low);
    row[CI_HIGH] = cell_number(c->ci_high);
    row[CONFIDENCE] = cell_number(c->confidence);
    row[MARGIN] = cell_number(c->margin);
    row[MDE] = cell_number(c->mde);
    row[P_VALUE] = cell_number(c->p_value);
    row[P_HOLM] = cell_number(c->p_holm);
    row[PROCESSES] = cell_integer(c->n_processes);
    row[SAMPLES] = cell_integer(c->n_samples);
    row[DISCARDED] = cell_integer(c->base.discarded_blocks + c->cand.discarded_blocks);
    row[BASELINE_NS] = cell_number(c->baseline_ns);
    row[CANDIDATE_NS] = cell_number(c->candidate_ns);
    row[CYCLES_RATIO] = cell_number(c->cycles_ratio);
    row[CLOCK_RATIO] = cell_number(c->clock_ratio);
    row[BASELINE_RATE] = cell_number(c->base.bytes / c->baseline_ns * 1e9);
    row[CANDIDATE_RATE] = cell_number(c->cand.bytes / c->candidate_ns * 1e9);
}

int csv_compare(const struct compare_report *r, struct str *out, struct err *e)
{
    struct table t;
    table_init(&t, columns, COLUMNS);
    bool failed = false;
    for (size_t i = 0; i < r->verdicts->comparisons.count && !failed; i++) {
        struct cell *row = table_add_row(&t);
        failed = !row;
        if (failed)
            break;
        fill_texts(&t, row, &r->verdicts->comparisons.items[i]);
        fill_numbers(row, &r->verdicts->comparisons.items[i]);
    }
    table_add_csv(&t, out);
    table_release(&t);
    return failed || out->failed ? err_memory(e) : 0;
}
