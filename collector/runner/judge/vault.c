/* What does the judge keep on the device, and where? */
#include "collector/runner/judge/vault.h"

#include <cuda_runtime.h>

#include "collector/runner/judge/draw_device.h"

enum { ALIGNMENT = 256 };

/* Returns where the bytes begin; NULL where there is no memory yet. */
static char *place(char *memory, size_t *end, size_t bytes)
{
    const size_t start = *end;
    *end += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return memory ? memory + start : NULL;
}

/* Returns how many bytes all take. */
static size_t lay_out(struct vault *v, const struct cpprof_task *task, const struct judge_layout *layout, size_t slots,
                      size_t kept, char *memory)
{
    size_t end = 0;
    void *scratch = place(memory, &end, sizeof(struct compare_found));
    double *expected[CPPROF_ARRAYS_MAX] = {NULL};
    for (size_t i = 0; i < task->output_count; i++) {
        const size_t count = layout->output_bytes[i] / cpprof_type_bytes(task->outputs[i].type);
        expected[i] = (double *)(void *)place(memory, &end, count * sizeof(double));
    }
    for (size_t n = 0; n < slots; n++) {
        v->slots[n].scratch = scratch;
        memcpy(v->slots[n].expected, expected, sizeof expected);
        for (size_t i = 0; i < task->input_count; i++)
            v->slots[n].inputs[i] = n && ranked_task_is_constant(task, i) ? v->slots[0].inputs[i]
                                                                          : place(memory, &end, layout->input_bytes[i]);
    }
    for (size_t n = 0; n < kept; n++)
        for (size_t i = 0; i < task->output_count; i++)
            v->kept[n][i] = place(memory, &end, layout->output_bytes[i]);
    return end;
}

void vault_open(struct vault *v, const struct cpprof_task *task, const struct judge_layout *layout, size_t slots,
                size_t kept)
{
    *v = (struct vault){0};
    v->bytes = lay_out(v, task, layout, slots, kept, NULL);
    if (!cudaMalloc((void **)&v->memory, v->bytes)) {
        lay_out(v, task, layout, slots, kept, v->memory);
        return;
    }
    cudaGetLastError();
    *v = (struct vault){.bytes = v->bytes};
}

void vault_close(struct vault *v)
{
    if (v->memory)
        cudaFree(v->memory);
    *v = (struct vault){.bytes = v->bytes};
}

static int draw_input(const struct vaulted *to, size_t i, const struct task_problem *p, struct CUstream_st *stream)
{
    const struct cpprof_draw draw = task_problem_draw(p, i);
    return p->task->fill
               ? (int)cudaMemcpyAsync(to->inputs[i], p->inputs[i], p->input_bytes[i], cudaMemcpyHostToDevice, stream)
               : draw_values(&draw, p->task->inputs[i].type, to->inputs[i], p->input_counts[i], stream);
}

int vault_draw(const struct vault *v, size_t slot, const struct task_problem *p, bool are_constant,
               struct CUstream_st *stream)
{
    int status = 0;
    for (size_t i = 0; i < p->task->input_count && !status; i++)
        if (ranked_task_is_constant(p->task, i) == are_constant)
            status = draw_input(&v->slots[slot], i, p, stream);
    return status;
}

int vault_expect(const struct vault *v, const struct task_problem *p, struct CUstream_st *stream)
{
    int status = 0;
    for (size_t i = 0; i < p->task->output_count && !status; i++)
        status = cudaMemcpyAsync(v->slots[0].expected[i], p->expected[i], p->output_counts[i] * sizeof(double),
                                 cudaMemcpyHostToDevice, stream);
    return status;
}

const struct vaulted *vault_get(const struct vault *v, size_t slot)
{
    return v->memory ? &v->slots[slot] : NULL;
}
