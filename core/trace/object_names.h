/* object_names.h - which names does a program give its threads, devices, contexts and streams? */
#ifndef CPPROF_OBJECT_NAMES_H
#define CPPROF_OBJECT_NAMES_H

#include <stddef.h>
#include <stdint.h>

enum { OBJECT_NAMES_MAX = 65536 }; /* a limit for hostile input */

struct object_name {
    int16_t rank;
    uint32_t object;  /* enum cpprof_named_object */
    uint32_t context; /* context of a stream, else 0 */
    uint32_t id;      /* as in the events: thread, device, context or stream */
    uint32_t name;    /* string id */
    uint32_t row;     /* set by object_names_add: a later one replaces an earlier one */
};

struct object_names {
    struct object_name *items;
    size_t count, capacity;
    size_t left_out; /* names beyond OBJECT_NAMES_MAX */
};

/* Appends a name. Returns 0 or ERR_MEMORY. */
int object_names_add(struct object_names *n, const struct object_name *name);

/* Sorts the names by rank, object, context and id, and keeps the last name of each object. Call it once, after the last
 * one was added. */
void object_names_sort(struct object_names *n);

void object_names_release(struct object_names *n);

#endif
