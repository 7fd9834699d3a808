/* task_problem.h - what are the inputs of one draw, and what must come out? In host memory, as soon as somebody asks.
 * Arms of a process that are set up with the same shape and the same draw share them. */
#ifndef CPPROF_TASK_PROBLEM_H
#define CPPROF_TASK_PROBLEM_H

#include <stdbool.h>

#include "collector/runner/judge/compare_device.h"
#include "core/base/err.h"
#include "cpprof/task.h"

struct task_problem {
    const struct cpprof_task *task;
    struct cpprof_config config; /* seed 0 */
    struct cpprof_draw draw;
    struct task_problem *constants;      /* has the constant inputs; NULL: they are drawn like the others */
    void *inputs[CPPROF_ARRAYS_MAX];     /* NULL until task_problem_fill */
    double *expected[CPPROF_ARRAYS_MAX]; /* NULL until task_problem_expect */
    size_t input_counts[CPPROF_ARRAYS_MAX], output_counts[CPPROF_ARRAYS_MAX];
    size_t input_bytes[CPPROF_ARRAYS_MAX], output_bytes[CPPROF_ARRAYS_MAX];
    bool is_expected;
    size_t users;
    struct task_problem *next;
};

/* These return ERR_ENVIRONMENT where there is no memory. Given back with task_problem_release; NULL is allowed there.
 */
int task_problem_get(struct task_problem **out, const struct cpprof_task *task, const struct cpprof_config *config,
                     const struct cpprof_draw *draw, struct err *e);
/* With the constant inputs of another problem of the same task and shape, which it uses. NULL: as above. */
int task_problem_get_with(struct task_problem **out, const struct cpprof_task *task, const struct cpprof_config *config,
                          const struct cpprof_draw *draw, struct task_problem *constants, struct err *e);
int task_problem_fill(struct task_problem *p, struct err *e);          /* inputs */
int task_problem_fill_constant(struct task_problem *p, struct err *e); /* constant inputs alone */
int task_problem_expect(struct task_problem *p, struct err *e);        /* inputs and references */
/* The references of several, by as many processes as there are processors for: a reference may use static memory. Those
 * that are not begun until `most_ns` have passed have none afterwards, the first `least` do. Nothing of this process
 * but its memory is used there. */
int task_problem_expect_all(struct task_problem *const *problems, size_t count, size_t least, int64_t most_ns,
                            struct err *e);
struct task_problem *task_problem_use(struct task_problem *p); /* once more */
void task_problem_release(struct task_problem *p);

/* One input is drawn by the standard rule with these numbers, unless the task fills inputs itself. */
struct cpprof_draw task_problem_draw(const struct task_problem *p, size_t input);

/* How an output is compared. */
struct compare_rule task_problem_rule(const struct task_problem *p, size_t output);

/* Compares one output, in host memory, with what must come out. Adds to `result`, and sets *found but for its hash. */
void task_problem_compare(const struct task_problem *p, size_t output, const void *got,
                          struct cpprof_verification *result, struct compare_found *found);

/* Adds an output that was found to be right elsewhere. */
void task_problem_add_right(const struct compare_rule *rule, const struct compare_found *found,
                            struct cpprof_verification *result);

#endif
