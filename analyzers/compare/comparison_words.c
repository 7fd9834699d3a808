/* How are a gain and its interval said? */
#include "analyzers/compare/comparison_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzers/solutions/solution_rows.h"

const struct reason comparison_reasons[] = {COMPARISON_REASONS(REASON_ROW)};

enum comparison_reason comparison_reason_of_ratio(enum ratio_reason reason)
{
    static const enum comparison_reason reasons[] = {
        [RATIO_TOO_FEW_PROCESSES] = COMPARISON_TOO_FEW_PROCESSES,
        [RATIO_BELOW_MARGIN] = COMPARISON_INTERVAL_BELOW_MARGIN,
        [RATIO_ABOVE_MARGIN] = COMPARISON_INTERVAL_ABOVE_MARGIN,
        [RATIO_WITHIN_MARGIN] = COMPARISON_INTERVAL_WITHIN_MARGIN,
        [RATIO_OF_THE_CLOCK] = COMPARISON_CLOCK_DIFFERENCE,
        [RATIO_CROSSES_MARGIN] = COMPARISON_INTERVAL_CROSSES_MARGIN,
        /* of one process each, which no comparison of a run decides */
        [RATIO_BEYOND_SPREAD] = COMPARISON_TOO_FEW_PROCESSES,
        [RATIO_WITHIN_SPREAD] = COMPARISON_TOO_FEW_PROCESSES,
    };
    return reasons[reason];
}

bool comparison_is_doubted(enum comparison_reason reason)
{
    return reason < COMPARISON_INTERVAL_BELOW_MARGIN || reason > COMPARISON_INTERVAL_CROSSES_MARGIN;
}

/* gain = 1 - ratio, so the ends change places. */
static void write_interval(struct gain_words *out, const struct comparison *c, const char *low, const char *high)
{
    if (isnan(c->ci_low) || isnan(c->ci_high))
        snprintf(out->interval, sizeof out->interval, "n/a");
    else if (!isfinite(c->ci_low) || !isfinite(c->ci_high))
        snprintf(out->interval, sizeof out->interval, "unbounded");
    else
        snprintf(out->interval, sizeof out->interval, "%s to %s", low, high);
}

void gain_words_of(struct gain_words *out, const struct comparison *c)
{
    char texts[4][UNITS_TEXT_BYTES];
    const double gains[] = {c->gain, 1 - c->ci_high, 1 - c->ci_low, c->margin};
    const double factors[] = {c->speedup, 1 / c->ci_high, 1 / c->ci_low};
    out->saturates = c->speedup > GAIN_SATURATES;
    unit_format_apart(texts, UNIT_RATIO, gains, 4);
    memcpy(out->gain, texts[0], sizeof out->gain);
    memcpy(out->margin, texts[3], sizeof out->margin);
    if (out->saturates)
        unit_format_apart(texts, UNIT_FACTOR, factors, 3);
    write_interval(out, c, texts[1], texts[2]);
}

const char *comparison_verdict_words(const struct comparison *c)
{
    return c->reason != COMPARISON_WRONG_BASELINE ? comparison_verdict_name(c->verdict) : "nothing to compare with";
}

void case_words_add(struct str *out, const char *config, const char *cache)
{
    str_add(out, config);
    if (!strcmp(cache, "cold") || !strcmp(cache, "rotated"))
        str_addf(out, "%s%s L2", *config ? ", " : "", cache);
}
