/* Which targets does `--causal` delay, and by which times? */
#define _GNU_SOURCE
#include "core/base/causal_plan.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/pattern.h"
#include "core/base/units.h"

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

/* Returns what is behind the prefix and its colon; NULL: it is not there. Two colons are a name of C++. */
static const char *behind(const char *text, const char *prefix)
{
    const size_t length = strlen(prefix);
    return !strncmp(text, prefix, length) && text[length] == ':' && text[length + 1] != ':' ? text + length + 1 : NULL;
}

static int read_copies(struct causal_target *t, const char *kind, struct err *e)
{
    static const struct {
        const char *name;
        enum cpprof_copy_kind kind;
    } kinds[] = {{"any", CPPROF_COPY_UNKNOWN},
                 {"h2d", CPPROF_COPY_H2D},
                 {"d2h", CPPROF_COPY_D2H},
                 {"d2d", CPPROF_COPY_D2D},
                 {"p2p", CPPROF_COPY_P2P}};
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (!strcmp(kinds[i].name, kind)) {
            t->copies = kinds[i].kind;
            return 0;
        }
    return err_set(e, ERR_USAGE, "--causal takes copy:h2d, copy:d2h, copy:d2d, copy:p2p or copy:any, not '%s'",
                   t->text);
}

int causal_target_read(struct causal_target *t, const char *text, struct err *e)
{
    const char *of_host = behind(text, "host"), *what = of_host ? of_host : text, *copies = behind(what, "copy");
    *t = (struct causal_target){.text = text, .on_host = of_host, .pattern = copies ? NULL : what};
    return copies ? read_copies(t, copies, e) : check_pattern(what, e);
}

static int read_targets(struct causal_plan *plan, const char *targets, struct err *e)
{
    char *rest = plan->text = strdup(targets);
    if (!rest)
        return err_memory(e);
    int rc = 0;
    for (char *target; !rc && (target = strsep(&rest, ","));) {
        if (plan->target_count == CAUSAL_TARGETS_MAX)
            return err_set(e, ERR_USAGE, "--causal takes at most %d targets", CAUSAL_TARGETS_MAX);
        rc = causal_target_read(&plan->targets[plan->target_count++], target, e);
    }
    return rc;
}

/* Reads one delay, which must be longer than the one before, and returns how many characters it has; 0: it is wrong. */
static size_t read_dose(struct causal_plan *plan, const char *text)
{
    double value = 0;
    enum unit unit = UNIT_NONE;
    const size_t used = plan->dose_count < CAUSAL_DOSES_MAX ? unit_parse(text, &value, &unit) : 0;
    if (!used || unit != UNIT_NS || value < CAUSAL_DOSE_NS_MIN || value > CAUSAL_DOSE_NS_MAX ||
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
