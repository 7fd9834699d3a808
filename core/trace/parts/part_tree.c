/* Over whom do many processes hand over what they have read? */
#include "core/trace/parts/part_tree.h"

size_t part_tree_parent(size_t p)
{
    return p & (p - 1);
}

size_t part_tree_end(size_t p, size_t processes)
{
    const size_t end = p + (p & ~(p - 1));
    return p && end < processes ? end : processes;
}

size_t part_tree_child(size_t p, size_t other)
{
    size_t step = 1;
    while (step <= (other - p) / 2)
        step *= 2;
    return p + step;
}
