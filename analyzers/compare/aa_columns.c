/* What stands in the tables of a machine against itself? */
#include <math.h>

#include "analyzers/columns.h"
#include "analyzers/compare/aa_comparisons.h"
#include "analyzers/inner_rows.h"
#include "core/base/count_of.h"

#define BOTH (ROW_JSON | ROW_TABLE)

/* ---- rates and verdicts ---- */

static const struct row_column rates[] = {
    {"ratio", ROW_AT(struct rate_interval, rate), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE, "of the comparisons"},
    {"low", ROW_AT(struct rate_interval, low), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE,
     "lower end of its exact 95% interval"},
    {"high", ROW_AT(struct rate_interval, high), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE, "its upper end"},
};
const struct row_columns aa_rate_columns = ROW_COLUMNS("aa rate", struct rate_interval, rates);

static const struct row_column effects[] = {
    {"median", ROW_AT(struct median_interval, median), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE,
     "share of the time, over all processes"},
    {"low", ROW_AT(struct median_interval, low), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE, "lower end of its 95% interval"},
    {"high", ROW_AT(struct median_interval, high), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE, "its upper end"},
};
const struct row_columns aa_effect_columns = ROW_COLUMNS("aa slowdown", struct median_interval, effects);

/* The member `verdicts` of the rows. */
struct verdicts {
    size_t counts[AA_VERDICTS];
};

#define VERDICT(name, verdict, description)                                                                            \
    {                                                                                                                  \
        name, ROW_AT(struct verdicts, counts[verdict]), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, description                \
    }

static const struct row_column verdict_list[] = {
    VERDICT("inconclusive", COMPARE_INCONCLUSIVE, "comparisons that tell nothing"),
    VERDICT("faster", COMPARE_FASTER, "beyond the margin"),
    VERDICT("slower", COMPARE_SLOWER, "beyond the margin"),
    VERDICT("equivalent", COMPARE_EQUIVALENT, "within the margin"),
    VERDICT("unusable", COMPARE_UNUSABLE, "none: only a run with a gate that fails has such"),
};
_Static_assert(COUNT_OF(verdict_list) == AA_VERDICTS, "each verdict has a column");
const struct row_columns aa_verdict_columns = ROW_COLUMNS("aa verdicts", struct verdicts, verdict_list);

/* ---- cells ---- */

/* Effects are a few per cent: two decimals. */
static void show_share(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    (void)row, (void)context;
    if (value->type == ROW_UNKNOWN)
        str_add(out, "n/a");
    else
        str_addf(out, "%.2f%%", 100 * value->number);
}

static void show_rate(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    (void)row, (void)context;
    if (value->type == ROW_UNKNOWN)
        str_add(out, "n/a");
    else
        str_addf(out, "%.1f%%", 100 * value->number);
}

static struct row_value range_of(struct str *scratch, const struct rate_interval *r)
{
    str_addf(scratch, "%.1f%% to %.1f%%", 100 * r->low, 100 * r->high);
    return row_text(str_text(scratch));
}

#define RATE(one)     ROW_OBJECT_OF(one, &aa_rate_columns)
#define VERDICTS(one) ROW_OBJECT_OF(one, &aa_verdict_columns)

/* ---- a thing against itself ---- */

PART_OF(self_verdicts_of, struct aa_self, verdicts)
PART_OF(coverage_of, struct aa_self, coverage)
PART_OF(false_positives_of, struct aa_self, false_positives)
PART_OF(equivalent_of, struct aa_self, equivalent)

static struct row_value make_coverage_range(const void *row, const void *context, struct str *scratch)
{
    (void)context;
    return range_of(scratch, &((const struct aa_self *)row)->coverage);
}

static struct row_value make_false(const void *row, const void *context, struct str *scratch)
{
    const struct aa_self *s = row;
    (void)context, (void)scratch;
    return row_integer((int64_t)(s->verdicts[COMPARE_FASTER] + s->verdicts[COMPARE_SLOWER]));
}

#define SELF(field) ROW_AT(struct aa_self, field)
#define DETECTABLE(name, field, title, description)                                                                    \
    {                                                                                                                  \
        name, SELF(field), UNIT_RATIO, BOTH, ROW_SHOWN(title, show_share), description                                 \
    }

