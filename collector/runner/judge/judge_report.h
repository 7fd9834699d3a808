/* judge_report.h - what the process of a judge itself writes down of its verdicts, where a runner is not trusted to
 * pass them on (cpprof run --isolate). */
#ifndef CPPROF_JUDGE_REPORT_H
#define CPPROF_JUDGE_REPORT_H

#include "collector/runner/judge/judge_message.h"

/* The columns of judged.csv, all of them text. A row is a verdict: "no" as soon as outputs are wrong, or "yes" at the
 * end of a verification of which every part was right. `names` are the shapes of the task that have these dimensions,
 * separated by blanks. `changed` are the dimensions that are not at their default. */
#define JUDGED_HEADER "role,process,shape,names,changed,seed,pass,values,max_abs_err,hint\n"

struct reported_arm;

struct judge_report {
    const struct cpprof_task *task; /* the caller's */
    int descriptor;                 /* -1: nothing is written */
    const char *role, *process;     /* of the runner, as cpprof started it */
    struct reported_arm *arms;
};

/* Notes what was answered, and writes a row where that is a verdict. Returns -1 with errno when it cannot be written.
 */
int judge_report_add(struct judge_report *r, const struct judge_request *request, const struct judge_reply *reply);

void judge_report_release(struct judge_report *r);

#endif
