/* The collective in which all outputs are alike: the sum over all ranks, fp32. */
#include <cpprof/task.h>

static int ranks(const struct cpprof_config *config)
{
    return (int)config->value[1];
}

static size_t values(const struct cpprof_config *config)
{
    return (size_t)config->value[0];
}

static void reference(const struct cpprof_config *config, const void *const *inputs, double *const *outputs)
{
    for (size_t i = 0; i < values(config); i++) {
        double sum = 0;
        for (int r = 0; r < ranks(config); r++)
            sum += ((const float *)inputs[r])[i];
        for (int r = 0; r < ranks(config); r++)
            outputs[r][i] = sum;
    }
}

/* Inputs are at most 1, so a sum of k of them is at most k, and its rounding at most k 2^-24. In any order the sums of
 * n ranks have at most (2 + 3 + ... + n) of these. */
static void tolerance_at(const struct cpprof_config *config, size_t output, struct cpprof_tolerance *tolerance)
{
    const int n = ranks(config);
    (void)output;
    tolerance->absolute = (n * (n + 1) / 2 - 1) * 0x1p-24;
}

/* Each rank needs the others' part of every sum, and at least that of one: a switch between the GPUs may add up. */
static double link_bytes(const struct cpprof_config *config)
{
    return (double)(values(config) * sizeof(float));
}

static const struct cpprof_axis axes[] = {{"n", "values of a rank", CPPROF_AXIS_SHAPE, 1, 1 << 26, 65536},
                                          {"gpus", "ranks, a GPU for each", CPPROF_AXIS_SHAPE, 1, 8, 2}};
static const struct cpprof_shape shapes[] = {
    {"small", {65536, 2}, 0}, {"mib4", {1048576, 2}, 0}, {"ragged", {65539, 2}, 1}, {"one", {1, 2}, 1}};
static const struct cpprof_array in = {"in", CPPROF_F32, values}, out = {"out", CPPROF_F32, values};

/* No `flops`: a switch between the GPUs may add, too. */
CPPROF_TASK(.name = "allreduce", .summary = "sum over ranks, on all of them, fp32", .axes = axes, .axis_count = 2,
            .shapes = shapes, .shape_count = 4, .inputs = &in, .input_count = 1, .outputs = &out, .output_count = 1,
            .reference = reference, .tolerance = {0, 0, "each sum of k inputs is rounded by at most k 2^-24"},
            .tolerance_at = tolerance_at, .ranks = ranks, .link_bytes = link_bytes);
