/* What are the phases at a mark called, how many tiles follow each other, and how fast is the clock? */
#include <math.h>
#include <string.h>

#include "analyzers/slack/slack_parts.h"
#include "core/base/count_of.h"
#include "core/run/counters.h"
#include "core/run/timing_arms.h"

static bool begins_at(const struct inside_phase_row *phase, const struct slack *row)
{
    return phase->role == row->role && phase->mark == row->mark;
}

/* Two phases that begin at one mark are "wait and refill". */
static int read_names(struct slack *row, const struct inside *inside, struct arena *arena, struct err *e)
{
    const size_t phases = inside ? inside->phase_count : 0;
    const char **names = arena_alloc(arena, (phases + 1) * sizeof *names);
    if (!names)
        return err_memory(e);
    row->role_name = arena_printf(arena, "role %lld", (long long)row->role);
    for (size_t i = 0; i < phases; i++) {
        const struct inside_phase_row *phase = &inside->phases[i];
        if (phase->role == row->role)
            row->role_name = phase->role_name;
        if (!begins_at(phase, row))
            continue;
        row->name = row->name_count ? arena_printf(arena, "%s and %s", row->name, phase->name) : phase->name;
        names[row->name_count++] = phase->name;
    }
    if (!row->name_count)
        names[row->name_count++] = row->name = arena_printf(arena, "mark %lld", (long long)row->mark);
    row->names = names;
    return 0;
}

/* Returns how many tiles the longest warp of the role goes through. Missing cells count for nothing. */
static double tiles_of_block(const struct analysis *a, const struct slack *row, const struct arm *record)
{
    const struct arm_table *warps = &a->run->tables[BUNDLE_INSIDE_WARPS];
    const struct arm_places places = arm_table_rows(warps, record);
    double most = NAN;
    for (size_t i = 0; i < places.count; i++)
        if (table_number(warps->table, places.items[i], INSIDE_WARPS_ROLE) == (double)row->role)
            most = fmax(most, table_number(warps->table, places.items[i], INSIDE_WARPS_TILES));
    return most > 0 ? most : NAN;
}

/* Blocks that an SM does not have at once come one after the other. */
static double waves_of(const struct analysis *a, const struct arm *off)
{
    const struct arm_table *resources = &a->run->tables[BUNDLE_RESOURCES];
    const struct arm_places places = arm_table_rows(resources, off);
    const double waves = places.count == 1 ? table_number(resources->table, places.items[0], RESOURCES_WAVES) : NAN;
    return waves > 0 ? ceil(waves) : NAN;
}

/* Doses are cycles of the SM, costs are ns: what counts is the clock under this load. Records count both at once. The
 * clock of the timing is one that the driver states, and may be the highest that the GPU would reach. */
static void read_clock(struct slack *row, const struct analysis *a, const struct inside *inside)
{
    const struct counters *counters = counters_find(&a->run->counters, row->off);
    const struct timing_arm *timed = timing_arms_find(&a->run->timing, row->control);
    const struct {
        const char *clock;
        double cycles_per_ns;
    } sources[] = {
        {"record", inside ? inside->cycles_per_ns.value : NAN},
        {"counter", counters ? counters_value(counters, METRIC_SM_CLOCK) / 1e9 : NAN},
        {"timing", timed ? timing_arm_clock_hz(timed) / 1e9 : NAN},
    };
    row->cycles_per_ns = NAN;
    row->clock = "";
    for (size_t i = 0; i < COUNT_OF(sources) && !*row->clock; i++)
        if (sources[i].cycles_per_ns > 0 && isfinite(sources[i].cycles_per_ns)) {
            row->cycles_per_ns = sources[i].cycles_per_ns;
            row->clock = sources[i].clock;
        }
}

int slack_read_kernel(struct slack *row, struct analysis *a, struct err *e)
{
    const struct arm *record =
        analysis_arm(a, arena_printf(&a->arena, "%s%s", row->variant, INSIDE_RECORD), row->config);
    const struct inside *inside = analysis_inside(a, record);
    row->tiles = tiles_of_block(a, row, record) * waves_of(a, row->off);
    row->ring = inside ? inside->stages_possible : 0;
    read_clock(row, a, inside);
    return read_names(row, inside, &a->arena, e);
}
