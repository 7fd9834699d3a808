/* Is a build of a variant the kernel that it stands for? Its resources and its counters say. */
#include "analyzers/build_receipt.h"

#include <math.h>

/* ---- resources ---- */

static double sm_count(const struct analysis *a)
{
    return json_get_number(json_object_get(a->bundle->manifest, "gpu"), "sm_count", NAN);
}

/* An SM gets no more blocks than its share of the grid: what else would fit does not matter. */
static double blocks_at_once(const struct table *t, size_t row, double sms)
{
    const double fit = table_number(t, row, RESOURCES_BLOCKS_PER_SM);
    return isnan(fit) ? NAN : fmin(fit, ceil(table_number(t, row, RESOURCES_GRID) / sms));
}

double build_blocks_at_once(const struct analysis *a, const struct arm *arm)
{
    const struct arm_table *rows = &a->run->tables[BUNDLE_RESOURCES];
    const struct arm_places places = arm_table_rows(rows, arm);
    double most = places.count ? 0 : NAN;
    for (size_t i = 0; i < places.count; i++) {
        const double blocks = blocks_at_once(rows->table, places.items[i], sm_count(a));
        most = blocks > most || isnan(blocks) ? blocks : most;
    }
    return most;
}

const char *build_doubt_of_resources(const struct analysis *a, const struct arm *base, const struct arm *build)
{
    const struct arm_table *rows = &a->run->tables[BUNDLE_RESOURCES];
    const struct arm_places of_base = arm_table_rows(rows, base), of_build = arm_table_rows(rows, build);
    const double sms = sm_count(a);
    if (!of_base.count || of_base.count != of_build.count)
        return "no_receipt";
    for (size_t i = 0; i < of_base.count; i++) {
        const double new_local = table_number(rows->table, of_build.items[i], RESOURCES_LOCAL) -
                                 table_number(rows->table, of_base.items[i], RESOURCES_LOCAL);
        const double blocks = blocks_at_once(rows->table, of_build.items[i], sms),
                     expected = blocks_at_once(rows->table, of_base.items[i], sms);
        if (isnan(new_local) || isnan(blocks) || isnan(expected))
            return "no_receipt";
        if (new_local > 0)
            return "new_spills";
        if (blocks != expected)
            return "other_occupancy";
    }
    return "";
}

/* ---- counters ---- */

static void match_counter(struct counters_match *out, const char *id, double expected, double got, double margin)
{
    if (isnan(margin) || (isnan(expected) && isnan(got)))
        return;
    out->compared++;
    out->counted += expected > 0;
    if (fabs(got - expected) <= margin * expected || *out->differs) /* one that only one of them has differs, too */
        return;
    out->differs = id;
    out->expected = expected;
    out->got = got;
}

void build_match_counters(struct counters_match *out, const struct analysis *a, const struct arm *base,
                          const struct arm *build, counter_margin margin_of)
{
    size_t known_count;
    const struct metric *known = metrics_known(&known_count);
    const struct arm_places of_base = arm_index_of(&a->run->counters.index, base),
                            of_build = arm_index_of(&a->run->counters.index, build);
    if (of_base.count != of_build.count && !*out->differs)
        out->differs = "kernels";
    for (size_t k = 0; k < of_base.count && of_base.count == of_build.count; k++)
        for (size_t i = 0; i < known_count; i++)
            match_counter(out, known[i].id, counters_value(&a->run->counters.items[of_base.items[k]], known[i].id),
                          counters_value(&a->run->counters.items[of_build.items[k]], known[i].id),
                          margin_of(&known[i]));
}
