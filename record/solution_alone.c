/* Which words does a process get that times one solution of a task? */
#include "record/solution_alone.h"

#include <stdlib.h>
#include <string.h>

#include "base/words.h"

/* Returns THING of "--load=THING", or NULL if the word is another option. */
static const char *value_of(const char *word, const char *option)
{
    const size_t length = strlen(option);
    return !strncmp(word, option, length) ? word + length : NULL;
}

static const char *find(const struct runner_arguments *a, const char *option)
{
    const char *found = NULL;
    for (size_t i = 0; i < a->count && !found; i++)
        found = value_of(a->items[i], option);
    return found;
}

/* Does "NAME=THING" load the variant "TASK/NAME"? */
static bool loads(const char *load, const char *variant)
{
    const size_t length = words_name_length(load);
    const char *name = strchr(variant, '/');
    return length && name && !strncmp(name + 1, load, length) && !name[1 + length];
}

/* Beside a function of a Python file all launches are made as its are. */
static bool is_function(const char *load)
{
    const size_t length = words_name_length(load);
    return length && words_python_length(load + length + 1);
}

/* All libraries are a task and its solutions, and each variant is one of these. */
static bool are_solutions(const struct runner_arguments *a)
{
    size_t tasks = 0;
    for (size_t i = 0; i < a->count; i++) {
        const char *load = value_of(a->items[i], "--load="), *variant = value_of(a->items[i], "--variant=");
        bool is_loaded = !variant;
        if (load && is_function(load))
            return false;
        tasks += load && !words_name_length(load);
        for (size_t k = 0; k < a->count && !is_loaded; k++)
            is_loaded = value_of(a->items[k], "--load=") && loads(value_of(a->items[k], "--load="), variant);
        if (!is_loaded)
            return false;
    }
    return tasks == 1;
}

/* The arms of a group: the baseline, then the others in their order. NULL: there are not as many. */
static const char *arm_of(const struct runner_arguments *a, long arm)
{
    const char *baseline = find(a, "--baseline=");
    if (baseline && arm-- == 0)
        return baseline;
    for (size_t i = 0; i < a->count; i++) {
        const char *variant = value_of(a->items[i], "--variant=");
        if (variant && !(baseline && !strcmp(variant, baseline)) && arm-- == 0)
            return variant;
    }
    return NULL;
}

static bool is_kept(const char *word, const char *variant)
{
    const char *load = value_of(word, "--load="), *other = value_of(word, "--variant=");
    other = other ? other : value_of(word, "--baseline=");
    if (load && words_name_length(load))
        return loads(load, variant);
    return !other || !strcmp(other, variant);
}

int solution_alone_arguments(struct runner_arguments *out, const struct runner_arguments *from, bool *is_alone,
                             struct err *e)
{
    const char *schedule = find(from, "--schedule="), *arm = find(from, "--arm=");
    const char *variant = NULL;
    int rc = 0;
    if (schedule && !strcmp(schedule, "process") && find(from, "--method=") && arm && are_solutions(from))
        variant = arm_of(from, atol(arm));
    *is_alone = variant != NULL;
    for (size_t i = 0; i < from->count && variant && !rc; i++)
        if (value_of(from->items[i], "--arm="))
            rc = runner_argument(out, e, "--arm=0");
        else if (is_kept(from->items[i], variant))
            rc = runner_argument(out, e, "%s", from->items[i]);
    return rc;
}
