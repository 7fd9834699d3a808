/* In what do two arms differ besides their kernels? */
#include "analyzers/arm_differences.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/base/json.h"
#include "core/base/words.h"
#include "core/run/arm_ratio.h"
#include "core/stats/statistics.h"

enum { PROCESSES_MAX = 1024 }; /* of a manifest that are looked at */

void arm_differences_release(struct arm_differences *d)
{
    free(d->items);
    *d = (struct arm_differences){0};
}

const struct arm_difference *arm_differences_first(const struct arm_differences *d, enum difference_weight least)
{
    const struct arm_difference *found = NULL;
    for (size_t i = 0; i < d->count; i++)
        if (d->items[i].weight >= least && (!found || d->items[i].weight > found->weight))
            found = &d->items[i];
    return found;
}

static int add(struct arm_differences *out, enum comparison_reason reason, enum difference_weight weight,
               const char *text, struct err *e)
{
    struct arm_difference *difference = ARRAY_PUSH(out);
    if (!difference)
        return err_memory(e);
    *difference = (struct arm_difference){reason, weight, text};
    return 0;
}

/* ---- machines ---- */

/* One fact about a machine, as it would be written in a sentence; "" unknown. */
typedef const char *machine_fact(struct arena *arena, const json_t *manifest);

static const char *gpu_model(struct arena *arena, const json_t *manifest)
{
    const json_t *gpu = json_object_get(manifest, "gpu");
    const char *name = json_get_text(gpu, "name", "");
    return *name
               ? arena_printf(arena, "%s (compute capability %s, %lld SMs)", name,
                              json_get_text(gpu, "compute_capability", "unknown"), json_get_integer(gpu, "sm_count", 0))
               : "";
}

static const char *gpu_board(struct arena *arena, const json_t *manifest)
{
    const char *boards = json_get_text(json_object_get(manifest, "gpu"), "uuid", "");
    size_t i;
    const json_t *other;
    json_array_foreach (json_object_get(manifest, "other_gpus"), i, other)
        if (json_is_object(other))
            boards = arena_printf(arena, "%s and %s", boards, json_get_text(other, "uuid", "an unknown one"));
    return arena_copy(arena, boards);
}

static const char *driver_version(struct arena *arena, const json_t *manifest)
{
    const char *version = json_get_text(json_object_get(manifest, "driver"), "version", "");
    return *version ? arena_printf(arena, "driver %s", version) : "";
}

/* Over the timing processes, before and after each; NAN when none says. */
static double median_state(const json_t *manifest, const char *key)
{
    static const char *const moments[] = {"before", "after"};
    const json_t *processes = json_object_get(manifest, "processes");
    double values[2 * PROCESSES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(processes) && i < PROCESSES_MAX; i++) {
        const json_t *process = json_array_get(processes, i);
        for (size_t m = 0; m < 2 && !strcmp(json_get_text(process, "role", ""), "time"); m++) {
            const json_t *state = json_object_get(json_object_get(process, "clocks"), moments[m]);
            const double value = json_get_number(state, key, -1);
            if (value >= 0)
                values[count++] = value;
        }
    }
    return median(values, count);
}

static const char *memory_clock(struct arena *arena, const json_t *manifest)
{
    const double mhz = median_state(manifest, "memory_clock_mhz");
    return isfinite(mhz) ? arena_printf(arena, "%.0f MHz memory clock", mhz) : "";
}

static const char *power_limit(struct arena *arena, const json_t *manifest)
{
    const double mw = median_state(manifest, "power_limit_mw");
    return isfinite(mw) ? arena_printf(arena, "%.0f W power limit", mw / 1000) : "";
}

/* A bundle holds the durations of one instrument; those of events are the usual ones. */
static const char *timing_source(struct arena *arena, const json_t *manifest)
{
    return arena_copy(arena, json_get_text(manifest, "timing_source", "CUDA events"));
}

