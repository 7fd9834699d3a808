/* A user's task without CUDA: right, or wrong in the one way that LOADED_TASK_FAULT says. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "cpprof/task.h"

static size_t values(const struct cpprof_config *config)
{
    return (size_t)config->value[0];
}

static void reference(const struct cpprof_config *config, const void *const *inputs, double *const *outputs)
{
    for (size_t i = 0; i < values(config); i++)
        outputs[0][i] = 2 * cpprof_value(CPPROF_F32, inputs[0], i);
}

static const struct cpprof_axis axes[] = {{"n", "values", CPPROF_AXIS_SHAPE, 0, 1000, 100}};
static const struct cpprof_shape shapes[] = {{"small", {100}, 0}, {"odd", {99}, 1}};
static const struct cpprof_array input = {"in", CPPROF_F32, values}, output = {"out", CPPROF_F32, values};

static struct cpprof_task task = {
    .struct_bytes = sizeof task,
    .abi = CPPROF_TASK_ABI,
    .name = "double",
    .summary = "twice the input",
    .axes = axes,
    .axis_count = 1,
    .shapes = shapes,
    .shape_count = 2,
    .inputs = &input,
    .input_count = 1,
    .outputs = &output,
    .output_count = 1,
    .reference = reference,
    .tolerance = {0, 0, "doubling is exact"},
};

const struct cpprof_task *cpprof_export_task(void)
{
    const char *fault = getenv("LOADED_TASK_FAULT");
    switch (fault ? *fault : ' ') {
    case 's': task.struct_bytes = 8; break;
    case 'a': task.abi = 99; break;
    case 'r': task.reference = NULL; break;
    case 'i': task.input_count = 0; break;
    case 'o': task.outputs = NULL; break;
    case 't': task.tolerance.why = NULL; break;
    case 'n': task.name = "no family/"; break;
    case 'c': task.constant_inputs = 1; break;
    case 'C': task.constant_inputs = 2; break;
    case 'N': return NULL;
    default: break;
    }
    return &task;
}
