/* Which kernels are delayed, and by how much? */
#define _GNU_SOURCE
#include "base/causal_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "base/units.h"

enum { DOSE_NS_MIN = 5000, DOSE_NS_MAX = 10000000 };

static int check_pattern(const char *text, struct err *e)
{
    regex_t compiled;
    if (!*text)
        return err_set(e, ERR_USAGE, "--causal takes regular expressions: an empty one would match every kernel");
    int rc = pattern_compile(&compiled, text, "--causal", e);
    if (!rc)
        regfree(&compiled);
    return rc;
}

static int read_targets(struct causal_plan *plan, const char *targets, struct err *e)
{
    char *rest = plan->text = strdup(targets);
    if (!rest)
        return err_memory(e);
    int rc = 0;
    for (char *target; !rc && (target = strsep(&rest, ","));) {
        if (plan->target_count == CAUSAL_TARGETS_MAX)
            return err_set(e, ERR_USAGE, "--causal takes at most %d regular expressions", CAUSAL_TARGETS_MAX);
        plan->targets[plan->target_count++] = target;
        rc = check_pattern(target, e);
    }
    return rc;
}

/* Reads one delay, which must be longer than the one before, and returns how many characters it has; 0: it is wrong. */
static size_t read_dose(struct causal_plan *plan, const char *text)
{
    double value = 0;
    enum unit unit = UNIT_NONE;
    const size_t used = plan->dose_count < CAUSAL_DOSES_MAX ? unit_parse(text, &value, &unit) : 0;
    if (!used || unit != UNIT_NS || value < DOSE_NS_MIN || value > DOSE_NS_MAX ||
        (int64_t)value <= plan->doses_ns[plan->dose_count - 1])
        return 0;
    plan->doses_ns[plan->dose_count++] = (int64_t)value;
    return used;
}

static int read_doses(struct causal_plan *plan, const char *doses, struct err *e)
{
    plan->dose_count = 1; /* no delay */
    for (const char *at = doses;; at++) {
        const size_t used = read_dose(plan, at);
        at += used;
        if (used && !*at)
            return 0;
        if (!used || *at != ',')
            return err_set(e, ERR_USAGE,
                           "--doses takes one or two times from 5us to 10ms, the shorter one first, not '%s'", doses);
    }
}

int causal_plan_init(struct causal_plan *plan, const char *targets, const char *doses, struct err *e)
{
    *plan = (struct causal_plan){0};
    int rc = read_targets(plan, targets, e);
    return rc ? rc : read_doses(plan, doses, e);
}

void causal_plan_release(struct causal_plan *plan)
{
    free(plan->text);
    *plan = (struct causal_plan){0};
}
