/* judged.h - a variant made of a task and one of its solutions: the judge owns buffers, inputs and verification, and
 * the solution only launches. All roles run it like any other variant. */
#ifndef CPPROF_JUDGED_H
#define CPPROF_JUDGED_H

#include <stdbool.h>

#include "base/err.h"
#include "cpprof/task.h"

/* The variant comes first: the address of one is that of the other. */
struct judged {
    struct cpprof_variant variant;
    const struct cpprof_task *task;
    struct cpprof_solution solution;
    char name[128];
    /* A solution that is no library (collector/runner/python). */
    void *given; /* its state before `prepare`, which it has none of; NULL: of a library */
    int (*try_out)(void *given, const struct cpprof_config *config, char *why, size_t why_bytes); /* as refuse; NULL */
};

/* Makes the variant "TASK/NAME"; free() gives it back. ERR_USAGE when the solution is not complete. Pointers to the
 * task and into the solution are kept. */
int judged_make(struct judged **out, const struct cpprof_task *task, const struct cpprof_solution *solution,
                const char *name, size_t name_length, struct err *e);

bool variant_is_judged(const struct cpprof_variant *variant);

/* Says whose refuse and setup are called next: they get the config alone. Nothing happens for other variants. */
void judged_announce(const struct cpprof_variant *variant);

/* From now on a launch of one that was set up replays a graph of one launch, which is recorded here for each slot: then
 * it does not matter how long its function runs on the host. Returns a cudaError_t where a graph cannot hold a launch.
 * Nothing happens for other variants. */
int judged_replay(const struct cpprof_variant *variant, void *state, struct CUstream_st *stream);

/* The draws that are verified beside random ones, 1u << kind; 0 for other variants. And gives one that was set up the
 * inputs of such a draw; returns a cudaError_t. */
unsigned judged_draws(const struct cpprof_variant *variant);
int judged_redraw(void *state, enum cpprof_draw_kind kind, struct CUstream_st *stream);
/* Judges the outputs of a series that was timed, where others follow before the next verification: that one fails if
 * these are wrong. Returns a cudaError_t. */
int judged_look(void *state, struct CUstream_st *stream);

/* One launch whose inputs come just before it. */
struct judged_refill {
    struct CUevent_st *begin, *end; /* recorded around the launch alone */
    int (*before)(void *context);   /* NULL, or work that comes between the inputs and the first event */
    void *context;
    /* Set; false: the events say nothing. The judge has no inputs on the device, or the driver no wait for it, or the
     * inputs were there before the launch was in the stream. */
    bool is_done;
};

/* Launches once, on inputs and poison that reach the slot when all work before the launch is done and the launch itself
 * waits in the stream. The outputs are judged as those of judged_look. Returns a cudaError_t. */
int judged_refilled(void *state, struct CUstream_st *stream, struct judged_refill *refill);
const char *judged_draw_name(enum cpprof_draw_kind kind);

#endif
