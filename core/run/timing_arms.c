/* Which durations did each process measure for each arm? */
#include "core/run/timing_arms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/key_table.h"
#include "core/base/strtab.h"
#include "core/stats/statistics.h"

void timing_arms_release(struct timing_arms *arms)
{
    for (size_t i = 0; i < arms->count; i++) {
        free(arms->items[i].samples.items);
        free(arms->items[i].processes.items);
        free(arms->items[i].discarded.items);
    }
    free(arms->items);
    arm_index_release(&arms->index);
    *arms = (struct timing_arms){0};
}

struct timing_keys {
    struct strtab states;  /* states of the caches */
    struct key_table arms; /* pairs of a state and an arm */
};

/* Returns NAN when the cell has no number of launches. */
static double batch_of(const struct table *timing, size_t row)
{
    const double batch = table_number(timing, row, TIMING_BATCH);
    return isfinite(batch) && batch >= 1 ? batch : NAN;
}

/* Ids of `keys` count from 1, in the order of the arms. */
static struct timing_arm *arm_of_row(struct timing_arms *arms, struct timing_keys *keys, const struct arm_table *timing,
                                     size_t row)
{
    const char *cache = table_text(timing->table, row, TIMING_CACHE);
    const uint32_t state = strtab_add(&keys->states, cache);
    const uint32_t id = state ? key_table_add(&keys->arms, (int32_t)state, (uint32_t)timing->arms[row]->index) : 0;
    if (id && id <= arms->count)
        return &arms->items[id - 1];
    struct timing_arm *arm = id ? ARRAY_PUSH(arms) : NULL;
    if (arm) {
        arm->arm = timing->arms[row];
        arm->variant = table_text(timing->table, row, TIMING_VARIANT);
        arm->config = table_text(timing->table, row, TIMING_SHAPE);
        arm->cache = cache;
        arm->batch = batch_of(timing->table, row);
    }
    return arm;
}

bool timing_arms_are_alike(const struct timing_arm *a, const struct timing_arm *b)
{
    return !isnan(a->batch) && !isnan(b->batch) && (a->batch > 1) == (b->batch > 1);
}

/* The rows of a block are adjacent in the table. */
static int discard_block(struct timing_arm *arm, double process, double block, struct err *e)
{
    const struct timing_block *last = arm->discarded.count ? &arm->discarded.items[arm->discarded.count - 1] : NULL;
    if (last && last->process == process && last->block == block)
        return 0;
    struct timing_block *discarded = ARRAY_PUSH(&arm->discarded);
    if (!discarded)
        return err_memory(e);
    *discarded = (struct timing_block){process, block};
    return 0;
}

static int add_sample(struct timing_arm *arm, const struct timing_sample *sample, struct err *e)
{
    struct timing_sample *slot = ARRAY_PUSH(&arm->samples);
    if (!slot)
        return err_memory(e);
    *slot = *sample;
    return 0;
}

static int read_samples(struct timing_arms *out, struct timing_keys *keys, const struct arm_table *rows, struct err *e)
{
    const struct table *timing = rows->table;
    for (size_t row = 0; row < table_rows(timing); row++) {
        const double process = table_number(timing, row, TIMING_PROCESS);
        const double duration_ns = table_number(timing, row, TIMING_DURATION);
        if (!isfinite(process) || isinf(duration_ns) || duration_ns <= 0)
            continue;
        struct timing_arm *arm = arm_of_row(out, keys, rows, row);
        if (!arm)
            return err_memory(e);
        if (isnan(duration_ns)) {
            arm->untimed++;
            continue;
        }
        const double batch = batch_of(timing, row);
        if (isnan(batch) || (batch > 1) != (arm->batch > 1))
            arm->batch = NAN;
        const struct timing_sample sample = {process, duration_ns, table_number(timing, row, TIMING_SM_CLOCK)};
        const bool throttled = !strcmp(table_text(timing, row, TIMING_THROTTLED), "yes");
        int rc = throttled ? discard_block(arm, process, table_number(timing, row, TIMING_BLOCK), e)
                           : add_sample(arm, &sample, e);
        if (rc)
            return rc;
    }
    return 0;
}

