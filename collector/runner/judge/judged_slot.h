/* judged_slot.h - the buffers of one draw on the device: a solution is launched on one slot at a time. */
#ifndef CPPROF_JUDGED_SLOT_H
#define CPPROF_JUDGED_SLOT_H

#include "collector/runner/judge/guarded.h"
#include "collector/runner/judge/judge_layout.h"
#include "collector/runner/judge/task_problem.h"
#include "collector/runner/judge/vault.h"

struct judged_slot {
    const struct task_problem *problem; /* whose inputs it holds; not its own */
    const struct vaulted *vaulted;      /* what it is compared with there; NULL: on the host */
    const struct judge_layout *layout;  /* says which rank has which array; not its own */
    struct guarded inputs[CPPROF_ARRAYS_MAX], outputs[CPPROF_ARRAYS_MAX];
};

/* These return a cudaError_t. The memory is that of the layout, of each rank; the slot has no inputs yet. The caller
 * keeps the layout. */
int judged_slot_place(struct judged_slot *s, const struct cpprof_task *task, const struct judge_layout *layout,
                      char *const *memory, size_t number, struct CUstream_st *stream);
/* The next four are for the arrays of one rank, in a stream of its GPU, which must be current.
 * Copies the inputs that are not constant from the vault, or from the host; the caller keeps the problem as long as the
 * slot has it. */
int judged_slot_take(struct judged_slot *s, const struct task_problem *problem, const struct vaulted *vaulted, int rank,
                     struct CUstream_st *stream);
/* Constant inputs, which all slots have. */
int judged_slot_take_constants(const struct judged_slot *s, const struct task_problem *constants,
                               const struct vaulted *vaulted, int rank, struct CUstream_st *stream);
/* Brings the inputs near to every SM (spread_device.h). */
int judged_slot_spread(const struct judged_slot *s, int rank, struct CUstream_st *stream);
int judged_slot_poison(const struct judged_slot *s, int rank, struct CUstream_st *stream);
/* *is_poisoned becomes false where an output is not poison any more. On the host a part of each output is looked at,
 * which `number` chooses. */
int judged_slot_check_poison(const struct judged_slot *s, uint64_t number, bool *is_poisoned,
                             struct CUstream_st *stream);

/* Gives a hash of the bits of all outputs, which the device computes. The slot must have `vaulted`. */
int judged_slot_hash(const struct judged_slot *s, uint64_t *hash, struct CUstream_st *stream);

struct judged_look {
    struct CUstream_st *stream;
    bool compare_on_host;  /* too, where the device compares */
    char disagreement[96]; /* which of the two says what, where they do not agree: then nothing is known */
};

/* Compares the outputs, or what was copied from them to `copies`, with the references of its problem, which the vault
 * has. Adds to `result`; sets *hash to that of the outputs' bits. */
int judged_slot_compare(const struct judged_slot *s, struct judged_look *look, char *const *copies,
                        struct cpprof_verification *result, uint64_t *hash);
/* Looks whether anything else was written, too. */
int judged_slot_judge(const struct judged_slot *s, struct judged_look *look, char *const *copies,
                      struct cpprof_verification *result, uint64_t *hash);

/* Reads all inputs. One that is not what it was is a fault. */
int judged_slot_check_inputs(const struct judged_slot *s, struct cpprof_verification *result,
                             struct CUstream_st *stream);

/* Was anything written beside its arrays? */
int judged_slot_check_bands(const struct judged_slot *s, struct cpprof_verification *result,
                            struct CUstream_st *stream);

/* The launch did what it must not: no value counts, and the hint says why. */
void judged_fault(struct cpprof_verification *result, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
