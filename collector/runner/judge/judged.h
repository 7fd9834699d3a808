/* judged.h - a variant made of a task and one of its solutions: the judge owns buffers, inputs and verification, and
 * the solution only launches. All roles run it like any other variant. */
#ifndef CPPROF_JUDGED_H
#define CPPROF_JUDGED_H

#include <stdbool.h>

#include "core/base/err.h"
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

/* Launches whose inputs come when all of them wait in the stream: no launch has had these inputs. */
struct judged_series {
    struct CUevent_st *opened, *begin, *end; /* `begin` and `end` are recorded around the launches that count */
    struct CUgraphExec_st *graph;            /* of what was captured; NULL: one launch, which is called */
    int launches;                            /* that it has: those of a series, or one */
    uint32_t flush;                          /* enum judge_flush, between the inputs and the launches */
    int (*do_flush)(void *context);          /* the same in the runner's stream, where the judge cannot */
    int (*lead_in)(void *context);           /* NULL, or work of the runner's own that comes before the launches */
    void *context;
    /* Set. Without `is_timed` the events say nothing: a launch waited for the GPU inside its call (`waits`), or the
     * judge is gone. */
    bool is_timed, waits;
};

/* How many launches a series has, each on inputs of its own; 0 for other variants. They are captured between fork and
 * join. */
int judged_series_launches(const struct cpprof_variant *variant, void *state);
/* After a poison so many launches in a row have inputs that no launch had; 0 for other variants, and where the judge
 * would work among the launches of this process. */
int judged_new_inputs(const struct cpprof_variant *variant, void *state);
/* A series is larger than the L2 cache, so that no launch of it is hot. */
bool judged_is_rotated(void *state);
/* Launches, waits for the end, and leaves outputs with the judge: the next verification is about these. Returns a
 * cudaError_t. */
int judged_time(void *state, struct CUstream_st *stream, struct judged_series *series);
const char *judged_draw_name(enum cpprof_draw_kind kind);

#endif
