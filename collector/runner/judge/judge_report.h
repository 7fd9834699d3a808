/* judge_report.h - what the process of a judge itself writes down of its verdicts, where a runner is not trusted to
 * pass them on (cpprof run --isolate). */
#ifndef CPPROF_JUDGE_REPORT_H
#define CPPROF_JUDGE_REPORT_H

#include "collector/runner/judge/judge_message.h"

struct reported_arm;

/* It writes rows of judged.csv without the header, whose columns are in cli/record/judged_outcomes.h. */
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
