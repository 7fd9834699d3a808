/* trial_runs.h - runs of the runner that leave no bundle: launches under stress, and verification under a sanitizer. */
#ifndef CPPROF_TRIAL_RUNS_H
#define CPPROF_TRIAL_RUNS_H

#include "cli/record/run_session.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/str.h"

/* At least `launches` of each case. Gives the rows of stress.json (collector/runner/role_stress.c; json_decref), or one
 * row that says how the process "crashed", in a launch or by a signal.
 * ERR_ENVIRONMENT, ERR_USAGE: it could not run, in the runner's words. */
int trial_stress(const struct run_request *request, long launches, json_t **rows, struct err *e);

extern const char *const sanitizer_tools[];
extern const size_t sanitizer_tool_count;

/* What one tool found. */
struct sanitizer_end {
    bool is_clean;      /* the tool found nothing, and all values that were verified are right */
    bool is_verified;   /* anything was verified */
    struct str summary; /* its own summary, else why there is none */
    struct str first;   /* the first that it found, else the first wrong result; empty: nothing */
};
void sanitizer_end_init(struct sanitizer_end *end);
void sanitizer_end_release(struct sanitizer_end *end);

/* Verifies under one tool of compute-sanitizer. ERR_ENVIRONMENT when there is no compute-sanitizer, with what to
 * install. ERR_USAGE in the runner's words. */
int trial_sanitize(const struct run_request *request, const char *tool, struct sanitizer_end *end, struct err *e);

#endif