/* In the order in which they are said. */
static const struct machine_row {
    const char *name; /* as in --across; "" for what is never meant to differ */
    enum comparison_reason reason;
    enum difference_weight weight;
    machine_fact *fact;
} machine_rows[] = {
    {"device", COMPARISON_DEVICE_DIFFERS, DIFFERENCE_FORBIDS, gpu_model},
    {"board", COMPARISON_BOARD_DIFFERS, DIFFERENCE_CONFOUNDS, gpu_board},
    {"driver", COMPARISON_DRIVER_DIFFERS, DIFFERENCE_FORBIDS, driver_version},
    {"clocks", COMPARISON_CLOCKS_DIFFER, DIFFERENCE_FORBIDS, memory_clock},
    {"power", COMPARISON_POWER_LIMIT_DIFFERS, DIFFERENCE_FORBIDS, power_limit},
    {"", COMPARISON_MIXED_TIMING, DIFFERENCE_FORBIDS, timing_source},
};

enum { MACHINE_ROWS = COUNT_OF(machine_rows) };

int arm_differences_check_across(const char *across, struct err *e)
{
    for (const char *at = across; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const size_t length = strcspn(at, ",");
        size_t i = 0;
        while (i < MACHINE_ROWS &&
               (!length || strlen(machine_rows[i].name) != length || strncmp(at, machine_rows[i].name, length)))
            i++;
        if (i == MACHINE_ROWS)
            return err_set(e, ERR_USAGE, "--across '%.*s': use device, board, driver, clocks or power", (int)length,
                           at);
    }
    return 0;
}

/* A copy of a bundle, or the bundle itself. */
static bool is_one_recording(const json_t *base, const json_t *cand)
{
    const char *file = bundle_table_file(BUNDLE_TIMING);
    const json_t *left = json_object_get(json_object_get(base, "files"), file);
    return left && json_equal(left, json_object_get(json_object_get(cand, "files"), file));
}

int arm_differences_of_machines(struct arm_differences *out, struct arena *arena, const struct analysis *base,
                                const struct analysis *cand, const char *across, struct err *e)
{
    int rc =
        is_one_recording(base->bundle->manifest, cand->bundle->manifest)
            ? add(out, COMPARISON_SAME_RECORDING, DIFFERENCE_FORBIDS, "their timings are the same to the last digit", e)
            : 0;
    bool other_model = false; /* then it goes without saying that the board is another one */
    for (size_t i = 0; i < MACHINE_ROWS && !rc; i++) {
        const struct machine_row *row = &machine_rows[i];
        const bool meant = (*row->name && words_list_has(across, row->name)) ||
                           (row->fact == gpu_board && words_list_has(across, "device"));
        const char *left = row->fact(arena, base->bundle->manifest), *right = row->fact(arena, cand->bundle->manifest);
        const enum difference_weight weight = meant ? DIFFERENCE_SAID : row->weight;
        if (row->fact == gpu_model && (!*left || !*right))
            rc = add(out, COMPARISON_DEVICE_UNKNOWN, meant ? DIFFERENCE_SAID : DIFFERENCE_CONFOUNDS,
                     arena_printf(arena, "%s does not say which GPU it is from",
                                  *left    ? "the candidate"
                                  : *right ? "the baseline"
                                           : "neither bundle"),
                     e);
        else if (*left && *right && strcmp(left, right) && !(other_model && row->fact == gpu_board))
            rc = add(out, row->reason, weight, arena_printf(arena, "baseline: %s; candidate: %s", left, right), e);
        other_model |= row->fact == gpu_model && strcmp(left, right);
    }
    return rc;
}

/* ---- work ---- */

struct arm_place arm_place_named(const struct analysis *a, const char *variant, const char *config)
{
    return (struct arm_place){a, variant, config, analysis_arm(a, variant, config)};
}

struct arm_place arm_place_of(const struct analysis *a, const struct arm *arm)
{
    return (struct arm_place){a, arm->variant, arm->config, arm};
}

long arm_row(const struct analysis *a, const struct arm *arm)
{
    return arm ? arm_table_first(&a->run->tables[BUNDLE_VARIANTS], arm) : -1;
}

