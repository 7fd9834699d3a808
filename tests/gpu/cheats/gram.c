/* The task with a longer kernel: C = A B of square matrices in fp32, with GRAM_LOOSE in tf32. With GRAM_BELL the task
 * fills its inputs itself, with GRAM_WEIGHTS the second matrix is constant, and with GRAM_TALL the first matrix has so
 * many rows that a launch moves more than the L2 cache holds. */
#include <cpprof/task.h>

#ifdef GRAM_BELL
#include "tests/gpu/cheats/cached/bell.h"
#endif

static size_t rows_of(const struct cpprof_config *config)
{
#ifdef GRAM_TALL
    return (size_t)config->value[1];
#else
    return (size_t)config->value[0];
#endif
}

static size_t values(const struct cpprof_config *config)
{
    return rows_of(config) * (size_t)config->value[0];
}

static size_t square_values(const struct cpprof_config *config)
{
    return (size_t)(config->value[0] * config->value[0]);
}

static void reference(const struct cpprof_config *config, const void *const *inputs, double *const *outputs)
{
    const size_t n = (size_t)config->value[0];
    const float *a = inputs[0], *b = inputs[1];
    for (size_t i = 0; i < rows_of(config); i++)
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < n; j++)
                outputs[0][i * n + j] += (double)a[i * n + k] * b[k * n + j];
}

static double flops(const struct cpprof_config *config)
{
    return 2.0 * (double)config->value[0] * (double)values(config);
}

/* Each of n partial sums is rounded by 2^-24 of its size. Where all products have one sign that is at most the result;
 * else sums grow as the root of n, and so do their errors. tf32 keeps 10 bits of each input. */
static void tolerance_at(const struct cpprof_config *config, size_t output, struct cpprof_tolerance *tolerance)
{
    const double n = (double)config->value[0];
    (void)output;
#ifdef GRAM_LOOSE
    tolerance->absolute = n * 0x1p-10;
#else
    tolerance->absolute = n * sqrt(n) * 0x1p-24;
    tolerance->relative = n * 0x1p-24;
#endif
}

static const struct cpprof_axis axes[] = {
    {"n", "rows and columns", CPPROF_AXIS_SHAPE, 1, 4096, 512},
#ifdef GRAM_TALL
    {"rows", "rows of the first matrix", CPPROF_AXIS_SHAPE, 1, 1 << 20, 65536},
#endif
};
#ifdef GRAM_TALL
static const struct cpprof_shape shapes[] = {{"tall", {128, 65536}, 0}, {"ragged", {77, 1031}, 1}};
#else
static const struct cpprof_shape shapes[] = {{"square", {512}, 0}, {"ragged", {77}, 1}};
#endif
static const struct cpprof_array inputs[] = {{"a", CPPROF_F32, values}, {"b", CPPROF_F32, square_values}};
static const struct cpprof_array out = {"c", CPPROF_F32, values};

#ifdef GRAM_BELL
static void fill(const struct cpprof_config *config, const struct cpprof_draw *draw, size_t input, void *array)
{
    bell_fill(draw, input, values(config), 8, array);
}
#endif

CPPROF_TASK(.name = "gram", .summary = "a product of matrices", .axes = axes, .axis_count = sizeof axes / sizeof *axes,
            .shapes = shapes, .shape_count = 2, .inputs = inputs, .input_count = 2, .outputs = &out, .output_count = 1,
            .reference = reference, .tolerance = {0, 0, "n roundings of partial sums, or of tf32"},
#ifdef GRAM_WEIGHTS
            .constant_inputs = 1u << 1,
#endif
#ifdef GRAM_BELL
            .fill = fill,
#endif
            .tolerance_at = tolerance_at, .kernels = "gram_", .flops = flops);
