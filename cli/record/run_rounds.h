/* run_rounds.h - the timing processes of a run: round after round, until there
 * are as many as asked for, the intervals are narrow enough, or time is up. */
#ifndef CPPROF_RUN_ROUNDS_H
#define CPPROF_RUN_ROUNDS_H

#include "cli/record/run_session.h"

/* Enters what the processes will do and how often the run may be looked at, into
 * a manifest that is not written yet: a bundle that never ends is judged by it. */
int run_rounds_announce(const struct run_request *request, json_t *manifest, struct err *e);

/* The plan must lie in s->directory. Enters why it stopped as `stop` into the manifest. */
int run_rounds(struct run_session *s, struct err *e);

#endif
