/* How do arrays grow? */
#include "core/base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int array_reserve(void **items, size_t *capacity, size_t need, size_t item_bytes)
{
    if (need <= *capacity)
        return 0;
    size_t grown = *capacity ? *capacity : 8;
    while (grown < need) {
        if (grown > SIZE_MAX / 2)
            return -1;
        grown *= 2;
    }
    if (grown > SIZE_MAX / item_bytes)
        return -1;
    void *moved = realloc(*items, grown * item_bytes);
    if (!moved)
        return -1;
    *items = moved;
    *capacity = grown;
    return 0;
}

void array_zero(void *item, size_t item_bytes)
{
    memset(item, 0, item_bytes);
}