static int sample_order(const void *left, const void *right)
{
    const struct timing_sample *a = left, *b = right;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    return a->duration_ns < b->duration_ns ? -1 : a->duration_ns > b->duration_ns;
}

/* Returns the midmean; `durations_ns` has room for all samples. */
static double typical_ns(const struct timing_sample *samples, size_t count, double *durations_ns)
{
    for (size_t i = 0; i < count; i++)
        durations_ns[i] = samples[i].duration_ns;
    return midmean(durations_ns, count);
}

/* Each sample is converted with the clock of its own block; `cycles` has room for all samples. */
static double typical_cycles(const struct timing_sample *samples, size_t count, double *cycles)
{
    for (size_t i = 0; i < count; i++) {
        const double clock_hz = samples[i].sm_clock_hz;
        if (!isfinite(clock_hz) || clock_hz <= 0)
            return NAN;
        cycles[i] = samples[i].duration_ns * clock_hz * 1e-9;
    }
    return midmean(cycles, count);
}

/* `scratch` has room for the samples. */
static int gather_processes(struct timing_arm *arm, double *scratch, struct err *e)
{
    qsort(arm->samples.items, arm->samples.count, sizeof *arm->samples.items, sample_order);
    for (size_t start = 0, end; start < arm->samples.count; start = end) {
        const struct timing_sample *first = &arm->samples.items[start];
        for (end = start + 1; end < arm->samples.count && arm->samples.items[end].process == first->process;)
            end++;
        struct timing_process *process = ARRAY_PUSH(&arm->processes);
        if (!process)
            return err_memory(e);
        *process = (struct timing_process){first->process, typical_ns(first, end - start, scratch),
                                           typical_cycles(first, end - start, scratch), end - start};
    }
    return 0;
}

static int gather_arm(struct timing_arm *arm, struct err *e)
{
    if (!arm->samples.count)
        return 0;
    double *scratch = calloc(arm->samples.count, sizeof *scratch);
    int rc = scratch ? gather_processes(arm, scratch, e) : err_memory(e);
    free(scratch);
    return rc;
}

int timing_arms_read(struct timing_arms *out, const struct arm_table *timing, struct err *e)
{
    struct timing_keys keys = {0};
    strtab_init(&keys.states);
    int rc = read_samples(out, &keys, timing, e);
    for (size_t i = 0; i < out->count && !rc; i++)
        rc = gather_arm(&out->items[i], e);
    if (!rc)
        rc = arm_index_make(&out->index, out->items, out->count, sizeof *out->items, offsetof(struct timing_arm, arm),
                            e);
    key_table_release(&keys.arms);
    strtab_release(&keys.states);
    return rc;
}

struct arm_places timing_arms_of(const struct timing_arms *arms, const struct arm *arm)
{
    return arm_index_of(&arms->index, arm);
}

const char *const timing_caches[TIMING_CACHES] = {"hot", "rotated", "cold", "program"};

const struct timing_arm *timing_arms_find(const struct timing_arms *arms, const struct arm *arm)
{
    const struct timing_arm *found = NULL;
    for (size_t i = 0; i < TIMING_CACHES && !found; i++)
        found = timing_arms_at(arms, arm, timing_caches[i]);
    return found;
}

const struct timing_arm *timing_arms_at(const struct timing_arms *arms, const struct arm *arm, const char *cache)
{
    const struct arm_places own = timing_arms_of(arms, arm);
    for (size_t i = 0; i < own.count; i++)
        if (!strcmp(arms->items[own.items[i]].cache, cache))
            return &arms->items[own.items[i]];
    return NULL;
}

double timing_arm_clock_hz(const struct timing_arm *arm)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < arm->samples.count; i++)
        if (isfinite(arm->samples.items[i].sm_clock_hz) && arm->samples.items[i].sm_clock_hz > 0) {
            sum += arm->samples.items[i].sm_clock_hz;
            count++;
        }
    return count ? sum / (double)count : NAN;
}
