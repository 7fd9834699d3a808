/* The task that the variant streams/three solves: the chain of each of 2 n values. */
#include <cpprof/task.h>

#include "tests/gpu/families/chain.h"
#include "tests/gpu/families/setting.h"

static size_t values(const struct cpprof_config *config)
{
    return 2 * (size_t)config->value[0];
}

static void reference(const struct cpprof_config *config, const void *const *inputs, double *const *outputs)
{
    const float *in = inputs[0];
    for (size_t i = 0; i < values(config); i++)
        outputs[0][i] = chain_after(in[i], in[i], STREAMS_WORK);
}

/* 16 bytes are moved for one of n: a set of `fits` is 1 MB, one of `beyond` 5.2 MB. */
static const struct cpprof_axis axis = {"n", "half of the floats", CPPROF_AXIS_SHAPE, 1, 1 << 24, 65536};
static const struct cpprof_shape shapes[] = {{"fits", {65536}, 0}, {"beyond", {327680}, 0}, {"ragged", {1003}, 1}};
static const struct cpprof_array in = {"in", CPPROF_F32, values}, out = {"out", CPPROF_F32, values};

CPPROF_TASK(.name = "streams_task", .summary = "the family streams: three kernels", .axes = &axis, .axis_count = 1,
            .shapes = shapes, .shape_count = 3, .inputs = &in, .input_count = 1, .outputs = &out, .output_count = 1,
            .reference = reference, .kernels = "streams_",
            .tolerance = {2e-5, 0, "ten roundings of values below 11 in fp32"});
