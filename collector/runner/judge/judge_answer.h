/* judge_answer.h - the judge: it owns buffers, inputs, references and verification, and answers requests. It runs in a
 * process of its own (judge_serve.h), or beside the solution where that was asked for (judge_client.h). */
#ifndef CPPROF_JUDGE_ANSWER_H
#define CPPROF_JUDGE_ANSWER_H

#include <stdbool.h>

#include "collector/runner/judge/judge_message.h"

struct judge_arm;

struct judge {
    const struct cpprof_task *task; /* the caller's */
    uint64_t salt;                  /* inputs are functions of the seed and of this */
    bool is_apart;                  /* in a process of its own: buffers are handed out by CUDA IPC */
    int device;                     /* -1: none yet */
    /* In a process of its own the judge makes one, which goes with the process. Else it is the runner's, and the caller
     * sets it before each request: work in two streams of a process makes launches take longer (docs/trust.md). */
    struct CUstream_st *stream;
    struct judge_arm *arms;
    uint32_t next_arm;
};

/* Takes the salt from CPPROF_SALT, as a report gave it, or draws one. */
void judge_init(struct judge *j, const struct cpprof_task *task, bool is_apart);
/* Frees the buffers of a judge that works beside a solution. */
void judge_release(struct judge *j);

/* Does what is asked for, and waits for it: nothing is left on the device. */
void judge_answer(struct judge *j, const struct judge_request *request, struct judge_reply *reply);

/* Where the buffers of a rank of an arm are in this process; NULL when there is no such arm. */
char *judge_memory(const struct judge *j, uint32_t arm, int rank);

/* Takes the device before the first request needs it, unless it is one for a single process. A failure is told there.
 */
void judge_warm_up(struct judge *j, int device);

#endif
