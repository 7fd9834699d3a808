/* vault.h - the judge's own memory on the device: the inputs that each slot was given, outputs of timed launches that
 * are still to be judged, and the references of one draw at a time. It is never handed out by CUDA IPC, so that no
 * other process can map it. */
#ifndef CPPROF_VAULT_H
#define CPPROF_VAULT_H

#include "collector/runner/judge/compare_device.h"
#include "collector/runner/judge/judge_layout.h"
#include "collector/runner/judge/task_problem.h"

/* The inputs and references that a slot is compared with. */
struct vaulted {
    char *inputs[CPPROF_ARRAYS_MAX];
    double *expected[CPPROF_ARRAYS_MAX]; /* the same ones for all slots */
    void *scratch;                       /* for compare_device.h; likewise */
};

struct vault {
    char *memory; /* NULL: it is closed */
    size_t bytes; /* that it has, or would need */
    struct vaulted slots[JUDGE_SLOTS_MAX];
    char *kept[JUDGE_KEPT_MAX][CPPROF_ARRAYS_MAX]; /* outputs */
};

/* Makes room for the layout's arrays, before the solution can take it. Without enough memory the vault stays closed,
 * and that is no error: everything is compared on the host then, and verify.csv says so. */
void vault_open(struct vault *v, const struct cpprof_task *task, const struct judge_layout *layout, size_t slots,
                size_t kept);
void vault_close(struct vault *v);

/* These return a cudaError_t. The first one draws inputs for a slot, on the device or, where the task fills them
 * itself, from the host, which has them: the constant ones, which all slots have, or the others. The second one copies
 * the references of a problem, which has them. */
int vault_draw(const struct vault *v, size_t slot, const struct task_problem *p, bool are_constant,
               struct CUstream_st *stream);
int vault_expect(const struct vault *v, const struct task_problem *p, struct CUstream_st *stream);

/* NULL when the vault is closed. */
const struct vaulted *vault_get(const struct vault *v, size_t slot);

#endif
