/* verify.cu - is the output right, and if not, what do its mismatches have in common? The comparison itself is in
 * cpprof/verify.cuh, which users' own variants can use, too. */
#include "kernels/verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpprof/verify.cuh"

extern "C" float random_value_f32(uint64_t seed, uint64_t index)
{
    return cpprof_random_f32(seed, index);
}

extern "C" int random_fill_f32(float *device, size_t count, uint64_t seed, struct CUstream_st *stream)
{
    return cpprof_random_fill_f32(device, count, seed, stream);
}

extern "C" int poison_f32(float *device, size_t count, struct CUstream_st *stream)
{
    return cpprof_poison_f32(device, count, stream);
}

/* What the mismatches have in common, gathered over all of them. */
struct pattern {
    size_t bad, unwritten;
    bool same_stage, only_last_tile, never_first_round;
    size_t stage;
    size_t shifted; /* equal to the reference of another tile in the block's ring */
};

static void describe(const struct verify_layout *layout, size_t index, struct cpprof_mismatch *m)
{
    size_t tile = index / layout->tile_values, round = tile / layout->grid;
    snprintf(m->where, sizeof m->where, "tile %zu value %zu, block %zu round %zu, stage %zu of %zu", tile,
             index % layout->tile_values, tile % layout->grid, round, round % layout->stages, layout->stages);
}

/* Does the value belong to the tile that the block has one ring slot earlier or later? */
static bool is_neighbour_round(const struct verify_layout *layout, const double *reference, size_t count, size_t index,
                               float got, double tolerance)
{
    size_t step = layout->grid * layout->tile_values;
    for (size_t away = 1; away <= layout->stages; away++) {
        if (index >= away * step && fabs(reference[index - away * step] - got) <= tolerance)
            return true;
        if (index + away * step < count && fabs(reference[index + away * step] - got) <= tolerance)
            return true;
    }
    return false;
}

static void add_to_pattern(struct pattern *p, const struct verify_layout *layout, size_t index)
{
    size_t tile = index / layout->tile_values, round = tile / layout->grid, stage = round % layout->stages;
    if (!p->bad)
        *p = (struct pattern){0, p->unwritten, true, true, true, stage, p->shifted};
    p->bad++;
    p->same_stage &= stage == p->stage;
    p->only_last_tile &= tile == layout->tiles - 1;
    p->never_first_round &= round > 0;
}

static void write_hint(const struct pattern *p, const struct verify_layout *layout, char *hint, size_t bytes)
{
    hint[0] = '\0';
    if (p->unwritten == p->bad)
        snprintf(hint, bytes, "every bad value was never written: look at the grid and the loop bounds");
    else if (p->shifted * 10 >= p->bad * 9)
        snprintf(hint, bytes,
                 "the bad values belong to a neighbouring round of the same block: the stage index is off");
    else if (p->only_last_tile)
        snprintf(hint, bytes, "only the last, ragged tile is wrong: look at the tail");
    else if (layout->stages > 1 && p->same_stage)
        snprintf(hint, bytes, "only stage %zu of %zu is wrong: look at that slot's wait and barrier", p->stage,
                 layout->stages);
    else if (p->never_first_round)
        snprintf(hint, bytes,
                 "each block's first tile is right, later ones are not: a slot is reused before it was read");
}

/* The slow path, only for a failed comparison: copies both arrays to the host. */
static int explain(const float *output, const double *reference, size_t count, double tolerance,
                   const struct verify_layout *layout, struct cpprof_verification *result)
{
    float *got = (float *)malloc(count * sizeof *got);
    double *expected = (double *)malloc(count * sizeof *expected);
    cudaError_t status = got && expected ? cudaSuccess : cudaErrorMemoryAllocation;
    struct pattern pattern = {0};
    if (!status)
        status = cudaMemcpy(got, output, count * sizeof *got, cudaMemcpyDeviceToHost);
    if (!status)
        status = cudaMemcpy(expected, reference, count * sizeof *expected, cudaMemcpyDeviceToHost);
    for (size_t i = 0; !status && i < count; i++) {
        if (fabs((double)got[i] - expected[i]) <= tolerance)
            continue;
        add_to_pattern(&pattern, layout, i);
        pattern.unwritten += cpprof_is_poison_f32(got[i]);
        pattern.shifted += is_neighbour_round(layout, expected, count, i, got[i], tolerance);
        if (result->mismatch_count < CPPROF_MISMATCHES_MAX) {
            struct cpprof_mismatch *m = &result->mismatches[result->mismatch_count++];
            m->index = i;
            m->expected = expected[i];
            m->got = got[i];
            describe(layout, i, m);
        }
    }
    if (!status)
        write_hint(&pattern, layout, result->hint, sizeof result->hint);
    free(got);
    free(expected);
    return status;
}

extern "C" int compare_f32(const float *output, const double *reference, size_t count, double tolerance,
                           const struct verify_layout *layout, struct CUstream_st *stream,
                           struct cpprof_verification *result)
{
    int status = cpprof_measure_f32(output, reference, count, tolerance, stream, result);
    if (status || result->bad_ratio == 0)
        return status;
    return explain(output, reference, count, tolerance, layout, result);
}
