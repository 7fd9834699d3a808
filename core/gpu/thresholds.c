/* At which numbers does a verdict about a bound change, and what do they mean? */
#define _POSIX_C_SOURCE 200809L /* fnmatch */
#include "core/gpu/thresholds.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "core/gpu/chips.h"

static const struct threshold thresholds[THRESHOLD_COUNT] = {
    [THRESHOLD_LAUNCH_IDLE] = {"launch_idle", 0.25, UNIT_RATIO,
                               "launch-bound from this share of the launch interval with the device idle"},
    [THRESHOLD_LATENCY_SHARE] = {"latency_share", 0.60, UNIT_RATIO,
                                 "latency-bound when no unit reaches this share of its peak"},
    [THRESHOLD_HIGH_SHARE] = {"high_share", 0.80, UNIT_RATIO,
                              "a side that alone reaches this share bounds, however small its lead"},
    [THRESHOLD_LEAD] = {"lead", 0.10, UNIT_RATIO, "a side that leads by this many points bounds; less is balanced"},
    [THRESHOLD_DRAM_CEILING] = {"dram_ceiling", 0.88, UNIT_RATIO, "share of its peak that device memory can reach"},
    [THRESHOLD_DRAM_PREFERENCE] = {"dram_preference", 0.10, UNIT_RATIO,
                                   "dram is the memory unit when its share of what it can reach is at most this far "
                                   "below the busiest unit"},
    [THRESHOLD_SHARED_PREFERENCE] =
        {"shared_preference", 0.75, UNIT_RATIO,
         "shared is the memory unit when l1 is the busiest and shared, a part of it, has this much of its share"},
    [THRESHOLD_PIPE_PREFERENCE] =
        {"pipe_preference", 0.10, UNIT_RATIO,
         "a pipe is the compute unit when the issue slots are the busiest and the pipe at most "
         "this far below"},
    [THRESHOLD_UNKNOWN_UNIT] =
        {"unknown_unit", 0.10, UNIT_RATIO,
         "a side whose throughput is more than this above each of its units may have a unit that is "
         "not known"},
    [THRESHOLD_TAIL_WAVES] = {"tail_waves", 2.0, UNIT_NONE, "only grids below this many waves are blamed on a tail"},
    [THRESHOLD_TAIL_LAST_WAVE] = {"tail_last_wave", 0.50, UNIT_RATIO,
                                  "a last wave filled less than this leaves a tail"},
    [THRESHOLD_SMALL_GRID] =
        {"small_grid", 0.10, UNIT_RATIO,
         "a small grid comes before the leading stall in what to try from this share of the time lost"},
    [THRESHOLD_SHORT_KERNEL] = {"short_kernel", 10e3, UNIT_NS,
                                "a latency-bound kernel shorter than this is advised to be launched less often ..."},
    [THRESHOLD_SHORT_ACTIVE] = {"short_active", 0.50, UNIT_RATIO,
                                "... when its SMs have warps for less than this share of its time"},
    [THRESHOLD_NCU_LATENCY] = {"ncu_latency", 0.60, UNIT_RATIO,
                               "Nsight Compute: Latency Issue or Small Grid below this"},
    [THRESHOLD_NCU_HIGH] = {"ncu_high", 0.80, UNIT_RATIO, "Nsight Compute: High Throughput from this"},
    [THRESHOLD_NCU_LEAD] = {"ncu_lead", 0.10, UNIT_RATIO, "Nsight Compute: Balanced Throughput below this"},
    [THRESHOLD_NCU_WAVES] = {"ncu_waves", 1.0, UNIT_NONE, "Nsight Compute: Small Grid below this many waves"},
    [THRESHOLD_EXPOSED_STALL] =
        {"exposed_stall", 0.10, UNIT_RATIO,
         "load latency is exposed from this share of warp cycles waiting for loads and barriers"},
    [THRESHOLD_HIDDEN_SHARE] = {"hidden_share", 0.80, UNIT_RATIO,
                                "load latency is hidden when a unit or the issue slots are this busy"},
    [THRESHOLD_HIDDEN_RISE] = {"hidden_rise", 0.10, UNIT_RATIO,
                               "... or this many points busier than with fewer blocks per SM"},
    [THRESHOLD_HIDDEN_WARPS] = {"hidden_warps", 16.0, UNIT_NONE,
                                "... or above latency_share with this many resident warps per SM"},
    [THRESHOLD_HIDDEN_MEMORY] = {"hidden_memory", 0.01, UNIT_RATIO,
                                 "a kernel that uses memory less than this has no load latency to speak of"},
    [THRESHOLD_RULE_OF_THUMB] = {"rule_of_thumb", 0.50, UNIT_RATIO,
                                 "the rules of thumb that --explain tells: a pipe is the limit from here, dram may be"},
    [THRESHOLD_SMALL_GAIN] = {"small_gain", 0.03, UNIT_RATIO,
                              "a change that is predicted to bring less than this will not help"},
    [THRESHOLD_AHEAD_COST] = {"ahead_cost", 3.0, UNIT_NONE,
                              "loading ahead adds at most this many instructions for each load and store"},
    [THRESHOLD_STAGE_COST] = {"stage_cost", 1.0, UNIT_NONE, "... and one more stage adds or saves at most this many"},
    [THRESHOLD_SIGNAL_CHANGE] = {"signal_change", 0.01, UNIT_RATIO,
                                 "an expected signal is up or down from this change of the baseline's value"},
    [THRESHOLD_SIGNAL_FLAT] = {"signal_flat", 0.03, UNIT_RATIO, "... and flat up to this one"},
    [THRESHOLD_DRAM_FLOOR] =
        {"dram_floor", 2 * 1024 * 1024, UNIT_BYTES,
         "bytes of device memory that differ by less than this do not differ: a repetition does as much"},
    [THRESHOLD_CONFLICT_FLOOR] =
        {"conflict_floor", 0.001, UNIT_RATIO,
         "bank conflicts that differ by less than this share of the instructions do not differ"},
    [THRESHOLD_SLOWDOWN_SHARE] =
        {"slowdown_share", 0.33, UNIT_RATIO,
         "a slower arm's reason is told when it is this share of the warp cycles that came on top"},
    [THRESHOLD_MOVED_SHARE] = {"moved_share", 0.05, UNIT_RATIO,
                               "a transition names shares that moved by this many points"},
    [THRESHOLD_MOVED_AMOUNT] = {"moved_amount", 0.10, UNIT_RATIO, "... and amounts that changed by this share"},
    [THRESHOLD_MOVED_REGISTERS] = {"moved_registers", 8.0, UNIT_COUNT,
                                   "... and registers per thread from this many on"},
};

