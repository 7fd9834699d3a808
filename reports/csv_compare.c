/* What does a spreadsheet read about comparisons? */
#include "model/table.h"
#include "reports/compare_report.h"

enum column_of_row { BASELINE, CANDIDATE, SHAPE, CACHE, RATIO, SPEEDUP, GAIN, CI_LOW, CI_HIGH, CONFIDENCE, VERDICT, REASON,
                     DETAIL, MARGIN, MDE, P_VALUE, P_HOLM, VERDICT_ALONE, PROCESSES, SAMPLES, DISCARDED, BASELINE_NS,
                     CANDIDATE_NS, CYCLES_RATIO, CLOCK_RATIO, BASELINE_RATE, CANDIDATE_RATE, COLUMNS };

static const struct column columns[COLUMNS] = {
    [BASELINE] = {"baseline", UNIT_TEXT},
    [CANDIDATE] = {"candidate", UNIT_TEXT},
    [SHAPE] = {"shape", UNIT_TEXT},
    [CACHE] = {"cache", UNIT_TEXT},
    [RATIO] = {"ratio", UNIT_FACTOR},
    [SPEEDUP] = {"speedup", UNIT_FACTOR},
    [GAIN] = {"gain", UNIT_RATIO},
    [CI_LOW] = {"ci_low", UNIT_FACTOR},
    [CI_HIGH] = {"ci_high", UNIT_FACTOR},
    [CONFIDENCE] = {"confidence", UNIT_RATIO},
    [VERDICT] = {"verdict", UNIT_TEXT},
    [REASON] = {"reason", UNIT_TEXT},
    [DETAIL] = {"detail", UNIT_TEXT},
    [MARGIN] = {"margin", UNIT_RATIO},
    [MDE] = {"mde", UNIT_RATIO},
    [P_VALUE] = {"p_value", UNIT_NONE},
    [P_HOLM] = {"p_holm", UNIT_NONE},
    [VERDICT_ALONE] = {"verdict_alone", UNIT_TEXT},
    [PROCESSES] = {"n_processes", UNIT_COUNT},
    [SAMPLES] = {"n_samples", UNIT_COUNT},
    [DISCARDED] = {"discarded_blocks", UNIT_COUNT},
    [BASELINE_NS] = {"baseline_ns", UNIT_NS},
    [CANDIDATE_NS] = {"candidate_ns", UNIT_NS},
    [CYCLES_RATIO] = {"cycles_ratio", UNIT_FACTOR},
    [CLOCK_RATIO] = {"clock_ratio", UNIT_FACTOR},
    [BASELINE_RATE] = {"baseline_bytes_per_s", UNIT_BYTES_PER_S},
    [CANDIDATE_RATE] = {"candidate_bytes_per_s", UNIT_BYTES_PER_S},
};

static void fill_texts(struct table *t, struct cell *row, const struct comparison *c)
{
    row[BASELINE] = cell_text(t, c->baseline);
    row[CANDIDATE] = cell_text(t, c->candidate);
    row[SHAPE] = cell_text(t, c->shape);
    row[CACHE] = cell_text(t, c->cache);
    row[VERDICT] = cell_text(t, comparison_verdict_name(c->verdict));
    row[REASON] = cell_text(t, c->reason);
    row[DETAIL] = cell_text(t, c->detail);
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