bool arm_is_unsteady(const struct analysis *a, const struct arm *arm, const struct timing_process *processes,
                     size_t count)
{
    static const double most = 0.02;
    const long row = analysis_has_task(a) ? arm_row(a, arm) : -1;
    return row >= 0 && table_number(&a->bundle->tables[BUNDLE_VARIANTS], (size_t)row, VARIANTS_BUS_FACTOR) > 0 &&
           arm_own_difference(processes, count) > most;
}

static double stated(const struct arm_place *arm, size_t column)
{
    const long row = arm_row(arm->analysis, arm->arm);
    return row < 0 ? NAN : table_number(&arm->analysis->bundle->tables[BUNDLE_VARIANTS], (size_t)row, column);
}

static double stated_bytes(const struct arm_place *arm)
{
    return stated(arm, VARIANTS_BYTES);
}

static double stated_flops(const struct arm_place *arm)
{
    return stated(arm, VARIANTS_FLOPS);
}

/* The hash of the output that was checked. */
static double values_computed(const struct arm_place *arm)
{
    if (!arm->arm)
        return NAN;
    const struct arm_table *t = &arm->analysis->run->tables[BUNDLE_VERIFY];
    const struct arm_places rows = arm_table_rows(t, arm->arm);
    for (size_t i = 0; i < rows.count; i++)
        if (isfinite(table_number(t->table, rows.items[i], VERIFY_VALUES)))
            return table_number(t->table, rows.items[i], VERIFY_VALUES);
    return NAN;
}

static double kernels_per_call(const struct arm_place *arm)
{
    const struct selection_check *check = analysis_selection(arm->analysis, arm->arm);
    return check && check->kernels_per_call > 0 ? (double)check->kernels_per_call : NAN;
}

/* Variants of a family may need other operations, bytes and kernels for the same
 * result; one variant that states other work in another bundle solved another problem. */
static const struct work_row {
    const char *what;
    double (*amount)(const struct arm_place *arm);
    enum unit unit;
    enum difference_weight of_two_variants, of_one_variant;
} work_rows[] = {
    {"values of the result", values_computed, UNIT_COUNT, DIFFERENCE_FORBIDS, DIFFERENCE_FORBIDS},
    {"operations per call", stated_flops, UNIT_COUNT, DIFFERENCE_SAID, DIFFERENCE_FORBIDS},
    {"bytes per call", stated_bytes, UNIT_BYTES, DIFFERENCE_SAID, DIFFERENCE_FORBIDS},
    {"kernels per call", kernels_per_call, UNIT_COUNT, DIFFERENCE_SAID, DIFFERENCE_SAID},
};

int arm_differences_of_work(struct arm_differences *out, struct arena *arena, const struct arm_place *base,
                            const struct arm_place *cand, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < COUNT_OF(work_rows) && !rc; i++) {
        const struct work_row *row = &work_rows[i];
        const double left = row->amount(base), right = row->amount(cand);
        char was[UNITS_TEXT_BYTES], is[UNITS_TEXT_BYTES];
        if (!isfinite(left) || !isfinite(right) || left == right)
            continue;
        const bool one_variant = !strcmp(base->variant, cand->variant);
        rc = add(out, COMPARISON_WORK_DIFFERS, one_variant ? row->of_one_variant : row->of_two_variants,
                 arena_printf(arena, "%s: baseline %s, candidate %s", row->what, unit_format(was, row->unit, left),
                              unit_format(is, row->unit, right)),
                 e);
    }
    return rc;
}

const char *arm_no_verdict(const struct analysis *a, const struct arm *arm)
{
    const long row = arm_row(a, arm);
    return row < 0 ? "" : table_text(&a->bundle->tables[BUNDLE_VARIANTS], (size_t)row, VARIANTS_NO_VERDICT);
}

bool arms_are_one_kernel(const struct arm_place *base, const struct arm_place *cand)
{
    const struct resource *left = analysis_resource(base->analysis, base->arm),
                          *right = analysis_resource(cand->analysis, cand->arm);
    return left && right && left->code_hash[0] && !strcmp(left->code_hash, right->code_hash) &&
           left->grid_blocks == right->grid_blocks && left->block_threads == right->block_threads &&
           left->shared_bytes == right->shared_bytes && !(kernels_per_call(base) > 1) && !(kernels_per_call(cand) > 1);
}
