/* Which stretches of time are shown as examples? */
#include "trace/timeline_set.h"

#include <string.h>

int64_t timeline_example_ns(const struct timeline_example *x)
{
    return x->end_ns - x->start_ns;
}

void timeline_examples_offer(struct timeline_examples *list, const struct timeline_example *x)
{
    size_t place = list->count;
    while (place && timeline_example_ns(x) > timeline_example_ns(&list->items[place - 1]))
        place--;
    if (place == TIMELINE_EXAMPLES)
        return;
    const size_t last = list->count < TIMELINE_EXAMPLES ? list->count++ : TIMELINE_EXAMPLES - 1;
    memmove(&list->items[place + 1], &list->items[place], (last - place) * sizeof list->items[0]);
    list->items[place] = *x;
}
