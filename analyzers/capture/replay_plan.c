/* Which launches of a program should be replayed? */
#include "analyzers/capture/replay_plan.h"

#include <stdbool.h>
#include <stdlib.h>

#include "analyzers/capture/traced_launches.h"

static const double least_share = 0.01;

static const char nothing_left[] = "no kernel is launched by a call of its own";

static int by_number(const void *left, const void *right)
{
    const size_t a = *(const size_t *)left, b = *(const size_t *)right;
    return (a > b) - (a < b);
}

static double duration_of(const struct traced_launches *t, const struct traced_kernel *k, size_t number)
{
    return (double)t->launches.items[k->first + number].duration_ns;
}

/* The first, and each that none of those stands for: without it nothing is known of the kernel. */
static size_t find_needed(const struct traced_launches *t, const struct traced_kernel *k, const size_t *numbers,
                          size_t count, size_t *needed)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_represented = false;
        for (size_t n = 0; n < found && !is_represented; n++)
            is_represented = traced_launches_are_alike(duration_of(t, k, needed[n]), duration_of(t, k, numbers[i]));
        if (!is_represented)
            needed[found++] = numbers[i];
    }
    return found;
}

static bool is_among(const size_t *numbers, size_t count, size_t number)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

/* Numbers ascend, the median one comes first before. What is needed is replayed in any case, the others while there is
 * plenty of time. */
static int add_line(struct replay_plan *plan, const struct traced_launches *t, const struct traced_kernel *k,
                    struct err *e)
{
    struct err failed = {0};
    size_t numbers[LAUNCHES_CHOSEN_MAX], needed[LAUNCHES_CHOSEN_MAX];
    const size_t count = traced_launches_choose(t, k, numbers, &failed);
    if (failed.code)
        return err_memory(e);
    const size_t needed_count = find_needed(t, k, numbers, count, needed);
    qsort(numbers, count, sizeof *numbers, by_number);
    for (size_t i = 0; i < count; i++)
        str_addf(&plan->list, "%s%zu%s", i ? "," : "", numbers[i],
                 is_among(needed, needed_count, numbers[i]) ? "" : "?");
    str_addf(&plan->list, " %s\n", strtab_text(&t->texts, k->text));
    plan->launches += count;
    plan->kernels++;
    return plan->list.failed ? err_memory(e) : 0;
}

int replay_plan_make(struct replay_plan *plan, struct event_stream *stream, struct err *e)
{
    struct traced_launches t;
    *plan = (struct replay_plan){0};
    str_init(&plan->list);
    int rc = traced_launches_read(&t, stream, e);
    plan->why = t.why ? t.why : nothing_left;
    for (size_t i = 0; i < t.kernels.count && i < REPLAY_KERNELS_MAX && !rc && !t.why; i++)
        if (t.kernels.items[i].total_ns >= least_share * t.total_ns)
            rc = add_line(plan, &t, &t.kernels.items[i], e);
    traced_launches_release(&t);
    return rc;
}

void replay_plan_release(struct replay_plan *plan)
{
    str_release(&plan->list);
}
