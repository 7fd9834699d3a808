/* judged_slot.h - the buffers of one draw on the device: a solution is launched on one slot at a time. */
#ifndef CPPROF_JUDGED_SLOT_H
#define CPPROF_JUDGED_SLOT_H

#include "collector/runner/judge/guarded.h"
#include "collector/runner/judge/task_problem.h"

struct judged_slot {
    struct task_problem *problem;
    struct guarded inputs[CPPROF_ARRAYS_MAX], outputs[CPPROF_ARRAYS_MAX];
    const void *input_data[CPPROF_ARRAYS_MAX]; /* as a solution gets them */
    void *output_data[CPPROF_ARRAYS_MAX];
};

/* These return a cudaError_t. After a failure the slot can be closed. */
int judged_slot_open(struct judged_slot *s, const struct cpprof_task *task, const struct cpprof_config *config,
                     const struct cpprof_draw *draw, struct CUstream_st *stream);
/* The same buffers with the inputs of another draw. */
int judged_slot_redraw(struct judged_slot *s, const struct cpprof_draw *draw, struct CUstream_st *stream);
void judged_slot_close(struct judged_slot *s);
int judged_slot_poison(const struct judged_slot *s, struct CUstream_st *stream);

/* Compares the outputs, or what was copied from them to `copies`, and looks whether anything else was written. Adds to
 * `result`; sets *hash to that of the outputs' bits. */
int judged_slot_judge(const struct judged_slot *s, void *const *copies, struct cpprof_verification *result,
                      uint64_t *hash);

/* The launch did what it must not: no value counts, and the hint says why. */
void judged_fault(struct cpprof_verification *result, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
