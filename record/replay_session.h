/* replay_session.h - runs a program that was just captured once more, and replays some of its launches with counters:
 * what no sample shows of them. */
#ifndef CPPROF_REPLAY_SESSION_H
#define CPPROF_REPLAY_SESSION_H

#include "base/err.h"
#include "base/json.h"
#include "record/capture_session.h"

/* Its launches are chosen by the trace in `directory`, an unsealed bundle, where metrics.csv goes as well: a row for
 * each counter, whose `variant` is the program's name and whose `shape` the grid and block, as in base/launch_key.h.
 * `scope` is what was captured, `limit_ms` how long the replays may take, `end` how the program ended. *facts is a new
 * object: "launches" that were chosen; "gpu", "counters" and "kernels" as the guest saw them, "missing". Whatever fails
 * in the program is in "missing", and no error. */
int replay_session_run(const struct capture_session *session, char *const *program, const struct capture_scope *scope,
                       long limit_ms, const struct capture_end *end, const char *name, const char *directory,
                       json_t **facts, struct err *e);

#endif
