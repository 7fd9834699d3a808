/* The collective in which no two outputs are alike: that of each rank is the input of the next one. */
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
    for (int r = 0; r < ranks(config); r++)
        for (size_t i = 0; i < values(config); i++)
            outputs[r][i] = ((const float *)inputs[(r + 1) % ranks(config)])[i];
}

static double link_bytes(const struct cpprof_config *config)
{
    return (double)(values(config) * sizeof(float));
}

static const struct cpprof_axis axes[] = {{"n", "values of a rank", CPPROF_AXIS_SHAPE, 1, 1 << 26, 65536},
                                          {"gpus", "ranks, a GPU for each", CPPROF_AXIS_SHAPE, 1, 8, 2}};
static const struct cpprof_shape shapes[] = {{"small", {65536, 2}, 0}, {"ragged", {65539, 2}, 1}};
static const struct cpprof_array in = {"in", CPPROF_F32, values}, out = {"out", CPPROF_F32, values};

CPPROF_TASK(.name = "exchange", .summary = "each rank gets the input of the next one, fp32", .axes = axes,
            .axis_count = 2, .shapes = shapes, .shape_count = 2, .inputs = &in, .input_count = 1, .outputs = &out,
            .output_count = 1, .reference = reference, .tolerance = {0, 0, "values are copied"}, .ranks = ranks,
            .link_bytes = link_bytes);