/* A share of the warps that an SM can hold; 64 when the chip is not known. */
#define HIDDEN_WARPS_SHARE 0.25

static double value_of_chip(enum threshold_id id, const struct chip *chip)
{
    return id == THRESHOLD_HIDDEN_WARPS && chip ? HIDDEN_WARPS_SHARE * chip->warps_per_sm : thresholds[id].value;
}

const struct threshold *threshold_get(enum threshold_id id)
{
    return &thresholds[id];
}

enum threshold_id threshold_by_name(const char *name)
{
    int id = 0;
    while (id < THRESHOLD_COUNT && strcmp(thresholds[id].name, name))
        id++;
    return (enum threshold_id)id;
}

/* Does one of these patterns match ("AD10? GA102")? Only "*" matches an unknown chip. */
static bool fits(const char *patterns, const struct chip *chip)
{
    char pattern[THRESHOLD_CHIPS_BYTES];
    for (int used; sscanf(patterns, " %63s%n", pattern, &used) == 1; patterns += used)
        if (!strcmp(pattern, "*") || (chip && !fnmatch(pattern, chip->name, 0)))
            return true;
    return false;
}

static void take_embedded(struct thresholds *out, const struct chip *chip)
{
    out->path = NULL;
    for (int id = 0; id < THRESHOLD_COUNT; id++)
        out->values[id] = value_of_chip((enum threshold_id)id, chip);
}

