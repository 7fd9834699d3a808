/* What is measured, one process after the other? */
#include "cli/record/run_measure.h"

#include <stdio.h>

#include "cli/record/run_rounds.h"
#include "cli/record/solution_method.h"

static void count_steps(struct run_session *s)
{
    const struct run_request *q = s->request;
    const long timing = q->processes * s->plan.shares * s->plan.arms;
    s->steps = (size_t)(s->plan.shares + timing) + (solution_method_is_open(q) ? (size_t)s->plan.shares : 0) +
               (q->pool ? 0 : 1) + (q->counters ? 1 : 0) + (q->hotspots ? 1 : 0) + (q->inside ? 2 : 0) +
               (q->progress_seconds ? 1 : 0);
}

/* Does every launch end? Each process behind this one would wait for one that does not, so that after a failure there
 * is none. */
static int watch_launches(struct run_session *s, bool *goes_on, struct err *e)
{
    const size_t before = json_array_size(json_object_get(s->manifest, "failures"));
    const int rc = run_session_process(s, &(struct run_part){.role = "progress"}, "waiting for each launch to end", e);
    *goes_on = json_array_size(json_object_get(s->manifest, "failures")) == before;
    return rc;
}

static int time_all(struct run_session *s, struct err *e)
{
    const struct run_request *asked = s->request;
    struct run_request chosen;
    int rc = 0;
    if (solution_method_is_open(asked)) {
        rc = solution_method_choose(s, &chosen, e);
        s->request = &chosen;
    }
    if (!rc)
        rc = run_rounds(s, e);
    s->request = asked;
    return rc;
}

static int measure_all(struct run_session *s, struct err *e)
{
    int rc = 0;
    for (long share = 0; share < s->plan.shares && !rc; share++)
        rc = run_session_process(s, &(struct run_part){.role = "verify", .index = share, .share = share},
                                 "verifying against the float64 reference", e);
    if (!rc)
        rc = time_all(s, e);
    if (!rc && !s->request->pool)
        rc = run_session_process(s, &(struct run_part){.role = "trace"}, "tracing launches", e);
    if (!rc && s->request->counters)
        rc = run_session_process(s, &(struct run_part){.role = "count"}, "reading counters", e);
    if (!rc && s->request->hotspots)
        rc = run_session_process(s, &(struct run_part){.role = "sample"}, "sampling the program counter", e);
    if (!rc && s->request->inside)
        rc = run_session_process(s, &(struct run_part){.role = "inside"}, "recording the inside of kernels", e);
    if (!rc && s->request->inside)
        rc = run_session_process(s, &(struct run_part){.role = "series"}, "sampling the GPU's units", e);
    return rc;
}

int run_measure(struct run_session *s, struct err *e)
{
    bool goes_on = true;
    int rc = run_plan_read(&s->plan, s->directory, s->request->sampling.schedule, e);
    if (rc)
        return rc;
    count_steps(s);
    if (s->request->progress_seconds)
        rc = watch_launches(s, &goes_on, e);
    if (!rc && goes_on)
        rc = measure_all(s, e);
    if (s->progress)
        fputs("\r\033[K", stderr);
    return rc;
}
