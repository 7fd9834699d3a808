/* program_session.h - a run whose variants are programs: which processes it
 * consists of, and what of each is entered into the bundle.
 *
 * In each block every program is started once under the collector, in an order
 * that turns from block to block; its samples become rows of timing.csv. One more
 * process of each reads counters. */
#ifndef CPPROF_PROGRAM_SESSION_H
#define CPPROF_PROGRAM_SESSION_H

#include "cli/record/program_request.h"
#include "core/base/err.h"
#include "core/base/json.h"

/* Runs everything into the run directory, which exists. A program that fails is
 * entered as failed and the others go on; ERR_ENVIRONMENT when one cannot be
 * started, or there is no collector. `manifest` has "programs" (program_request_describe). */
int program_session_run(const struct program_request *request, const char *directory, json_t *manifest, struct err *e);

/* What can be said before anything is written: no collector, a profiler that is there already. */
int program_session_check(struct err *e);

#endif
