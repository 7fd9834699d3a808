/* Does every launch that was counted come to the same bound? */
#include "analyzers/bounds/bound_repeats.h"

#include <stdlib.h>
#include <string.h>

#include "analyzers/bounds/bound_inputs.h"

static bool same(enum bound_class class_, const char *bound_by, enum bound_class other, const char *other_bound_by)
{
    return class_ == other && !strcmp(bound_by, other_bound_by);
}

static int most_first(const void *left, const void *right)
{
    const struct bound_tally *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    if (a->class_ != b->class_)
        return a->class_ < b->class_ ? -1 : 1;
    return strcmp(a->bound_by, b->bound_by);
}

/* Memory for as many tallies as there are repeats, which is more than they need. */
static void add(struct bound *b, enum bound_class class_, const char *bound_by)
{
    size_t i = 0;
    while (i < b->tally_count && !same(b->tallies[i].class_, b->tallies[i].bound_by, class_, bound_by))
        i++;
    if (i == b->tally_count)
        b->tallies[b->tally_count++] = (struct bound_tally){class_, bound_by, 0};
    b->tallies[i].count++;
}

int bound_judge_repeats(struct analysis *a, struct bound *b, const struct counters_list *list,
                        const struct counters *of, struct err *e)
{
    b->repeats = of ? (int64_t)of->repeat_count : 0;
    b->agreeing = 0;
    b->tally_count = 0;
    b->tallies = b->repeats ? arena_alloc(&a->arena, of->repeat_count * sizeof *b->tallies) : NULL;
    if (b->repeats && !b->tallies)
        return err_memory(e);
    for (size_t i = 0; i < (size_t)b->repeats; i++) {
        const struct bound_inputs in =
            bound_inputs_gather(a, &list->repeats.items[of->first_repeat + i], b->arm, of->kernel);
        const struct bound_record made = bound_inputs_decide(&in);
        add(b, made.class_, made.bound_by);
        b->agreeing += same(made.class_, made.bound_by, b->class_, b->bound_by);
    }
    if (b->tally_count)
        qsort(b->tallies, b->tally_count, sizeof *b->tallies, most_first);
    return 0;
}

/* "memory-bound dram", or "launch-bound" where nothing limits. */
bool bound_is_as_stated(const struct bound *b)
{
    const char *class_ = bound_class_name(b->class_);
    const size_t length = strlen(class_);
    if (strncmp(b->stated, class_, length))
        return false;
    const char *rest = b->stated + length;
    return *b->bound_by ? *rest == ' ' && !strcmp(rest + 1, b->bound_by) : !*rest;
}
