/* Are the outputs of one draw right, and was nothing else written? */
#define _GNU_SOURCE
#include "collector/runner/judge/judged_slot.h"

#include <cuda_runtime.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector/runner/judge/spread_device.h"

enum { POISON_LOOK_BYTES = 4096 };

int judged_slot_place(struct judged_slot *s, const struct cpprof_task *task, const struct judge_layout *layout,
                      char *const *memory, size_t number, struct CUstream_st *stream)
{
    int status = 0;
    *s = (struct judged_slot){.layout = layout};
    for (size_t i = 0; i < task->input_count && !status; i++)
        status = guarded_place(&s->inputs[i], memory[layout->input_ranks[i]] + layout->inputs[number][i],
                               layout->input_bytes[i], true, stream);
    for (size_t i = 0; i < task->output_count && !status; i++)
        status = guarded_place(&s->outputs[i], memory[layout->output_ranks[i]] + layout->outputs[number][i],
                               layout->output_bytes[i], false, stream);
    return status;
}

static int take(const struct judged_slot *s, const struct task_problem *problem, const struct vaulted *vaulted,
                bool are_constant, int rank, struct CUstream_st *stream)
{
    int status = 0;
    for (size_t i = 0; i < problem->task->input_count && !status; i++)
        if (s->layout->input_ranks[i] == rank && ranked_task_is_constant(problem->task, i) == are_constant)
            status = cudaMemcpyAsync(s->inputs[i].data, vaulted ? vaulted->inputs[i] : problem->inputs[i],
                                     problem->input_bytes[i],
                                     vaulted ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice, stream);
    return status || vaulted ? status : (int)cudaStreamSynchronize(stream);
}

int judged_slot_take(struct judged_slot *s, const struct task_problem *problem, const struct vaulted *vaulted, int rank,
                     struct CUstream_st *stream)
{
    s->problem = problem;
    s->vaulted = vaulted;
    return take(s, problem, vaulted, false, rank, stream);
}

int judged_slot_take_constants(const struct judged_slot *s, const struct task_problem *constants,
                               const struct vaulted *vaulted, int rank, struct CUstream_st *stream)
{
    return take(s, constants, vaulted, true, rank, stream);
}

int judged_slot_poison(const struct judged_slot *s, int rank, struct CUstream_st *stream)
{
    const struct cpprof_task *task = s->problem->task;
    int status = 0;
    for (size_t i = 0; i < task->output_count && !status; i++)
        if (s->layout->output_ranks[i] == rank)
            status =
                cudaMemsetAsync(s->outputs[i].data, guarded_poison(task->outputs[i].type), s->outputs[i].bytes, stream);
    return status;
}

int judged_slot_spread(const struct judged_slot *s, int rank, struct CUstream_st *stream)
{
    int status = 0;
    for (size_t i = 0; i < s->problem->task->input_count && !status; i++)
        if (s->layout->input_ranks[i] == rank)
            status = spread_values(s->inputs[i].data, s->inputs[i].bytes, stream);
    return status;
}

static int fetch(void *to, const void *from, size_t bytes, struct CUstream_st *stream)
{
    const int status = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
    return status ? status : (int)cudaStreamSynchronize(stream);
}

static int check_all_poison(const struct judged_slot *s, bool *is_poisoned, struct CUstream_st *stream)
{
    const struct cpprof_task *task = s->problem->task;
    struct compare_found found = {0};
    int status = 0;
    for (size_t i = 0; i < task->output_count && !status; i++) {
        status = compare_memory(s->outputs[i].data, NULL, (unsigned char)guarded_poison(task->outputs[i].type),
                                s->outputs[i].bytes, s->vaulted->scratch, &found, stream);
        *is_poisoned &= !found.bad;
    }
    return status;
}

