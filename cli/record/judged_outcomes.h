/* judged_outcomes.h - what the judge of an isolated process found, in its own words, against what the process says of
 * it in verify.csv. */
#ifndef CPPROF_JUDGED_OUTCOMES_H
#define CPPROF_JUDGED_OUTCOMES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"
#include "core/base/str.h"
#include "core/io/table.h"

/* The columns of judged.csv. A row is a verdict: "no" as soon as outputs are wrong, or "yes" at the end of a
 * verification of which every part was right. `names` are the shapes of the task that have these dimensions, separated
 * by blanks. `changed` are the dimensions that are not at their default. */
#define JUDGED_FILE   "judged.csv"
#define JUDGED_HEADER "role,process,shape,names,changed,seed,pass,values,max_abs_err,hint\n"

struct judged_outcomes {
    struct table rows; /* as the judge wrote them (collector/runner/judge/judge_report.c) */
    struct str text;   /* the same */
    bool *used;        /* a row of verify.csv is this one */
};

/* Reads all that the judge wrote into `descriptor`; -1: nothing. */
int judged_outcomes_read(struct judged_outcomes *o, int descriptor, struct err *e);
void judged_outcomes_release(struct judged_outcomes *o);

/* Makes each row of `verify` from `first` on wrong that says "yes" and that the judge did not report, with the reason
 * as its hint; no row of the judge stands for two. ERR_INPUT when the judge found something wrong, and no row at its
 * shape and seed says so: then none of them is right. */
int judged_outcomes_compare(struct judged_outcomes *o, struct table *verify, size_t first, struct err *e);

/* Appends the judge's rows to judged.csv in that folder. */
int judged_outcomes_keep(const struct judged_outcomes *o, const char *folder, struct err *e);

#endif
