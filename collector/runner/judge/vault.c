/* Where does the judge keep inputs and references on the device? */
#include "collector/runner/judge/vault.h"

#include <cuda_runtime.h>

enum { ALIGNMENT = 256 };

/* Returns where the bytes begin. */
static size_t place(size_t *end, size_t bytes)
{
    const size_t start = *end;
    *end += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return start;
}

void vault_open(struct vault *v, const struct cpprof_task *task, const struct judge_layout *layout, size_t count)
{
    size_t inputs[JUDGE_SLOTS_MAX][CPPROF_ARRAYS_MAX], expected[JUDGE_SLOTS_MAX][CPPROF_ARRAYS_MAX], end = 0;
    const size_t scratch = place(&end, sizeof(struct compare_found));
    *v = (struct vault){0};
    for (size_t n = 0; n < count; n++) {
        for (size_t i = 0; i < task->input_count; i++)
            inputs[n][i] = place(&end, layout->input_bytes[i]);
        for (size_t i = 0; i < task->output_count; i++)
            expected[n][i] =
                place(&end, layout->output_bytes[i] / cpprof_type_bytes(task->outputs[i].type) * sizeof(double));
    }
    v->bytes = end;
    if (cudaMalloc((void **)&v->memory, end)) {
        cudaGetLastError();
        v->memory = NULL;
        return;
    }
    for (size_t n = 0; n < count; n++) {
        v->problems[n].scratch = v->memory + scratch;
        for (size_t i = 0; i < task->input_count; i++)
            v->problems[n].inputs[i] = v->memory + inputs[n][i];
        for (size_t i = 0; i < task->output_count; i++)
            v->problems[n].expected[i] = (double *)(void *)(v->memory + expected[n][i]);
    }
}

void vault_close(struct vault *v)
{
    if (v->memory)
        cudaFree(v->memory);
    *v = (struct vault){.bytes = v->bytes};
}

int vault_put(const struct vault *v, size_t number, const struct task_problem *p, struct CUstream_st *stream)
{
    const struct vaulted *to = &v->problems[number];
    int status = 0;
    for (size_t i = 0; i < p->task->input_count && !status; i++)
        status = cudaMemcpyAsync(to->inputs[i], p->inputs[i], p->input_bytes[i], cudaMemcpyHostToDevice, stream);
    for (size_t i = 0; i < p->task->output_count && !status; i++)
        status = cudaMemcpyAsync(to->expected[i], p->expected[i], p->output_counts[i] * sizeof(double),
                                 cudaMemcpyHostToDevice, stream);
    return status ? status : (int)cudaStreamSynchronize(stream);
}

const struct vaulted *vault_get(const struct vault *v, size_t number)
{
    return v->memory ? &v->problems[number] : NULL;
}
