/* Which words does a process get that times one solution of a task? */
#include "record/solution_alone.h"

#include <stdlib.h>
#include <string.h>

#include "base/words.h"

/* The command line names a solution with its task, "TASK/NAME", or without it. */
static const char *without_task(const char *variant)
{
    const char *slash = strchr(variant, '/');
    return slash ? slash + 1 : variant;
}

static bool is_same(const char *variant, const char *other)
{
    return !strcmp(without_task(variant), without_task(other));
}

/* Does "NAME=THING" load the variant? */
static bool loads(const char *load, const char *variant)
{
    const size_t length = words_name_length(load);
    const char *name = without_task(variant);
    return length && !strncmp(name, load, length) && !name[length];
}

/* All libraries are a task and its solutions, and each variant is one of these. */
static bool are_solutions(const struct runner_arguments *a)
{
    size_t tasks = 0;
    for (size_t i = 0; i < a->count; i++) {
        const char *load = runner_argument_value(a->items[i], "--load="),
                   *variant = runner_argument_value(a->items[i], "--variant=");
        bool is_loaded = !variant;
        tasks += load && !words_name_length(load);
        for (size_t k = 0; k < a->count && !is_loaded; k++)
            is_loaded = runner_argument_value(a->items[k], "--load=") &&
                        loads(runner_argument_value(a->items[k], "--load="), variant);
        if (!is_loaded)
            return false;
    }
    return tasks == 1;
}

/* The arms of a group: the baseline, then the others in their order. NULL: there are not as many. */
static const char *arm_of(const struct runner_arguments *a, long arm)
{
    const char *baseline = runner_arguments_find(a, "--baseline=");
    if (baseline && arm-- == 0)
        return baseline;
    for (size_t i = 0; i < a->count; i++) {
        const char *variant = runner_argument_value(a->items[i], "--variant=");
        if (variant && !(baseline && is_same(variant, baseline)) && arm-- == 0)
            return variant;
    }
    return NULL;
}

static bool is_kept(const char *word, const char *variant)
{
    const char *load = runner_argument_value(word, "--load="), *other = runner_argument_value(word, "--variant=");
    other = other ? other : runner_argument_value(word, "--baseline=");
    if (load && words_name_length(load))
        return loads(load, variant);
    return !other || is_same(other, variant);
}

int solution_alone_arguments(struct runner_arguments *out, const struct runner_arguments *from, bool *is_alone,
                             struct err *e)
{
    const char *schedule = runner_arguments_find(from, "--schedule="), *arm = runner_arguments_find(from, "--arm=");
    const char *variant = NULL;
    int rc = 0;
    if (schedule && !strcmp(schedule, "process") && runner_arguments_find(from, "--method=") && arm &&
        are_solutions(from))
        variant = arm_of(from, atol(arm));
    *is_alone = variant != NULL;
    for (size_t i = 0; i < from->count && variant && !rc; i++)
        if (runner_argument_value(from->items[i], "--arm="))
            rc = runner_argument(out, e, "--arm=0");
        else if (is_kept(from->items[i], variant))
            rc = runner_argument(out, e, "%s", from->items[i]);
    return rc;
}
