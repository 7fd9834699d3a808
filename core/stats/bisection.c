/* Which commit is to be measured next? */
#include "core/stats/bisection.h"

struct bisection_range bisection_range(const enum bisection_mark *marks, size_t count)
{
    struct bisection_range range = {0, count - 1};
    for (size_t i = count; i-- > 0;)
        if (marks[i] == BISECTION_SLOWER)
            range.bad = i;
    for (size_t i = 0; i < range.bad; i++)
        if (marks[i] == BISECTION_NOT_SLOWER)
            range.good = i;
    return range;
}

size_t bisection_next(const enum bisection_mark *marks, size_t count)
{
    const struct bisection_range range = bisection_range(marks, count);
    const size_t middle = range.good + (range.bad - range.good) / 2;
    size_t best = count, best_distance = count;
    for (size_t i = range.good + 1; i < range.bad; i++) {
        const size_t distance = i < middle ? middle - i : i - middle;
        if (marks[i] == BISECTION_OPEN && distance < best_distance) {
            best = i;
            best_distance = distance;
        }
    }
    return best;
}
