/* What is to be computed: the softmax of each row, fp32. */
#include <cpprof/task.h>

static size_t values(const struct cpprof_config *config)
{
    return (size_t)(config->value[0] * config->value[1]);
}

static void reference(const struct cpprof_config *config, const void *const *inputs, double *const *outputs)
{
    const size_t columns = (size_t)config->value[1];
    const float *in = inputs[0];
    for (size_t begin = 0; begin < values(config); begin += columns) {
        double sum = 0;
        for (size_t i = begin; i < begin + columns; i++)
            sum += outputs[0][i] = exp((double)in[i]); /* inputs are in [-1, 1] */
        for (size_t i = begin; i < begin + columns; i++)
            outputs[0][i] /= sum;
    }
}

static const struct cpprof_axis axes[] = {{"rows", "rows", CPPROF_AXIS_SHAPE, 1, 1 << 20, 4096},
                                          {"columns", "values in a row", CPPROF_AXIS_SHAPE, 1, 1 << 16, 1024}};
static const struct cpprof_shape shapes[] = {
    {"large", {4096, 1024}, 0}, {"small", {256, 512}, 0}, {"ragged", {33, 77}, 1}, {"one", {1, 1}, 1}};
static const struct cpprof_array inputs[] = {{"x", CPPROF_F32, values}};
static const struct cpprof_array outputs[] = {{"out", CPPROF_F32, values}};

/* An exponential of the fast unit is off by about 2 units in the last place, a sum of n values in a tree by log2 n, a
 * division by 2: below 20 x 2^-23 of the value. */
CPPROF_TASK(.name = "softmax", .summary = "softmax of each row, fp32", .axes = axes, .axis_count = 2, .shapes = shapes,
            .shape_count = 4, .inputs = inputs, .input_count = 1, .outputs = outputs, .output_count = 1,
            .reference = reference,
            .tolerance = {0, 20 * 0x1p-23, "an exponential, a sum in a tree and a division in fp32"});
