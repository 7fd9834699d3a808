/* task_problem.h - what are the inputs of one draw, and what must come out? In host memory, shared by all arms of a
 * process that are set up with the same shape, seed and draw. */
#ifndef CPPROF_TASK_PROBLEM_H
#define CPPROF_TASK_PROBLEM_H

#include "base/err.h"
#include "collector/runner/judge/compare_device.h"
#include "cpprof/task.h"

struct task_problem {
    const struct cpprof_task *task;
    struct cpprof_config config; /* seed 0 */
    struct cpprof_draw draw;
    uint64_t near; /* the seed of a draw that it differs from in few values; 0: none */
    void *inputs[CPPROF_ARRAYS_MAX];
    double *expected[CPPROF_ARRAYS_MAX];
    size_t input_bytes[CPPROF_ARRAYS_MAX], output_counts[CPPROF_ARRAYS_MAX], output_bytes[CPPROF_ARRAYS_MAX];
    int64_t made_ns; /* what it took to fill inputs and references */
    size_t users;
    struct task_problem *next;
};

/* ERR_ENVIRONMENT: no memory. Given back with task_problem_release; NULL is allowed there. */
int task_problem_get(struct task_problem **out, const struct cpprof_task *task, const struct cpprof_config *config,
                     const struct cpprof_draw *draw, struct err *e);
/* The inputs are those of the seed `near`, but for a few values at random places: whoever tells inputs apart by some of
 * their values does not see it. Where the task fills inputs itself, or `near` is 0, it is a draw like any other. */
int task_problem_get_near(struct task_problem **out, const struct cpprof_task *task, const struct cpprof_config *config,
                          const struct cpprof_draw *draw, uint64_t near, struct err *e);
void task_problem_release(struct task_problem *p);

/* How an output is compared. */
struct compare_rule task_problem_rule(const struct task_problem *p, size_t output);

/* Compares one output, in host memory, with what must come out. Adds to `result`, and sets *found but for its hash. */
void task_problem_compare(const struct task_problem *p, size_t output, const void *got,
                          struct cpprof_verification *result, struct compare_found *found);

/* Adds an output that was found to be right elsewhere. */
void task_problem_add_right(const struct compare_rule *rule, const struct compare_found *found,
                            struct cpprof_verification *result);

#endif
