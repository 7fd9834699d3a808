/* What is to be computed: out[i] = 1.5 in[i]. Put your own arrays, reference and tolerance here. */
#include <cpprof/task.h>

static size_t values(const struct cpprof_config *config)
{
    return (size_t)config->value[0];
}

/* In float64, by other means than a kernel. */
static void reference(const struct cpprof_config *config, const void *const *inputs, double *const *outputs)
{
    const float *in = inputs[0];
    for (size_t i = 0; i < values(config); i++)
        outputs[0][i] = 1.5 * in[i];
}

static double flops(const struct cpprof_config *config)
{
    return (double)values(config);
}

/* An axis: name, meaning, kind, least, largest and default value. A shape: name, a value for each axis, and 1 where it
 * is always verified and never timed. Of the others the first one is timed, unless --shape names some. */
static const struct cpprof_axis axes[] = {{"n", "values", CPPROF_AXIS_SHAPE, 1, 1ll << 30, 1 << 24}};
static const struct cpprof_shape shapes[] = {
    {"large", {1 << 24}, 0}, {"small", {1 << 18}, 0}, {"one", {1}, 1}, {"tail", {100003}, 1}};
static const struct cpprof_array inputs[] = {{"in", CPPROF_F32, values}};
static const struct cpprof_array outputs[] = {{"out", CPPROF_F32, values}};

CPPROF_TASK(.name = "my-variant", .summary = "out = 1.5 in", .axes = axes, .axis_count = 1, .shapes = shapes,
            .shape_count = 4, .inputs = inputs, .input_count = 1, .outputs = outputs, .output_count = 1,
            .reference = reference, .tolerance = {0, 0x1p-24, "one rounding to float32"}, .flops = flops);
