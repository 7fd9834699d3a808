/* replay_session.h - runs a program that was just captured a second time, and replays some of its launches with
 * counters: what no sample shows of them. */
#ifndef CPPROF_REPLAY_SESSION_H
#define CPPROF_REPLAY_SESSION_H

#include <stdbool.h>

#include "cli/record/capture_session.h"
#include "core/base/json.h"

struct replay_request {
    char *const *program; /* its words, ends with NULL */
    const char *name;
    const struct capture_scope *scope; /* what was captured */
    long limit_ms;                     /* what the replays may take in all */
    const struct capture_end *end;     /* how the program ended */
    bool is_quiet;                     /* says nothing before it begins */
};

/* The launches are chosen by the trace in `directory`, an unsealed bundle, where metrics.csv goes as well: a row for
 * each counter, whose `variant` is the program's name and whose `shape` the grid and block, as in
 * core/base/launch_key.h. Returns a new object: "launches" that were chosen, "wall_ns", "limit_ms"; "gpu", "counters"
 * and "kernels" as the guest saw them. Whatever fails, here or in the program, is in "missing". NULL: memory is out. */
json_t *replay_session_run(const struct capture_session *session, const struct replay_request *q,
                           const char *directory);

#endif