static const struct row_column selves[] = {
    {"variant", ROW_AT_OR_NULL(struct aa_self, variant), UNIT_TEXT, BOTH, ROW_TITLE_OR("variant", ROW_CODE, "all"),
     "of the case; `null` over all cases, as the next two"},
    {"shape", ROW_AT_OR_NULL(struct aa_self, config), UNIT_TEXT, BOTH, ROW_TITLE_OR("shape", ROW_PLAIN, ""),
     "of the case"},
    {"time_ns", SELF(time_ns), UNIT_NS, BOTH, ROW_TITLE_OR("time", ROW_PLAIN, ""), "median of the first arm"},
    {"processes", SELF(processes), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "of the pool"},
    {"comparisons", SELF(comparisons), UNIT_COUNT, BOTH, ROW_TITLE("comparisons"), "comparisons of it with itself"},
    {"covered", SELF(covered), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "those whose interval holds 1"},
    {"verdicts", VERDICTS(self_verdicts_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "how many have each verdict"},
    {"coverage", RATE(coverage_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "those whose interval holds 1, as a rate"},
    {"coverage_rate", SELF(coverage.rate), UNIT_RATIO, ROW_TABLE, ROW_SHOWN("holds 1", show_rate), ""},
    {"coverage_range", ROW_MADE(ROW_NUMBER, make_coverage_range), UNIT_NONE, ROW_TABLE, ROW_TITLE("95%"), ""},
    {"false", ROW_MADE(ROW_INTEGER, make_false), UNIT_COUNT, ROW_TABLE, ROW_TITLE("false"), ""},
    {"false_positives", RATE(false_positives_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "those that are called faster or slower, as a rate"},
    {"false_positives_high", SELF(false_positives.high), UNIT_RATIO, ROW_TABLE, ROW_SHOWN("at most", show_rate), ""},
    {"equivalent", RATE(equivalent_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "those that are called equivalent, as a rate"},
    {"equivalent_rate", SELF(equivalent.rate), UNIT_RATIO, ROW_TABLE, ROW_SHOWN("equivalent", show_rate), ""},
    DETECTABLE("detectable_80", detectable_80, "80% find",
               "the smallest slowdown that 80% of the comparisons would have called"),
    DETECTABLE("detectable_95", detectable_95, "95% find", "that 95% of them would have called"),
    DETECTABLE("mde_p50", mde_50, "mde p50", "median of the effects that each comparison would have called itself"),
    DETECTABLE("mde_p90", mde_90, "mde p90", "their 90th percentile"),
};
const struct row_columns aa_self_columns = ROW_COLUMNS("aa", struct aa_self, selves);

/* ---- planted slowdowns ---- */

PART_OF(effect_of, struct aa_planted, effect)
PART_OF(planted_verdicts_of, struct aa_planted, verdicts)
PART_OF(found_of, struct aa_planted, found)

static struct row_value make_effect_range(const void *row, const void *context, struct str *scratch)
{
    const struct median_interval *effect = &((const struct aa_planted *)row)->effect;
    (void)context;
    if (!isfinite(effect->low) || !isfinite(effect->high))
        return row_unknown();
    str_addf(scratch, "%.2f%% to %.2f%%", 100 * effect->low, 100 * effect->high);
    return row_text(str_text(scratch));
}

/* The slowdown over what the same case's comparisons with itself would find in 80% of cases. */
static struct row_value make_of_detectable(const void *row, const void *context, struct str *scratch)
{
    const struct aa_planted *p = row;
    const struct aa_result *all = context;
    (void)scratch;
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].arm == p->arm)
            return row_number(p->effect.median / all->items[i].detectable_80);
    return row_unknown();
}

static struct row_value make_found_range(const void *row, const void *context, struct str *scratch)
{
    (void)context;
    return range_of(scratch, &((const struct aa_planted *)row)->found);
}

#define PLANTED(field) ROW_AT(struct aa_planted, field)
#define COUNTED(name, verdict)                                                                                         \
    {                                                                                                                  \
        name, PLANTED(verdicts[verdict]), UNIT_COUNT, ROW_TABLE, ROW_TITLE(name), ""                                   \
    }

static const struct row_column planted[] = {
    {"variant", PLANTED(variant), UNIT_TEXT, BOTH, ROW_TITLE_CODE("variant"), "of the arm that it is compared with"},
    {"shape", PLANTED(config), UNIT_TEXT, BOTH, ROW_TITLE("shape"), "of that arm"},
    {"share", PLANTED(share), UNIT_RATIO, BOTH, ROW_SHOWN("extra work", show_share), "extra work, of the loop"},
    {"slowdown", ROW_OBJECT_OF(effect_of, &aa_effect_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "what that work costs; `median`, `low`, `high`"},
    {"slowdown_median", PLANTED(effect.median), UNIT_RATIO, ROW_TABLE, ROW_SHOWN("slowdown", show_share), ""},
    {"slowdown_range", ROW_MADE(ROW_NUMBER, make_effect_range), UNIT_NONE, ROW_TABLE, ROW_TITLE("95%"), ""},
    {"of_detectable", ROW_MADE(ROW_NUMBER, make_of_detectable), UNIT_FACTOR, ROW_TABLE, ROW_TITLE("of detectable"), ""},
    {"processes", PLANTED(processes), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "of the pool"},
    {"comparisons", PLANTED(comparisons), UNIT_COUNT, BOTH, ROW_TITLE("comparisons"), "comparisons of the two arms"},
    {"verdicts", VERDICTS(planted_verdicts_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "how many have each verdict"},
    {"found", RATE(found_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "those that are called slower, as a rate"},
    COUNTED("slower", COMPARE_SLOWER),
    {"found_range", ROW_MADE(ROW_NUMBER, make_found_range), UNIT_NONE, ROW_TABLE, ROW_TITLE("95%"), ""},
    COUNTED("inconclusive", COMPARE_INCONCLUSIVE),
    COUNTED("equivalent", COMPARE_EQUIVALENT),
    COUNTED("faster", COMPARE_FASTER),
    {"wrong", PLANTED(wrong), UNIT_COUNT, BOTH, ROW_TITLE("wrong"),
     "faster, or equivalent though the slowdown is beyond the margin, or slower though it is within"},
};
const struct row_columns aa_planted_columns = ROW_COLUMNS("aa planted", struct aa_planted, planted);
