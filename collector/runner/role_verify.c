/* Are the results of every variant right, with every seed and ragged size, before anything is timed? */
#include <stdio.h>

#include "collector/runner/judge/judged.h"
#include "collector/runner/marks.h"
#include "collector/runner/runner.h"

/* Inputs that are no random numbers, where a task judges: "0 sorted" is what they are called in the place of a seed. */
static int verify_draws(struct runner *r, struct arm *arm, size_t seed, struct err *e)
{
    const unsigned draws = judged_draws(arm->run_case->variant);
    int rc = 0;
    for (int kind = 0; kind < CPPROF_DRAW_KINDS && !rc; kind++) {
        char name[64];
        uint64_t hash;
        if (!(draws >> kind & 1))
            continue;
        snprintf(name, sizeof name, "%.40s %s", runner_seed_text(r, seed), judged_draw_name(kind));
        const int status = judged_redraw(arm->state, kind, r->device.stream);
        rc = status ? device_error(status, "draw inputs", e) : arm_verify(r, arm, name, "all", NULL, &hash, e);
    }
    return rc;
}

/* The arms of a group in order: the baseline comes first, because the others are compared with its hash. */
static int verify_group(struct runner *r, const struct case_list *cases, size_t group, size_t seed, struct err *e)
{
    uint64_t baseline_hash = 0;
    bool has_baseline = false;
    int rc = 0;
    for (size_t i = 0; i < cases->count && !rc; i++) {
        const struct run_case *c = &cases->items[i];
        char refusal[160];
        if (c->group != group || runner_refusal(r, c, refusal, sizeof refusal))
            continue;
        struct arm arm;
        uint64_t hash;
        rc = arm_setup(r, &arm, c, runner_seed(r, seed), e);
        mark_push(c->name, c->key, "verify");
        if (!rc)
            rc = arm_verify(r, &arm, runner_seed_text(r, seed), "all", has_baseline ? &baseline_hash : NULL, &hash, e);
        if (!rc && seed == 0)
            rc = verify_draws(r, &arm, seed, e);
        mark_pop();
        if (!rc && runner_is_baseline(r, c)) {
            baseline_hash = hash;
            has_baseline = true;
        }
        arm_teardown(&arm);
    }
    return rc;
}

int role_verify(struct runner *r, struct err *e)
{
    struct case_list cases;
    int rc = case_list_with_ragged(&cases, &r->cases, e);
    for (size_t group = 0; group < cases.group_count && !rc; group++)
        for (size_t seed = 0; seed < r->seeds.count && !rc; seed++)
            rc = verify_group(r, &cases, group, seed, e);
    case_list_release(&cases);
    return rc;
}
