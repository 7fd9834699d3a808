/* Are the outputs of one draw right, and was nothing else written? */
#define _GNU_SOURCE
#include "collector/runner/judge/judged_slot.h"

#include <cuda_runtime.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { POISON_LOOK_BYTES = 4096 };

int judged_slot_place(struct judged_slot *s, const struct cpprof_task *task, const struct judge_layout *layout,
                      char *memory, size_t number, struct CUstream_st *stream)
{
    int status = 0;
    *s = (struct judged_slot){0};
    for (size_t i = 0; i < task->input_count && !status; i++)
        status = guarded_place(&s->inputs[i], memory + layout->inputs[number][i], layout->input_bytes[i], true, stream);
    for (size_t i = 0; i < task->output_count && !status; i++)
        status =
            guarded_place(&s->outputs[i], memory + layout->outputs[number][i], layout->output_bytes[i], false, stream);
    return status;
}

int judged_slot_take(struct judged_slot *s, const struct task_problem *problem, struct CUstream_st *stream)
{
    int status = 0;
    if (s->problem == problem)
        return 0;
    s->problem = problem;
    for (size_t i = 0; i < problem->task->input_count && !status; i++)
        status = cudaMemcpyAsync(s->inputs[i].data, problem->inputs[i], problem->input_bytes[i], cudaMemcpyHostToDevice,
                                 stream);
    return status ? status : (int)cudaStreamSynchronize(stream);
}

int judged_slot_poison(const struct judged_slot *s, struct CUstream_st *stream)
{
    const struct cpprof_task *task = s->problem->task;
    int status = 0;
    for (size_t i = 0; i < task->output_count && !status; i++)
        status =
            cudaMemsetAsync(s->outputs[i].data, guarded_poison(task->outputs[i].type), s->outputs[i].bytes, stream);
    return status;
}

static int fetch(void *to, const void *from, size_t bytes, struct CUstream_st *stream)
{
    const int status = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream);
    return status ? status : (int)cudaStreamSynchronize(stream);
}

int judged_slot_check_poison(const struct judged_slot *s, uint64_t number, bool *is_poisoned,
                             struct CUstream_st *stream)
{
    const struct cpprof_task *task = s->problem->task;
    unsigned char found[POISON_LOOK_BYTES];
    int status = 0;
    for (size_t i = 0; i < task->output_count && !status; i++) {
        const struct guarded *g = &s->outputs[i];
        const size_t count = g->bytes < sizeof found ? g->bytes : sizeof found;
        const size_t at = number % (g->bytes - count + 1);
        status = count ? fetch(found, g->data + at, count, stream) : 0;
        for (size_t k = 0; k < count && !status; k++)
            *is_poisoned &= found[k] == (unsigned char)guarded_poison(task->outputs[i].type);
    }
    return status;
}

void judged_fault(struct cpprof_verification *result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->hint, sizeof result->hint, format, arguments);
    va_end(arguments);
    result->bad_ratio = 1;
}

/* ---- judging ---- */

static uint64_t hash_of(const void *bytes, size_t count)
{
    uint64_t hash = 0;
    for (size_t at = 0; at < count; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, (const char *)bytes + at, count - at < sizeof word ? count - at : sizeof word);
        hash += cpprof_bits(word, at);
    }
    return hash;
}

static int judge_outputs(const struct judged_slot *s, char *const *copies, struct cpprof_verification *result,
                         uint64_t *hash, struct CUstream_st *stream)
{
    const struct task_problem *p = s->problem;
    int status = 0;
    *hash = 0;
    for (size_t i = 0; i < p->task->output_count && !status; i++) {
        void *got = malloc(p->output_bytes[i] ? p->output_bytes[i] : 1);
        if (!got)
            return cudaErrorMemoryAllocation;
        status = fetch(got, copies ? copies[i] : s->outputs[i].data, p->output_bytes[i], stream);
        if (!status) {
            task_problem_compare(p, i, got, result);
            *hash = cpprof_bits(*hash, i) + hash_of(got, p->output_bytes[i]);
        }
        free(got);
    }
    return status;
}

static size_t first_difference(const void *a, const void *b, size_t bytes)
{
    size_t at = 0;
    while (at < bytes && ((const char *)a)[at] == ((const char *)b)[at])
        at++;
    return at;
}

static int check_inputs(const struct judged_slot *s, struct cpprof_verification *result, struct CUstream_st *stream)
{
    const struct task_problem *p = s->problem;
    int status = 0;
    for (size_t i = 0; i < p->task->input_count && !status; i++) {
        void *now = malloc(p->input_bytes[i] ? p->input_bytes[i] : 1);
        if (!now)
            return cudaErrorMemoryAllocation;
        status = fetch(now, s->inputs[i].data, p->input_bytes[i], stream);
        if (!status && memcmp(now, p->inputs[i], p->input_bytes[i]))
            judged_fault(result, "the launch wrote into its input %.40s, at value %zu", p->task->inputs[i].name,
                         first_difference(now, p->inputs[i], p->input_bytes[i]) /
                             cpprof_type_bytes(p->task->inputs[i].type));
        free(now);
    }
    return status;
}

static int check_bands(const struct guarded *buffers, const struct cpprof_array *arrays, size_t count,
                       struct cpprof_verification *result, struct CUstream_st *stream)
{
    int status = 0;
    for (size_t i = 0; i < count && !status; i++) {
        bool is_whole;
        int64_t at = 0;
        status = guarded_check(&buffers[i], &is_whole, &at, stream);
        if (!status && !is_whole && at < 0)
            judged_fault(result, "the launch wrote %lld bytes before %.40s", (long long)-at, arrays[i].name);
        else if (!status && !is_whole)
            judged_fault(result, "the launch wrote beyond the end of %.40s, %lld bytes behind its last value",
                         arrays[i].name, (long long)at - (long long)buffers[i].bytes);
    }
    return status;
}

int judged_slot_judge(const struct judged_slot *s, char *const *copies, struct cpprof_verification *result,
                      uint64_t *hash, struct CUstream_st *stream)
{
    const struct cpprof_task *task = s->problem->task;
    int status = judge_outputs(s, copies, result, hash, stream);
    if (!status)
        status = check_inputs(s, result, stream);
    if (!status)
        status = check_bands(s->inputs, task->inputs, task->input_count, result, stream);
    return status ? status : check_bands(s->outputs, task->outputs, task->output_count, result, stream);
}
