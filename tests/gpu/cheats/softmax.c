/* The small task: softmax of each row, fp32. Eight sets of the timed shape fit into a quarter of the L2 cache. With
 * SOFTMAX_BELL the task fills its inputs itself. */
#include <stdio.h>

#include <cpprof/task.h>

#ifdef SOFTMAX_BELL
#include "tests/gpu/cheats/cached/bell.h"
#endif

static size_t values(const struct cpprof_config *config)
{
    return (size_t)(config->value[0] * config->value[1]);
}

static void reference(const struct cpprof_config *config, const void *const *inputs, double *const *outputs)
{
    const size_t rows = (size_t)config->value[0], columns = (size_t)config->value[1];
    const float *in = inputs[0];
    for (size_t row = 0; row < rows; row++) {
        double sum = 0, *out = outputs[0] + row * columns;
        for (size_t i = 0; i < columns; i++)
            sum += exp((double)in[row * columns + i]);
        for (size_t i = 0; i < columns; i++)
            out[i] = exp((double)in[row * columns + i]) / sum;
    }
}

static void where(const struct cpprof_config *config, size_t output, size_t index, char *text, size_t bytes)
{
    const size_t columns = (size_t)config->value[1];
    (void)output;
    snprintf(text, bytes, "row %zu column %zu", index / columns, index % columns);
}

static const struct cpprof_axis axes[] = {{"rows", "rows", CPPROF_AXIS_SHAPE, 0, 1 << 20, 256},
                                          {"columns", "values in a row", CPPROF_AXIS_SHAPE, 1, 1 << 16, 512}};
static const struct cpprof_shape shapes[] = {
    {"small", {256, 512}, 0}, {"ragged", {33, 77}, 1}, {"empty", {0, 512}, 1}, {"one", {1, 1}, 1}};
static const struct cpprof_array in = {"in", CPPROF_F32, values}, out = {"out", CPPROF_F32, values};

#ifdef SOFTMAX_BELL
static void fill(const struct cpprof_config *config, const struct cpprof_draw *draw, size_t input, void *array)
{
    bell_fill(draw, input, values(config), 32, array);
}
#endif

/* Inputs are in [-1, 1]. expf of the fast unit is off by 2 + 1.16 |x| units in the last place, a sum of n values in a
 * tree by log2 n, a division by 2: below 20 x 2^-23 of the value. */
CPPROF_TASK(.name = "softmax", .summary = "softmax of each row, fp32", .axes = axes, .axis_count = 2, .shapes = shapes,
            .shape_count = 4, .inputs = &in, .input_count = 1, .outputs = &out, .output_count = 1,
            .reference = reference, .tolerance = {0, 20 * 0x1p-23, "expf, a sum in a tree and a division in fp32"},
#ifdef SOFTMAX_BELL
            .fill = fill,
#endif
            .where = where, .kernels = "softmax_");
