/* Is one arm faster than the other, beyond doubt? (docs/statistics.md) */
#include "core/stats/ratio_decision.h"

#include <math.h>

const char *comparison_verdict_name(enum comparison_verdict v)
{
    static const char *const names[] = {[COMPARE_INCONCLUSIVE] = "inconclusive",
                                        [COMPARE_FASTER] = "faster",
                                        [COMPARE_SLOWER] = "slower",
                                        [COMPARE_EQUIVALENT] = "equivalent",
                                        [COMPARE_UNUSABLE] = "unusable",
                                        [COMPARE_CONTRADICTED] = "contradicted"};
    return names[v];
}

static const double equivalence_confidence = 0.90; /* two one-sided tests at 5% each */

/* ratio / high measures how far the interval reaches. A candidate with an interval of the same width would be called
 * faster below this ratio. */
static double detectable_gain(const struct ratio_interval *interval, double margin)
{
    return isfinite(interval->high) ? 1 - (1 - margin) * interval->ratio / interval->high : NAN;
}

/* All looks together, whichever is the last, err no more often than a single one may (Bonferroni). */
static double confidence_at(double confidence, int looks)
{
    return 1 - (1 - confidence) / looks;
}

static struct ratio_decision decide(const struct ratio_estimate *estimate, size_t processes, double margin, int looks)
{
    const double below = 1 - margin, above = 1 / (1 - margin);
    const struct ratio_interval outer = ratio_estimate_interval(estimate, confidence_at(RATIO_CONFIDENCE, looks));
    const struct ratio_interval inner = ratio_estimate_interval(estimate, confidence_at(equivalence_confidence, looks));
    const bool enough = processes >= RATIO_PROCESSES_MIN;
    const struct {
        bool holds;
        enum comparison_verdict verdict;
        enum ratio_reason reason;
    } rules[] = {
        {!enough, COMPARE_INCONCLUSIVE, RATIO_TOO_FEW_PROCESSES},
        {outer.high < below, COMPARE_FASTER, RATIO_BELOW_MARGIN},
        {outer.low > above, COMPARE_SLOWER, RATIO_ABOVE_MARGIN},
        {inner.low > below && inner.high < above, COMPARE_EQUIVALENT, RATIO_WITHIN_MARGIN},
        {true, COMPARE_INCONCLUSIVE, RATIO_CROSSES_MARGIN},
    };
    size_t i = 0;
    while (!rules[i].holds)
        i++;
    return (struct ratio_decision){outer, detectable_gain(&outer, margin),
                                   enough ? fmin(1, looks * ratio_estimate_p(estimate, below, above)) : NAN,
                                   rules[i].verdict, rules[i].reason};
}

struct ratio_decision ratio_decide(const struct arm_values *values, double margin)
{
    return ratio_decide_looks(values, margin, 1);
}

struct ratio_decision ratio_decide_looks(const struct arm_values *values, double margin, int looks)
{
    struct ratio_estimate estimate;
    const size_t processes = values->base_count < values->cand_count ? values->base_count : values->cand_count;
    if (ratio_estimate_init(&estimate, values))
        estimate.log_ratio = NAN; /* when memory is out there is no interval, so it is not narrow */
    const struct ratio_decision decision = decide(&estimate, processes, margin, looks);
    ratio_estimate_release(&estimate);
    return decision;
}
