/* Which numbers of one launch in another tool's file contradict each other? */
#include "analyzers/bounds/bound_contradiction.h"

#include <string.h>

#include "analyzers/bound_decision.h"
#include "core/base/count_of.h"
#include "core/gpu/other_units.h"

/* No pipe is above SM throughput, DRAM not above memory throughput, and no data stage above L1, in any counted kernel
 * of examples/ and, by more than one point, in any file of Nsight Compute that was at hand. L2 is above memory
 * throughput, by up to 11 points. */
#define PASSES_DIFFER (PEAK_ROUNDING - 1)

/* Tools round what they print, and compare what they counted. */
#define RULE_ROUNDING 0.01

static bool is_above(const struct counters *c, const struct metric *part, const struct metric *whole)
{
    return counters_share(c, part) > counters_share(c, whole) + PASSES_DIFFER; /* never for NAN */
}

static struct bound_contradiction busier_than_whole(const struct counters *c)
{
    const struct metric *sm = metric_by_id(METRIC_SM_THROUGHPUT), *l1 = metric_by_id(METRIC_L1_SHARE), *metric;
    const struct {
        const struct metric *part, *whole;
    } pairs[] = {
        {metric_by_id(METRIC_LSU_SHARE), sm},
        {metric_by_id(METRIC_DRAM_SHARE), metric_by_id(METRIC_MEMORY_THROUGHPUT)},
        {metric_by_id(METRIC_SHARED_SHARE), l1},
        {other_unit_by_name(OTHER_UNIT_L1_DATA), l1},
    };
    for (size_t at = 0; (metric = counters_next_unit(METRIC_COMPUTE, &at));)
        if (!metric_is_of_tcgen05(metric) && is_above(c, metric, sm))
            return (struct bound_contradiction){.part = metric, .whole = sm};
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        if (is_above(c, pairs[i].part, pairs[i].whole))
            return (struct bound_contradiction){.part = pairs[i].part, .whole = pairs[i].whole};
    return (struct bound_contradiction){0};
}

/* Waves tell these two apart, which are no share. */
static const char *of_shares(const char *rule)
{
    return !strcmp(rule, "Small Grid") ? "Latency Issue" : rule;
}

/* The limits of the rule are the same in all versions seen (2021 to 2025): whoever overrides ours does not change what
 * it said. */
static bool could_say(const char *said, double sm, double memory)
{
    struct thresholds t;
    thresholds_resolve(&t, NULL, NULL);
    for (int i = 0; i < 4; i++) {
        const char *rule = bound_ncu_rule(&t, sm + (i & 1 ? RULE_ROUNDING : -RULE_ROUNDING),
                                          memory + (i & 2 ? RULE_ROUNDING : -RULE_ROUNDING), 1);
        if (!rule || !strcmp(of_shares(rule), of_shares(said)))
            return true;
    }
    return false;
}

struct bound_contradiction bound_contradiction_find(const struct imported_launch *launch)
{
    struct bound_contradiction found = busier_than_whole(&launch->counters);
    const double sm = counters_share(&launch->counters, metric_by_id(METRIC_SM_THROUGHPUT));
    const double memory = counters_share(&launch->counters, metric_by_id(METRIC_MEMORY_THROUGHPUT));
    if (!found.part && launch->ncu_rule && !could_say(launch->ncu_rule, sm, memory))
        found.rule = launch->ncu_rule;
    return found;
}
