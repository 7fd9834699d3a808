/* host_waits.h - in which calls does the host wait? The only definition, for all code that shows or judges waits
 * (docs/stats.md).
 *
 * Two kinds of calls wait: a call that synchronises, and a copy or memset that returned only when all of its work was
 * done, as cudaMemcpy does. The whole call counts as the wait. Traces of HIP have two clocks. There, a copy that blocks
 * by its name is also a wait when its work ends a little after the call returned. */
#ifndef CPPROF_HOST_WAITS_H
#define CPPROF_HOST_WAITS_H

#include <stdbool.h>

#include "core/base/strtab.h"
#include "core/trace/launch_join.h"

/* How far the host's clock may be behind the device's in a trace of HIP. */
enum { HOST_WAITS_SKEW_NS = 10000 };

/* Is it a call that synchronises and has returned? */
bool host_waits_in(const struct cpprof_event *event);

/* Goes through the calls of a join with all their work, part by part. */
struct host_wait_search {
    const struct strtab *names; /* the string table of the stream */
    struct launched call;       /* the first part, with the last end of all parts so far */
    bool waited;                /* true for all parts so far */
};

/* Takes the next part in the order of the join, NULL after the last one. Returns true when this completes a call that
 * was a copy that waited: *call is that call, with the last end of its work in end_ns. */
bool host_waits_next(struct host_wait_search *s, const struct launched *part, struct launched *call);

#endif
