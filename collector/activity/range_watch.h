/* range_watch.h - ranges that the collector itself sees begin and end, beside CUPTI's records of ranges.
 *
 * The range that switches recording on began before: CUPTI has a record of its
 * end only. So all ranges of that name come from whoever watches for it, and
 * CUPTI's records of them, where there are any, are passed over. */
#ifndef CPPROF_RANGE_WATCH_H
#define CPPROF_RANGE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct seen_range {
    int64_t start_ns, end_ns; /* of the events' clock */
    uint32_t thread;          /* that began it */
    const char *domain;       /* "" for the default one; stays */
    bool is_unfinished;
    bool left_end; /* CUPTI made a record of its end and none of its beginning */
};

/* The functions are called by the thread that decodes. */
struct range_watch {
    const char *range, *domain; /* domain NULL: any */

    /* One range after another that has ended while it was recorded; with `all`,
     * then those that are still open. False when there is none. */
    bool (*next)(bool all, struct seen_range *out);

    /* Ranges that were lost since the last call, for lack of room. */
    uint64_t (*lost)(void);
};

#endif