static void take_row(struct thresholds *out, const struct threshold_overrides *from, size_t row)
{
    out->path = from->path;
    out->values[from->items[row].id] = from->items[row].value;
}

void thresholds_resolve(struct thresholds *out, const struct threshold_overrides *overrides, const struct chip *chip)
{
    take_embedded(out, chip);
    for (size_t i = 0; overrides && i < overrides->count; i++)
        if (fits(overrides->items[i].chips, chip))
            take_row(out, overrides, i);
}

enum threshold_fit threshold_row_fit(const struct threshold_override *row, const char *capability)
{
    size_t count, possible = 0, fitting = 0;
    const struct chip *chips = chips_known(&count);
    if (fits(row->chips, NULL))
        return THRESHOLD_FITS;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(chips[i].capability, capability)) {
            possible++;
            fitting += fits(row->chips, &chips[i]);
        }
    const bool names_listed_chips = !strpbrk(row->chips, "*?[");
    if (!possible)
        return *capability && names_listed_chips ? THRESHOLD_OF_OTHERS : THRESHOLD_UNCERTAIN;
    return !fitting ? THRESHOLD_OF_OTHERS : fitting < possible ? THRESHOLD_UNCERTAIN : THRESHOLD_FITS;
}

void thresholds_resolve_capability(struct thresholds *out, const struct threshold_overrides *overrides,
                                   const char *capability)
{
    take_embedded(out, chip_by_capability(capability));
    for (size_t i = 0; overrides && i < overrides->count; i++)
        if (threshold_row_fit(&overrides->items[i], capability) == THRESHOLD_FITS)
            take_row(out, overrides, i);
}

/* Is it the first of the chips that agree in one respect? */
static bool is_first(const struct chip *chips, size_t i, bool (*alike)(const struct chip *, const struct chip *))
{
    size_t first = 0;
    while (!alike(&chips[first], &chips[i]))
        first++;
    return first == i;
}

static bool have_same_name(const struct chip *a, const struct chip *b)
{
    return !strcmp(a->alike, b->alike);
}

static bool have_same_value(const struct chip *a, const struct chip *b)
{
    return a->warps_per_sm == b->warps_per_sm;
}

/* Lists all chips that have the value of this one: "AD10? GA102". */
static void name_chips(char text[THRESHOLD_CHIPS_BYTES], const struct chip *chips, size_t count, size_t of)
{
    size_t length = 0;
    for (size_t i = of; i < count && length < THRESHOLD_CHIPS_BYTES; i++)
        if (have_same_value(&chips[i], &chips[of]) && is_first(chips, i, have_same_name))
            length += (size_t)snprintf(text + length, THRESHOLD_CHIPS_BYTES - length, "%s%s", length ? " " : "",
                                       chips[i].alike);
}

bool threshold_embedded(size_t row, struct threshold_override *out)
{
    if (row < THRESHOLD_COUNT) {
        *out = (struct threshold_override){(enum threshold_id)row, "*", thresholds[row].value};
        return true;
    }
    size_t count, behind = row - THRESHOLD_COUNT;
    const struct chip *chips = chips_known(&count);
    out->id = THRESHOLD_HIDDEN_WARPS;
    for (size_t i = 0; i < count; i++) {
        out->value = value_of_chip(out->id, &chips[i]);
        if (out->value != thresholds[out->id].value && is_first(chips, i, have_same_value) && !behind--) {
            name_chips(out->chips, chips, count, i);
            return true;
        }
    }
    return false;
}

bool threshold_reached(double value, double limit)
{
    return value >= limit - 1e-9;
}
