/* key_table.h - gives each distinct pair of numbers a small id. Ids count from 1. */
#ifndef CPPROF_KEY_TABLE_H
#define CPPROF_KEY_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct key_table { /* starts zeroed */
    uint64_t *items;
    size_t count, capacity;
    uint32_t *slots; /* open addressing; each slot holds an id, 0 when it is free */
    size_t slot_count;
};

void key_table_release(struct key_table *t);

/* Returns the id of a pair such as (rank, thread) or (rank, device), added if new; 0 when memory is out. */
uint32_t key_table_add(struct key_table *t, int32_t a, uint32_t b);

/* Returns the id of a pair; 0 when it was never added. */
uint32_t key_table_find(const struct key_table *t, int32_t a, uint32_t b);

#endif
