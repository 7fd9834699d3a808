/* host_waits.h - in which calls does the host wait? The one definition, for whatever
 * shows or blames waits (docs/stats.md).
 *
 * A call that synchronises; and a copy or memset that returned only when all of its
 * work was done, as cudaMemcpy does. All of the call is the wait. Traces of HIP have
 * two clocks: there a copy that blocks by its name is a wait, too, when its work ends
 * a little after the call returned. */
#ifndef CPPROF_HOST_WAITS_H
#define CPPROF_HOST_WAITS_H

#include <stdbool.h>

#include "base/strtab.h"
#include "trace/launch_join.h"

/* By so much the clock of the host may be behind that of the device in a trace of HIP. */
enum { HOST_WAITS_SKEW_NS = 10000 };

/* A call that synchronises, and has returned. */
bool host_waits_in(const struct cpprof_event *event);

/* The calls of a join with all their work, one part after the other. */
struct host_wait_search {
    const struct strtab *names; /* of the stream */
    struct launched call;       /* the first part, and the last end of all so far */
    bool waited;                /* for all parts so far */
};

/* The next part in the order of the join, NULL behind the last one: true when the
 * call before it is complete and was a copy that waited: it is in *call then, with
 * the last end of its work in end_ns. */
bool host_waits_next(struct host_wait_search *s, const struct launched *part, struct launched *call);

#endif
