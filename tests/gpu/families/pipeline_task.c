/* The task that variants of the family `pipeline` solve: kernels/pipeline/pipeline.cu has the formula. */
#include <cpprof/task.h>

#include "tests/gpu/families/chain.h"
#include "tests/gpu/families/setting.h"

enum { CHUNK_FLOATS = 4 };

static size_t floats(const struct cpprof_config *config)
{
    return (size_t)config->value[0];
}

static size_t chunks(const struct cpprof_config *config)
{
    return (floats(config) + CHUNK_FLOATS - 1) / CHUNK_FLOATS;
}

static void reference(const struct cpprof_config *config, const void *const *inputs, double *const *outputs)
{
    const float *in = inputs[0];
    const size_t n = floats(config);
    for (size_t chunk = 0; chunk < chunks(config); chunk++) {
        double v[CHUNK_FLOATS], u[CHUNK_FLOATS];
        for (size_t j = 0; j < CHUNK_FLOATS; j++) {
            const size_t own = chunk * CHUNK_FLOATS + j, other = (chunk ^ 1) * CHUNK_FLOATS + j;
            v[j] = own < n ? in[own] : 0;
            u[j] = other < n ? in[other] : 0;
        }
        outputs[0][chunk] = chain_after(u[0] + u[1], v[1], PIPELINE_WORK) + v[0] + v[2] + v[3] + u[2] + u[3];
    }
}

/* Five floats are moved for four of the input: a set of `fits` is 1.3 MB, one of `beyond` 5.2 MB. */
static const struct cpprof_axis axis = {"n", "input length in floats", CPPROF_AXIS_SHAPE, 1, 1 << 26, 262144};
static const struct cpprof_shape shapes[] = {{"fits", {262144}, 0}, {"beyond", {1048576}, 0}, {"ragged", {100002}, 1}};
static const struct cpprof_array in = {"in", CPPROF_F32, floats}, out = {"out", CPPROF_F32, chunks};

CPPROF_TASK(.name = "pipeline_task", .summary = "the family pipeline: tiles of chunks of four floats", .axes = &axis,
            .axis_count = 1, .shapes = shapes, .shape_count = 3, .inputs = &in, .input_count = 1, .outputs = &out,
            .output_count = 1, .reference = reference, .kernels = "pipeline_",
            .tolerance = {1e-5, 0, "ten roundings of values below 12 and five of sums below 32 in fp32"});
