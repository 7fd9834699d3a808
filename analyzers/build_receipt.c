/* Is a build of a variant the kernel that it stands for? Its resources and its counters say. */
#include "analyzers/build_receipt.h"

#include <math.h>
#include <string.h>

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

enum inside_reason build_doubt_of_resources(const struct analysis *a, const struct arm *base, const struct arm *build)
{
    const struct arm_table *rows = &a->run->tables[BUNDLE_RESOURCES];
    const struct arm_places of_base = arm_table_rows(rows, base), of_build = arm_table_rows(rows, build);
    const double sms = sm_count(a);
    if (!of_base.count || of_base.count != of_build.count)
        return INSIDE_NO_RECEIPT;
    for (size_t i = 0; i < of_base.count; i++) {
        const double new_local = table_number(rows->table, of_build.items[i], RESOURCES_LOCAL) -
                                 table_number(rows->table, of_base.items[i], RESOURCES_LOCAL);
        const double blocks = blocks_at_once(rows->table, of_build.items[i], sms),
                     expected = blocks_at_once(rows->table, of_base.items[i], sms);
        if (isnan(new_local) || isnan(blocks) || isnan(expected))
            return INSIDE_NO_RECEIPT;
        if (new_local > 0)
            return INSIDE_NEW_SPILLS;
        if (blocks != expected)
            return INSIDE_OTHER_OCCUPANCY;
    }
    return INSIDE_NO_REASON;
}

/* ---- counters ---- */

/* True, too, if no process of the run saw its code. */
static bool kernel_has_half_math(const json_t *processes, const char *kernel)
{
    bool is_known = false;
    for (size_t i = 0; i < json_array_size(processes); i++) {
        const json_t *seen = json_object_get(json_array_get(processes, i), "half_math");
        const long long on_data = json_get_integer(seen, kernel, -1);
        if (on_data > 0)
            return true;
        is_known |= !on_data;
    }
    return !is_known;
}

/* ptxas makes constants by HFMA2, more or fewer with each schedule. */
static bool has_half_math(const struct analysis *a, const struct arm *arm)
{
    const struct arm_table *rows = &a->run->tables[BUNDLE_RESOURCES];
    const struct arm_places places = arm_table_rows(rows, arm);
    bool has = places.count == 0 || places.count != arm_index_of(&a->run->counters.index, arm).count;
    for (size_t i = 0; i < places.count && !has; i++)
        has = kernel_has_half_math(json_object_get(a->bundle->manifest, "processes"),
                                   table_text(rows->table, places.items[i], RESOURCES_KERNEL));
    return has;
}

static void match_counter(struct counters_match *out, const char *id, double expected, double got, double margin)
{
    if (isnan(margin) || (isnan(expected) && isnan(got)))
        return;
    out->compared++;
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
    const bool has_half = has_half_math(a, base) || has_half_math(a, build);
    if (of_base.count != of_build.count && !*out->differs)
        out->differs = "kernels";
    for (size_t k = 0; k < of_base.count && of_base.count == of_build.count; k++)
        for (size_t i = 0; i < known_count; i++)
            match_counter(out, known[i].id, counters_value(&a->run->counters.items[of_base.items[k]], known[i].id),
                          counters_value(&a->run->counters.items[of_build.items[k]], known[i].id),
                          has_half || strcmp(known[i].id, METRIC_HFMA_THREADS) != 0 ? margin_of(&known[i]) : NAN);
}
