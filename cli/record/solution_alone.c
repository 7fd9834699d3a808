/* Which words does a process get that has one solution of a task, or all but some? */
#include "cli/record/solution_alone.h"

#include <stdlib.h>
#include <string.h>

#include "cli/record/python_runner.h"
#include "core/base/array.h"
#include "core/base/words.h"

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

bool solution_alone_can(const struct runner_arguments *a)
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

/* Of a word that is about a solution: is it one of these? */
static bool is_of(const struct solution_loads *some, const char *variant)
{
    for (size_t i = 0; i < some->count; i++)
        if (loads(some->items[i], variant))
            return true;
    return false;
}

/* Keeps what is of `some`, or what is not, and all words that are about no solution. */
static bool is_kept(const char *word, const struct solution_loads *some, bool keep)
{
    const char *load = runner_argument_value(word, "--load="), *variant = runner_argument_value(word, "--variant=");
    variant = variant ? variant : runner_argument_value(word, "--baseline=");
    if (load && words_name_length(load))
        return solution_loads_have(some, load) == keep;
    return !variant || is_of(some, variant) == keep;
}

static int copy_words(struct runner_arguments *out, const struct runner_arguments *from,
                      const struct solution_loads *some, bool keep, long arm, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < from->count && !rc; i++)
        if (runner_argument_value(from->items[i], "--arm="))
            rc = runner_argument(out, e, "--arm=%ld", arm);
        else if (is_kept(from->items[i], some, keep))
            rc = runner_argument(out, e, "%s", from->items[i]);
    return rc;
}

int solution_alone_words(struct runner_arguments *out, const struct runner_arguments *from, const char *load,
                         struct err *e)
{
    const struct solution_loads one = {.items = &load, .count = 1};
    return copy_words(out, from, &one, true, 0, e);
}

/* -1: it is one of those that are left out. */
static long arm_without(const struct runner_arguments *from, const struct solution_loads *without)
{
    const char *text = runner_arguments_find(from, "--arm=");
    const long arm = text ? atol(text) : 0;
    long left = arm;
    for (long i = 0; text && i <= arm; i++) {
        const char *variant = arm_of(from, i);
        if (!variant || !is_of(without, variant))
            continue;
        if (i == arm)
            return -1;
        left--;
    }
    return left;
}

int solution_alone_without(struct runner_arguments *out, const struct runner_arguments *from,
                           const struct solution_loads *without, bool *is_any, struct err *e)
{
    const long arm = arm_without(from, without);
    const int rc = copy_words(out, from, without, false, arm, e);
    *is_any = false;
    for (size_t i = 0; i < out->count && arm >= 0; i++)
        *is_any |= runner_argument_value(out->items[i], "--variant=") != NULL;
    return rc;
}

/* Beside one all launches are made as its are, in graphs: alone, a library's would be made in another way. */
static bool has_python(const struct runner_arguments *a)
{
    for (size_t i = 0; i < a->count; i++) {
        const char *load = runner_argument_value(a->items[i], "--load=");
        if (load && python_runner_takes(load))
            return true;
    }
    return false;
}

int solution_alone_arguments(struct runner_arguments *out, const struct runner_arguments *from, bool *is_alone,
                             struct err *e)
{
    const char *schedule = runner_arguments_find(from, "--schedule="), *arm = runner_arguments_find(from, "--arm=");
    const char *variant = NULL, *load = NULL;
    if (schedule && !strcmp(schedule, "process") && runner_arguments_find(from, "--method=") && arm &&
        solution_alone_can(from) && !has_python(from))
        variant = arm_of(from, atol(arm));
    for (size_t i = 0; i < from->count && variant && !load; i++) {
        load = runner_argument_value(from->items[i], "--load=");
        load = load && loads(load, variant) ? load : NULL;
    }
    *is_alone = load != NULL;
    return load ? solution_alone_words(out, from, load, e) : 0;
}

int solution_loads_of(struct solution_loads *out, const struct runner_arguments *a, struct err *e)
{
    for (size_t i = 0; i < a->count; i++) {
        const char *load = runner_argument_value(a->items[i], "--load=");
        const char **slot = load && words_name_length(load) ? ARRAY_PUSH(out) : &load;
        if (!slot)
            return err_memory(e);
        *slot = load;
    }
    return 0;
}

bool solution_loads_have(const struct solution_loads *l, const char *load)
{
    for (size_t i = 0; i < l->count; i++)
        if (!strcmp(l->items[i], load))
            return true;
    return false;
}

void solution_loads_release(struct solution_loads *l)
{
    free(l->items);
    *l = (struct solution_loads){0};
}
