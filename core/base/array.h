/* array.h - a growable array is three fields: items, count, capacity. */
#ifndef CPPROF_ARRAY_H
#define CPPROF_ARRAY_H

#include <stddef.h>

/* Makes room for `need` items of `item_bytes`, doubling. Returns 0, or -1 when
 * memory is out (the array is unchanged). */
int array_reserve(void **items, size_t *capacity, size_t need, size_t item_bytes);

/* Reserves one more slot, zeroed, and yields a pointer to it; NULL when memory is out. `a` points to a struct with the
 * fields items, count and capacity. */
#define ARRAY_PUSH(a)                                                                                                  \
    (array_reserve((void **)&(a)->items, &(a)->capacity, (a)->count + 1, sizeof *(a)->items)                           \
         ? NULL                                                                                                        \
         : (array_zero(&(a)->items[(a)->count], sizeof *(a)->items), &(a)->items[(a)->count++]))

/* Declares the three fields. */
#define ARRAY_OF(type)                                                                                                 \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        size_t count, capacity;                                                                                        \
    }

/* Sets `item_bytes` at `item` to zero. */
void array_zero(void *item, size_t item_bytes);

#endif
