/* range_watch.h - ranges whose begin and end the collector itself observes, besides CUPTI's records of ranges.
 *
 * The range that switches recording on began before recording did, so CUPTI has only a record of its end. Therefore all
 * ranges of that name come from the module that watches for it, and CUPTI's records of them are ignored. */
#ifndef CPPROF_RANGE_WATCH_H
#define CPPROF_RANGE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct seen_range {
    int64_t start_ns, end_ns; /* on the events' clock */
    uint32_t thread;          /* the thread that began it */
    const char *domain;       /* "" for the default one; the text stays valid */
    bool is_unfinished;
    bool left_end; /* CUPTI has a record of its end and none of its beginning */
};

/* The thread that decodes calls these functions. */
struct range_watch {
    const char *range, *domain; /* domain NULL: any */

    /* Gives one range after another that has ended while it was recorded; with `all`, then those that are still open.
     * Returns false when there are no more. */
    bool (*next)(bool all, struct seen_range *out);

    /* Returns how many ranges were lost since the last call for lack of room. */
    uint64_t (*lost)(void);
};

#endif
