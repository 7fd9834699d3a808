/* What stands in the formats of a comparison? */
#include <math.h>

#include "analyzers/columns.h"
#include "analyzers/compare/comparison_words.h"

static struct row_value verdict_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(comparison_verdict_name(((const struct comparison *)row)->verdict));
}

static struct row_value verdict_alone_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(comparison_verdict_name(((const struct comparison *)row)->alone));
}

/* The same comparison by the other measures of programs. */
static struct row_value speedup_by(const void *row, enum measure m)
{
    return row_number(1 / ((const struct comparison *)row)->by[m].ratio);
}

static struct row_value verdict_by(const void *row, enum measure m)
{
    const struct comparison *c = row;
    return isnan(c->by[m].ratio) ? row_unknown() : row_text(comparison_verdict_name(c->by[m].verdict));
}

static struct row_value span_speedup_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return speedup_by(row, MEASURE_SPAN);
}

static struct row_value span_verdict_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return verdict_by(row, MEASURE_SPAN);
}

static struct row_value interval_speedup_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return speedup_by(row, MEASURE_INTERVAL);
}

static struct row_value interval_verdict_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return verdict_by(row, MEASURE_INTERVAL);
}

static struct row_value discarded_of(const void *row, const void *context, struct str *scratch)
{
    const struct comparison *c = row;
    (void)context, (void)scratch;
    return row_integer(c->base.discarded_blocks + c->cand.discarded_blocks);
}

static struct row_value baseline_rate_of(const void *row, const void *context, struct str *scratch)
{
    const struct comparison *c = row;
    (void)context, (void)scratch;
    return row_number(c->base.bytes / c->baseline_ns * 1e9);
}

static struct row_value candidate_rate_of(const void *row, const void *context, struct str *scratch)
{
    const struct comparison *c = row;
    (void)context, (void)scratch;
    return row_number(c->cand.bytes / c->candidate_ns * 1e9);
}

static void show_case(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    (void)context;
    case_words_add(out, value->text, ((const struct comparison *)row)->cache);
}

static void show_gain(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    struct gain_words words;
    (void)value, (void)context;
    gain_words_of(&words, row);
    str_add(out, words.gain);
}

static void show_interval(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    struct gain_words words;
    (void)value, (void)context;
    gain_words_of(&words, row);
    str_add(out, words.interval);
}

/* A quotient near 1 that is read as it is. */
static void show_quotient(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    (void)row, (void)context;
    str_addf(out, value->type == ROW_IS_NUMBER ? "%.4f" : "n/a", value->number);
}

/* No handful of processes knows more digits. */
static void show_p(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    (void)row, (void)context;
    if (value->type != ROW_IS_NUMBER)
        str_add(out, "n/a");
    else if (value->number < 1e-4)
        str_add(out, "< 0.0001");
    else
        str_addf(out, "%.2g", value->number);
}

#define AT(field) ROW_AT(struct comparison, field)
enum { DATA = ROW_JSON | ROW_CSV, VERDICTS = COMPARISON_VERDICTS, BASIS = COMPARISON_BASIS, COST = COMPARISON_COST };

