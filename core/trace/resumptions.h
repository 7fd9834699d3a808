/* resumptions.h - when did recording pause in the middle of a program?
 *
 * Nobody knows what a GPU did while nothing was recorded. So a stretch without work that has a part in a pause is no
 * idle time. Both ends of a pause are stamps of the host: the GPU may still run what was recorded before, and may have
 * begun what is recorded again a little earlier. */
#ifndef CPPROF_RESUMPTIONS_H
#define CPPROF_RESUMPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct resumption {
    int32_t rank;
    int64_t paused_ns, time_ns; /* its end lies between these, on the events' clock */
};

struct resumptions { /* starts zeroed */
    struct resumption *items;
    size_t count, capacity;
};

/* Recording that only begins has paused from the same moment. Returns 0 or ERR_MEMORY. */
int resumptions_add(struct resumptions *r, int32_t rank, int64_t paused_ns, int64_t time_ns);
void resumptions_sort(struct resumptions *r);
void resumptions_release(struct resumptions *r);

/* Does a pause have a part in [from_ns, to_ns]? They must be sorted. */
bool resumptions_within(const struct resumptions *r, int32_t rank, int64_t from_ns, int64_t to_ns);

#endif
