/* How many timing processes does a run need? */
#define _GNU_SOURCE
#include "cli/record/run_rounds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzers/analysed.h"
#include "analyzers/entries.h"
#include "cli/record/stop_signal.h"
#include "core/base/clock.h"
#include "core/base/count_of.h"
#include "core/stats/sequential_looks.h"

struct rounds {
    struct run_session *s;
    long done;                    /* rounds: processes of each arm */
    long next_look;               /* after this many rounds */
    long next;                    /* index of the next process */
    int64_t spent_ns, longest_ns; /* by all processes; by one round */
};

static json_t *null_or_number(bool known, double value)
{
    return known ? json_real(value) : json_null();
}

static int enter_stop(const struct run_request *q, json_t *manifest, enum stop_reason reason, long rounds,
                      int64_t wall_ns, struct err *e)
{
    const struct sampling *sampling = &q->sampling;
    const int looks = sampling_is_open_ended(sampling) ? sequential_looks_planned(q->processes) : 1;
    json_t *stop = json_pack("{s:s?,s:I,s:I,s:i,s:o,s:o}", "reason", reason ? stop_reasons[reason].key : NULL,
                             "processes", (json_int_t)rounds, "wall_ns", (json_int_t)wall_ns, "looks", looks,
                             "until_width", null_or_number(sampling->until_width > 0, sampling->until_width),
                             "budget_ns", sampling->budget_ns ? json_integer(sampling->budget_ns) : json_null());
    return json_object_set_new(manifest, "stop", stop) ? err_memory(e) : 0;
}

int run_rounds_announce(const struct run_request *q, json_t *manifest, struct err *e)
{
    const char *cache = q->sampling.cache ? q->sampling.cache : "hot";
    if (json_object_set_new(manifest, "schedule", json_string(schedule_name(q->sampling.schedule))) ||
        json_object_set_new(manifest, "cache", json_string(cache)) ||
        json_object_set_new(manifest, "method", json_string(batch_method_name(q->sampling.method))))
        return err_memory(e);
    return enter_stop(q, manifest, STOP_UNFINISHED, 0, 0, e);
}

/* ---- one round: every arm of every group once ---- */

/* "timing 16 of 40 shapes, n=1024 to n=16777216, process 3 of 15, about 12 s to go" */
static void describe(const struct rounds *r, long share, char *text, size_t bytes)
{
    const struct run_session *s = r->s;
    const struct run_plan *plan = &s->plan;
    const long processes = s->request->processes * plan->shares * plan->arms;
    size_t used = (size_t)snprintf(text, bytes, "timing");
    if (plan->groups > 1)
        used += (size_t)snprintf(text + used, bytes - used, " %ld of %ld shapes (%.40s to %.40s)",
                                 run_plan_groups(plan, share), plan->groups, plan->first[share], plan->last[share]);
    used += (size_t)snprintf(text + used, bytes - used, ", process %ld", r->next + 1);
    if (r->next < processes)
        used += (size_t)snprintf(text + used, bytes - used, " of %ld", processes);
    else if (s->request->sampling.budget_ns)
        used += (size_t)snprintf(text + used, bytes - used, ", %.0f s of %.0f s", (double)r->spent_ns / 1e9,
                                 (double)s->request->sampling.budget_ns / 1e9);
    else
        used += (size_t)snprintf(text + used, bytes - used, ", until intervals are narrow");
    if (r->next > 0 && r->next < processes)
        snprintf(text + used, bytes - used, ", about %.0f s to go",
                 (double)r->spent_ns / (double)r->next * (double)(processes - r->next) / 1e9);
}

/* Every other round begins with the last arm, so that a drift favours none. */
static int run_round(struct rounds *r, struct err *e)
{
    const struct run_plan *plan = &r->s->plan;
    const int64_t start_ns = clock_now_ns();
    int rc = 0;
    for (long share = 0; share < plan->shares && !rc; share++)
        for (long i = 0; i < plan->arms && !rc; i++) {
            const struct run_part part = {.role = "time",
                                          .index = r->next,
                                          .round = r->done,
                                          .share = share,
                                          .arm = r->done % 2 ? plan->arms - 1 - i : i};
            char what[256];
            const int64_t process_ns = clock_now_ns();
            describe(r, share, what, sizeof what);
            rc = run_session_process(r->s, &part, what, e);
            r->spent_ns += clock_now_ns() - process_ns;
            r->next++;
        }
    const int64_t round_ns = clock_now_ns() - start_ns;
    r->longest_ns = round_ns > r->longest_ns ? round_ns : r->longest_ns;
    r->done++;
    return rc;
}

/* ---- enough? ---- */

/* More processes can help it: what is not known is not for want of anything else. */
static bool is_open(const struct comparison *c, double until_width)
{
    static const enum comparison_reason by_width[] = {COMPARISON_INTERVAL_CROSSES_MARGIN, COMPARISON_TOO_FEW_PROCESSES,
                                                      COMPARISON_HOLM, COMPARISON_FEW_VERIFIED};
    if (until_width > 0)
        return isfinite(c->ratio) && !((c->ci_high - c->ci_low) / 2 <= until_width);
    for (size_t i = 0; i < COUNT_OF(by_width); i++)
        if (c->reason == by_width[i])
            return true;
    return false;
}

/* What the report would say now: the same code, over the same table. */
static int look(const struct rounds *r, bool *enough, struct err *e)
{
    struct analysed now;
    int rc = analysed_open(&now, r->s->directory, &(struct analysed_wish){.questions = QUESTION(compare)}, e);
    if (rc)
        return rc;
    *enough = true;
    const struct comparison_list *const lists[] = {&now.analysis.comparisons, &now.analysis.mark_costs};
    for (size_t list = 0; list < sizeof lists / sizeof lists[0]; list++)
        for (size_t i = 0; i < lists[list]->count; i++)
            if (is_open(&lists[list]->items[i], r->s->request->sampling.until_width))
                *enough = false;
    analysed_release(&now);
    return 0;
}

/* Sets *reason when the run is to stop. A budget says nothing of the numbers, so that running out of it between two
 * looks takes the place of the next one. */
static int decide(struct rounds *r, enum stop_reason *reason, struct err *e)
{
    const struct run_request *q = r->s->request;
    const int64_t budget_ns = q->sampling.budget_ns;
    if (r->done < q->processes)
        return 0;
    if (!sampling_is_open_ended(&q->sampling)) {
        *reason = STOP_PROCESSES;
        return 0;
    }
    if (r->done == r->next_look) {
        bool enough = false;
        int rc = look(r, &enough, e);
        if (rc)
            return rc;
        *reason = enough ? STOP_WIDTH : STOP_UNFINISHED;
        r->next_look = sequential_looks_next(r->done);
    }
    if (!*reason && r->done >= ROUNDS_MAX)
        *reason = STOP_PROCESSES;
    if (!*reason && budget_ns && r->spent_ns + r->longest_ns > budget_ns)
        *reason = STOP_BUDGET;
    return 0;
}

int run_rounds(struct run_session *s, struct err *e)
{
    struct rounds r = {.s = s, .next_look = s->request->processes};
    enum stop_reason reason = STOP_UNFINISHED;
    int rc = 0;
    while (!rc && !reason && !stop_signal_first()) {
        rc = run_round(&r, e);
        if (!rc)
            rc = decide(&r, &reason, e);
    }
    return rc ? rc : enter_stop(s->request, s->manifest, reason, r.done, r.spent_ns, e);
}