static const struct row_column columns[] = {
    {"baseline", AT(baseline), UNIT_TEXT, DATA | VERDICTS, ROW_TITLE_CODE("baseline"), "what it is compared with"},
    {"candidate", AT(candidate), UNIT_TEXT, DATA | VERDICTS | BASIS | COST, ROW_TITLE_CODE("candidate"),
     "the variant that is judged"},
    {"shape", AT(config), UNIT_TEXT, DATA | VERDICTS | BASIS | COST, ROW_SHOWN("shape", show_case),
     "the case that both ran"},
    {"ratio", AT(ratio), UNIT_FACTOR, DATA | VERDICTS | COST, ROW_SHOWN("ratio", show_quotient),
     "t_candidate / t_baseline; below 1 is faster"},
    {"speedup", AT(speedup), UNIT_FACTOR, DATA | VERDICTS, ROW_TITLE("speedup"), "1 / ratio"},
    {"gain", AT(gain), UNIT_RATIO, DATA | VERDICTS | COST, ROW_SHOWN("gain", show_gain), "1 - ratio"},
    {"ci_low", AT(ci_low), UNIT_FACTOR, DATA | VERDICTS | COST, ROW_SHOWN("interval", show_interval),
     "lower end of the interval of the *ratio*; the gain's interval is from 1 - `ci_high` to 1 - `ci_low`"},
    {"ci_high", AT(ci_high), UNIT_FACTOR, DATA, ROW_NO_TITLE, "its upper end"},
    {"confidence", AT(confidence), UNIT_RATIO, DATA, ROW_NO_TITLE, "how often such an interval holds the ratio"},
    {"verdict", ROW_MADE(ROW_TEXT, verdict_of), UNIT_TEXT, DATA | VERDICTS, ROW_TITLE("verdict"),
     "`faster`, `slower`, `equivalent`, `inconclusive`, `unusable` or `contradicted`"},
    {"reason", ROW_REASON(struct comparison, reason, comparison_reasons), UNIT_TEXT, DATA | VERDICTS,
     ROW_TITLE("reason"), "a code of [the table](statistics.md#the-decision)"},
    {"mde", AT(mde), UNIT_RATIO, DATA | BASIS, ROW_TITLE("smallest gain it could call"),
     "the smallest gain that an interval this wide would have called faster"},
    {"n_processes", AT(n_processes), UNIT_COUNT, DATA | BASIS | COST, ROW_TITLE("processes"),
     "what it rests on; processes are the unit of replication"},
    {"n_samples", AT(n_samples), UNIT_COUNT, DATA | BASIS, ROW_TITLE("samples"),
     "how many times were taken, in all processes"},
    {"margin", AT(margin), UNIT_RATIO, DATA, ROW_NO_TITLE, "a smaller difference is no difference"},
    {"baseline_ns", AT(baseline_ns), UNIT_NS, DATA | BASIS | COST, ROW_TITLE("baseline time"),
     "typical over the processes ([statistics](statistics.md#the-ratio))"},
    {"candidate_ns", AT(candidate_ns), UNIT_NS, DATA | BASIS | COST, ROW_TITLE("candidate time"), "the same"},
    {"clock_ratio", AT(clock_ratio), UNIT_FACTOR, DATA | BASIS, ROW_SHOWN("clock, candidate / baseline", show_quotient),
     "the candidate's mean SM clock over the baseline's"},
    {"cycles_ratio", AT(cycles_ratio), UNIT_FACTOR, DATA | BASIS | COST, ROW_SHOWN("ratio in cycles", show_quotient),
     "as `ratio`, in cycles of each block's own SM clock"},
    {"cache", AT(cache), UNIT_TEXT, DATA, ROW_NO_TITLE,
     "`hot`, `rotated`, `cold`, of programs `program`, or empty when neither arm was timed"},
    {"detail", AT(detail), UNIT_TEXT, DATA, ROW_NO_TITLE, "the reason in one sentence"},
    {"p_value", AT(p_value), UNIT_NONE, DATA | BASIS, ROW_SHOWN("p", show_p),
     "p of \"no more than the margin apart\", alone"},
    {"p_holm", AT(p_holm), UNIT_NONE, DATA | BASIS, ROW_SHOWN("p of the table (Holm)", show_p),
     "the same, adjusted for all rows"},
    {"verdict_alone", ROW_MADE(ROW_TEXT, verdict_alone_of), UNIT_TEXT, DATA | BASIS, ROW_TITLE("verdict alone"),
     "what the verdict would be if this were the only row"},
    {"paired", AT(paired), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the arms shared their processes"},
    {"discarded_blocks", ROW_MADE(ROW_INTEGER, discarded_of), UNIT_COUNT, DATA | BASIS, ROW_TITLE("blocks discarded"),
     "blocks of both arms in which the GPU throttled"},
    {"baseline_bytes_per_s", ROW_MADE(ROW_NUMBER, baseline_rate_of), UNIT_BYTES_PER_S, DATA, ROW_NO_TITLE,
     "stated bytes over the time"},
    {"candidate_bytes_per_s", ROW_MADE(ROW_NUMBER, candidate_rate_of), UNIT_BYTES_PER_S, DATA, ROW_NO_TITLE,
     "the same"},
    {"measure", AT(measure), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "of programs `busy`, the [measure](programs.md#the-command-line) that is compared; empty of kernels"},
    {"span_speedup", ROW_MADE(ROW_NUMBER, span_speedup_of), UNIT_FACTOR, ROW_JSON, ROW_NO_TITLE,
     "of programs: 1 / ratio of the spans"},
    {"span_verdict", ROW_MADE(ROW_TEXT, span_verdict_of), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "what the verdict would be by them"},
    {"interval_speedup", ROW_MADE(ROW_NUMBER, interval_speedup_of), UNIT_FACTOR, ROW_JSON, ROW_NO_TITLE,
     "of programs: 1 / ratio of the intervals"},
    {"interval_verdict", ROW_MADE(ROW_TEXT, interval_verdict_of), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "what the verdict would be by them"},
};

const struct row_columns comparison_columns = ROW_COLUMNS_ORDERED(
    "comparison", struct comparison, columns,
    {ROW_CSV,
     "baseline candidate shape cache ratio speedup gain ci_low ci_high confidence verdict reason detail margin mde "
     "p_value p_holm verdict_alone n_processes n_samples discarded_blocks baseline_ns candidate_ns cycles_ratio "
     "clock_ratio"},
    {BASIS,
     "candidate shape baseline_ns candidate_ns n_processes n_samples discarded_blocks mde cycles_ratio clock_ratio "
     "p_value p_holm verdict_alone"},
    {COST, "candidate shape baseline_ns candidate_ns ratio gain ci_low cycles_ratio n_processes"});
