/* judge_client.h - the runner's side: it starts the judge of a task, asks it, and finds out when it is gone. A process
 * has one judge at most. */
#ifndef CPPROF_JUDGE_CLIENT_H
#define CPPROF_JUDGE_CLIENT_H

#include <stdbool.h>

#include "collector/runner/judge/judge_message.h"
#include "core/base/err.h"

#define JUDGE_SOCKET "socket:"

/* Starts the process `program` for the task in `library`, and returns when it is ready. CPPROF_JUDGE=PATH names another
 * program; with CPPROF_JUDGE=inside there is no process, and a solution can reach all that judges it. A failure is
 * kept, and told by the first question: what is only listed needs no judge. CPPROF_JUDGE=socket:N is set by cpprof,
 * which has started the judge itself: descriptor N leads to it (cpprof run --isolate). */
void judge_client_start(const char *library);

/* For tests: `program` is started. And: the judge ends, and the next question of any task is answered inside. */
void judge_client_start_program(const char *program, const char *library, int device);
void judge_client_stop(void);

enum judge_said {
    JUDGE_SAID,     /* the reply is there, which may tell a failure */
    JUDGE_NO_START, /* there never was one: the reply has a status and tells why */
    JUDGE_GONE      /* it ended, or was ended, since then */
};

/* Without a process the judge of `task` is in this one, and works in `stream`. */
enum judge_said judge_client_ask(const struct cpprof_task *task, struct CUstream_st *stream,
                                 const struct judge_request *request, struct judge_reply *reply);

/* The same in two halves, between which the judge works on its own. Every question that was begun is ended; when the
 * first half does not return JUDGE_SAID there is no second one. Only for a judge in a process of its own. */
enum judge_said judge_client_begin(const struct judge_request *request);
enum judge_said judge_client_end_question(struct judge_reply *reply);

/* Where the buffers of a rank of an arm are when the judge is in this process; NULL when it is not. */
char *judge_client_memory(uint32_t arm, int rank);

/* "it was ended by signal 9 (Killed)" of a judge that is gone. */
const char *judge_client_end(void);

#endif
