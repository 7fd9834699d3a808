/* host_waits.h - in which calls does the host wait? The one definition, for whatever
 * shows or blames waits (docs/stats.md).
 *
 * A call that synchronises; and a copy or memset that returned only when all of its
 * work was done, as cudaMemcpy does. All of the call is the wait. */
#ifndef CPPROF_HOST_WAITS_H
#define CPPROF_HOST_WAITS_H

#include <stdbool.h>

#include "model/launch_join.h"

/* A call that synchronises, and has returned. */
bool host_waits_in(const struct cpprof_event *event);

/* Of the calls of a join with all their work, one part after the other. */
struct host_wait_search {
    struct launched call; /* the first part */
    bool waited;          /* for all parts so far */
};

/* The next part in the order of the join, NULL behind the last one: true when the
 * call before it is complete and was a copy that waited: it is in *call then. */
bool host_waits_next(struct host_wait_search *s, const struct launched *part, struct launched *call);

#endif