int judged_slot_check_poison(const struct judged_slot *s, uint64_t number, bool *is_poisoned,
                             struct CUstream_st *stream)
{
    const struct cpprof_task *task = s->problem->task;
    unsigned char found[POISON_LOOK_BYTES];
    int status = 0;
    if (s->vaulted)
        return check_all_poison(s, is_poisoned, stream);
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

int judged_slot_hash(const struct judged_slot *s, uint64_t *hash, struct CUstream_st *stream)
{
    int status = 0;
    *hash = 0;
    for (size_t i = 0; i < s->problem->task->output_count && !status; i++) {
        const struct compare_rule rule = task_problem_rule(s->problem, i);
        struct compare_found found = {0};
        status =
            compare_output(&rule, s->outputs[i].data, s->vaulted->expected[i], s->vaulted->scratch, &found, stream);
        *hash = cpprof_bits(*hash, i) + found.hash;
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

/* The same bits with another verdict are a fault of ours; other bits came late. */
static void meet(const struct compare_found *device, const struct compare_found *host, struct judged_look *look,
                 struct cpprof_verification *result)
{
    if (device->hash != host->hash)
        judged_fault(result, "outputs changed while they were judged: work of another stream, thread or process does "
                             "not belong to the launch");
    else if (device->bad != host->bad || device->unwritten != host->unwritten || device->first != host->first ||
             device->error_bits != host->error_bits)
        snprintf(look->disagreement, sizeof look->disagreement,
                 "compare the same outputs: %llu wrong values on the device, %llu on the host",
                 (unsigned long long)device->bad, (unsigned long long)host->bad);
}

static int judge_on_host(const struct judged_slot *s, size_t output, const char *at, struct compare_found *found,
                         struct cpprof_verification *result, struct CUstream_st *stream)
{
    const struct task_problem *p = s->problem;
    void *got = malloc(p->output_bytes[output] ? p->output_bytes[output] : 1);
    if (!got)
        return cudaErrorMemoryAllocation;
    const int status = fetch(got, at, p->output_bytes[output], stream);
    if (!status) {
        task_problem_compare(p, output, got, result, found);
        found->hash = hash_of(got, p->output_bytes[output]);
    }
    free(got);
    return status;
}

/* Wrong values are looked at on the host, which says where they are. */
static int judge_output(const struct judged_slot *s, size_t output, const char *at, struct judged_look *look,
                        struct cpprof_verification *result, uint64_t *hash)
{
    struct compare_found device = {0}, host = {0};
    if (!s->vaulted) {
        const int status = judge_on_host(s, output, at, &host, result, look->stream);
        *hash = host.hash;
        return status;
    }
    const struct compare_rule rule = task_problem_rule(s->problem, output);
    int status = compare_output(&rule, at, s->vaulted->expected[output], s->vaulted->scratch, &device, look->stream);
    *hash = device.hash;
    if (status)
        return status;
    if (!look->compare_on_host && !device.bad) {
        task_problem_add_right(&rule, &device, result);
        return 0;
    }
    status = judge_on_host(s, output, at, &host, result, look->stream);
    if (!status)
        meet(&device, &host, look, result);
    return status;
}

int judged_slot_compare(const struct judged_slot *s, struct judged_look *look, char *const *copies,
                        struct cpprof_verification *result, uint64_t *hash)
{
    int status = 0;
    *hash = 0;
    for (size_t i = 0; i < s->problem->task->output_count && !status; i++) {
        uint64_t one;
        status = judge_output(s, i, copies ? copies[i] : s->outputs[i].data, look, result, &one);
        *hash = cpprof_bits(*hash, i) + one;
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

/* Sets *at to the first byte that is not what it was; as many bytes as it has: all are. */
static int find_change(const struct judged_slot *s, size_t input, size_t *at, struct CUstream_st *stream)
{
    const struct task_problem *p = s->problem;
    const size_t bytes = p->input_bytes[input];
    struct compare_found found = {0};
    *at = bytes;
    if (s->vaulted) {
        const int status = compare_memory(s->inputs[input].data, s->vaulted->inputs[input], 0, bytes,
                                          s->vaulted->scratch, &found, stream);
        if (!status && found.bad)
            *at = (size_t)found.first;
        return status;
    }
    void *now = malloc(bytes ? bytes : 1);
    if (!now)
        return cudaErrorMemoryAllocation;
    const int status = fetch(now, s->inputs[input].data, bytes, stream);
    if (!status)
        *at = first_difference(now, p->inputs[input], bytes);
    free(now);
    return status;
}

int judged_slot_check_inputs(const struct judged_slot *s, struct cpprof_verification *result,
                             struct CUstream_st *stream)
{
    const struct task_problem *p = s->problem;
    int status = 0;
    for (size_t i = 0; i < p->task->input_count && !status; i++) {
        const struct cpprof_array *input = &p->task->inputs[i];
        size_t at;
        status = find_change(s, i, &at, stream);
        if (!status && at < p->input_bytes[i])
            judged_fault(result, "the launch wrote into its input %.40s, at value %zu", input->name,
                         at / cpprof_type_bytes(input->type));
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

int judged_slot_check_bands(const struct judged_slot *s, struct cpprof_verification *result, struct CUstream_st *stream)
{
    const struct cpprof_task *task = s->problem->task;
    const int status = check_bands(s->inputs, task->inputs, task->input_count, result, stream);
    return status ? status : check_bands(s->outputs, task->outputs, task->output_count, result, stream);
}

int judged_slot_judge(const struct judged_slot *s, struct judged_look *look, char *const *copies,
                      struct cpprof_verification *result, uint64_t *hash)
{
    struct CUstream_st *stream = look->stream;
    int status = judged_slot_compare(s, look, copies, result, hash);
    if (!status)
        status = judged_slot_check_inputs(s, result, stream);
    return status ? status : judged_slot_check_bands(s, result, stream);
}
