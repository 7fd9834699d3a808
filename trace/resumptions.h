/* resumptions.h - when did recording go on again in the middle of a program?
 *
 * Nobody knows what a GPU did while nothing was recorded. So a stretch without work in which recording went on again is
 * no idle time. (While it was off, the GPU may still run what was recorded, so the moment it went off says little.) */
#ifndef CPPROF_RESUMPTIONS_H
#define CPPROF_RESUMPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct resumption {
    int32_t rank;
    int64_t time_ns; /* on the events' clock */
};

struct resumptions { /* starts zeroed */
    struct resumption *items;
    size_t count, capacity;
};

int resumptions_add(struct resumptions *r, int32_t rank, int64_t time_ns); /* 0, or ERR_MEMORY */
void resumptions_sort(struct resumptions *r);
void resumptions_release(struct resumptions *r);

/* Did recording go on in [from_ns, to_ns]? They must be sorted. */
bool resumptions_within(const struct resumptions *r, int32_t rank, int64_t from_ns, int64_t to_ns);

#endif
