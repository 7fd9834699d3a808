/* vault.h - the judge's own copies of inputs and references in device memory. They are never handed out by CUDA IPC, so
 * that no other process can map them. */
#ifndef CPPROF_VAULT_H
#define CPPROF_VAULT_H

#include "collector/runner/judge/compare_device.h"
#include "collector/runner/judge/judge_layout.h"
#include "collector/runner/judge/task_problem.h"

/* Where one problem is. */
struct vaulted {
    char *inputs[CPPROF_ARRAYS_MAX];
    double *expected[CPPROF_ARRAYS_MAX];
    void *scratch; /* for compare_device.h; the same one for all problems */
};

struct vault {
    char *memory; /* NULL: it is closed */
    size_t bytes; /* that it has, or would need */
    struct vaulted problems[JUDGE_SLOTS_MAX];
};

/* Makes room for `count` problems of the layout's arrays, before the solution can take it. Without enough memory the
 * vault stays closed, and that is no error: everything is compared on the host then, and verify.csv says so. */
void vault_open(struct vault *v, const struct cpprof_task *task, const struct judge_layout *layout, size_t count);
void vault_close(struct vault *v);

/* Copies a problem to place `number`; returns a cudaError_t. */
int vault_put(const struct vault *v, size_t number, const struct task_problem *p, struct CUstream_st *stream);

/* NULL when the vault is closed. */
const struct vaulted *vault_get(const struct vault *v, size_t number);

#endif
