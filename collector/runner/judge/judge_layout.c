/* Where in one piece of device memory is what? */
#include "collector/runner/judge/judge_layout.h"

#include <math.h>

enum { L2_PART = 4, L2_TIMES = 2, ALIGNMENT = 256, HEADER_BYTES = 256 };
/* As cudaMalloc does: a larger piece begins on a page of its own. */
#define PAGE_BYTES ((size_t)2 << 20)
#define LARGE_FROM ((size_t)1 << 20)

static size_t round_up(size_t value, size_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

/* Returns where the data begins; *end moves behind the second band, which starts at the very end of the data. */
static size_t place(size_t *end, size_t bytes, size_t band)
{
    const size_t whole = bytes + 2 * band, start = round_up(*end, whole >= LARGE_FROM ? PAGE_BYTES : ALIGNMENT);
    *end = start + whole;
    return start + band;
}

static size_t bytes_of(const struct cpprof_array *a, const struct cpprof_config *config)
{
    return a->count(config) * cpprof_type_bytes(a->type);
}

void judge_layout_make(struct judge_layout *out, const struct cpprof_task *task, const struct cpprof_config *config,
                       size_t slots, size_t workspace_bytes)
{
    size_t end = HEADER_BYTES;
    *out = (struct judge_layout){.ranks = ranked_task_ranks(task, config)};
    const size_t ranks = (size_t)out->ranks, inputs = task->input_count / ranks, outputs = task->output_count / ranks;
    for (size_t i = 0; i < task->input_count; i++) {
        out->input_bytes[i] = bytes_of(&task->inputs[i], config);
        out->input_ranks[i] = (int)(i / inputs);
    }
    for (size_t i = 0; i < task->output_count; i++) {
        out->output_bytes[i] = bytes_of(&task->outputs[i], config);
        out->output_ranks[i] = (int)(i / outputs);
    }
    for (size_t slot = 0; slot < slots; slot++) {
        for (size_t i = 0; i < task->input_count; i++)
            out->inputs[slot][i] = slot && ranked_task_is_constant(task, i) ? out->inputs[0][i]
                                   : i < inputs ? place(&end, out->input_bytes[i], JUDGE_BAND_BYTES)
                                                : out->inputs[slot][i - inputs];
        for (size_t i = 0; i < task->output_count; i++)
            out->outputs[slot][i] =
                i < outputs ? place(&end, out->output_bytes[i], JUDGE_BAND_BYTES) : out->outputs[slot][i - outputs];
    }
    for (size_t i = 0; i < task->output_count && slots; i++)
        out->copies[i] = i < outputs ? place(&end, out->output_bytes[i], 0) : out->copies[i - outputs];
    if (workspace_bytes)
        out->workspace = place(&end, workspace_bytes, JUDGE_BAND_BYTES);
    out->bytes = round_up(end, PAGE_BYTES);
}

static double input_bytes(const struct cpprof_task *task, const struct cpprof_config *config, bool are_constant)
{
    double bytes = 0;
    for (size_t i = 0; i < task->input_count; i++)
        bytes += ranked_task_is_constant(task, i) == are_constant ? (double)bytes_of(&task->inputs[i], config) : 0;
    return bytes;
}

double judge_layout_moved(const struct cpprof_task *task, const struct cpprof_config *config)
{
    double bytes = input_bytes(task, config, false);
    for (size_t i = 0; i < task->output_count; i++)
        bytes += (double)bytes_of(&task->outputs[i], config);
    return bytes;
}

/* Constant inputs are there once. */
size_t judge_layout_series(const struct cpprof_task *task, const struct cpprof_config *config, int l2_bytes,
                           bool *is_rotated)
{
    const double ranks = ranked_task_ranks(task, config), constant = input_bytes(task, config, true) / ranks;
    const double one = fmax(judge_layout_moved(task, config) / ranks, 1);
    const double most = task->fill ? JUDGE_SLOTS_FILLED_MAX : JUDGE_SLOTS_MAX,
                 fitting = (l2_bytes - L2_PART * constant) / (L2_PART * one);
    *is_rotated = fitting < JUDGE_SLOTS_LEAST;
    const double wanted = *is_rotated ? ceil(L2_TIMES * l2_bytes / one) : fitting;
    const double least = one > L2_TIMES * (double)l2_bytes ? JUDGE_SLOTS_LARGE : JUDGE_SLOTS_LEAST;
    return (size_t)fmin(fmax(wanted, least), most);
}
