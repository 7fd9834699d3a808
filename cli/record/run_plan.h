/* run_plan.h - how much is there to be timed, and how is it shared out among
 * processes? Read from variants.csv, which the runner has left. */
#ifndef CPPROF_RUN_PLAN_H
#define CPPROF_RUN_PLAN_H

#include "cli/record/sampling.h"
#include "core/base/err.h"

/* A process that times more groups than this gives no sign of life for too long,
 * and loses too much when it crashes. */
enum { GROUPS_PER_PROCESS = 16, PLAN_SHARES_MAX = 4096 / GROUPS_PER_PROCESS, PLAN_SIZE_BYTES = 192 };

struct run_plan {
    long groups; /* configs; in a pool planted arms are of the group of their config */
    long arms;   /* processes that time a group once: the arms of the largest one, 1 where they are timed together */
    long shares; /* group g is timed by the processes of share g % shares */
    char first[PLAN_SHARES_MAX][PLAN_SIZE_BYTES], last[PLAN_SHARES_MAX][PLAN_SIZE_BYTES]; /* shape of each share */
};

int run_plan_read(struct run_plan *out, const char *directory, enum schedule schedule, struct err *e);
long run_plan_groups(const struct run_plan *plan, long share);

#endif
