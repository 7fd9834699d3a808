/* Which part of a sequence repeats? */
#include "analyzers/capture/repeating_part.h"

#include <stdlib.h>

/* Looks back from `end`: `border` is the failure function of Knuth, Morris and Pratt of the items in reverse, so that
 * `length - border` is the least period of the last `length` items. */
static void look_back(const uint32_t *items, size_t end, uint32_t *border, struct repeating_part *best)
{
    const uint32_t *last = items + end - 1;
    border[0] = 0;
    for (size_t length = 2; length <= end; length++) {
        size_t matched = border[length - 2];
        while (matched && last[-(ptrdiff_t)matched] != last[-(ptrdiff_t)(length - 1)])
            matched = border[matched - 1];
        matched += last[-(ptrdiff_t)matched] == last[-(ptrdiff_t)(length - 1)];
        border[length - 1] = (uint32_t)matched;
        const size_t period = length - matched;
        if (length >= REPEATS_MIN * period && length > best->end - best->first)
            *best = (struct repeating_part){end - length, end, period};
    }
}

int repeating_part_find(const uint32_t *items, size_t count, struct repeating_part *out, struct err *e)
{
    *out = (struct repeating_part){0};
    if (count < REPEATS_MIN)
        return 0;
    uint32_t *border = malloc(count * sizeof *border);
    if (!border)
        return err_memory(e);
    look_back(items, count, border, out);
    for (size_t behind = 1; behind < count && out->end - out->first < count - behind; behind *= 2)
        look_back(items, count - behind, border, out);
    free(border);
    if (2 * (out->end - out->first) < count)
        *out = (struct repeating_part){0};
    return 0;
}
