/* Which stretches of time are shown as examples? */
#include "core/trace/timeline_set.h"

#include <string.h>

void timeline_examples_offer(struct timeline_examples *list, const struct timeline_example *x)
{
    size_t place = list->count;
    if (!timeline_examples_take(list, x))
        return;
    while (place && timeline_example_ns(x) > timeline_example_ns(&list->items[place - 1]))
        place--;
    const size_t last = list->count < TIMELINE_EXAMPLES ? list->count++ : TIMELINE_EXAMPLES - 1;
    memmove(&list->items[place + 1], &list->items[place], (last - place) * sizeof list->items[0]);
    list->items[place] = *x;
}
