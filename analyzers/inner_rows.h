/* inner_rows.h - rows inside a row, as the lists and objects of its columns. For the files that list columns. */
#ifndef CPPROF_INNER_ROWS_H
#define CPPROF_INNER_ROWS_H

#include <stddef.h>

#include "core/base/count_of.h"

/* A member that points at rows, and a member that counts them. */
#define LIST_OF(name, type, rows, row_count)                                                                           \
    static size_t name(const void *row, const void *context, const void **items)                                       \
    {                                                                                                                  \
        const type *outer = row;                                                                                       \
        (void)context;                                                                                                 \
        *items = outer->rows;                                                                                          \
        return outer->row_count;                                                                                       \
    }

/* A member that is an array, whole. */
#define ALL_OF(name, type, array)                                                                                      \
    static size_t name(const void *row, const void *context, const void **items)                                       \
    {                                                                                                                  \
        const type *outer = row;                                                                                       \
        (void)context;                                                                                                 \
        *items = outer->array;                                                                                         \
        return COUNT_OF(outer->array);                                                                                 \
    }

/* A member that is a row itself, and always known. */
#define PART_OF(name, type, part)                                                                                      \
    static size_t name(const void *row, const void *context, const void **items)                                       \
    {                                                                                                                  \
        const type *outer = row;                                                                                       \
        (void)context;                                                                                                 \
        *items = &outer->part;                                                                                         \
        return 1;                                                                                                      \
    }

#endif
