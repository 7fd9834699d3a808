/* range_pairs.h - NVTX ranges arrive as two markers, a start and an end: which belong together?
 *
 * Buffers complete in any order, so an end may come before its start. */
#ifndef CPPROF_RANGE_PAIRS_H
#define CPPROF_RANGE_PAIRS_H

#include <cupti.h>
#include <stdbool.h>

#include "core/base/shard_writer.h"

enum { RANGE_PAIRS_MAX = 1 << 20 }; /* ranges open at once; more are lost and counted */

struct range_pairs {
    struct range_half *slots; /* open addressing by marker id; id 0: free */
    size_t slot_count;
    size_t count;
    size_t looked_at; /* all slots before this one are free: for range_pairs_next_open */
    uint64_t ends_owed, ends_owed_max;
};

void range_pairs_release(struct range_pairs *p);

/* Takes a marker. Returns 1 when it completes an event (or is one by itself: an nvtxMark), 0 when its other half is
 * still missing, ERR_MEMORY when it is lost. */
int range_pairs_take(struct range_pairs *p, const CUpti_ActivityMarker2 *marker, struct shard_writer *shard,
                     struct cpprof_event *event);

/* Announces that an end without a beginning, at about `end_ns`, has come or will come. It is known from elsewhere and
 * is left out here and below. */
void range_pairs_owe_end(struct range_pairs *p, int64_t end_ns);

/* Gives the ranges without other half one by one; returns false when there are no more. A start becomes an unfinished
 * event, an end an event of no length. After the first call only this function and release may be used. */
bool range_pairs_next_open(struct range_pairs *p, struct cpprof_event *event);

#endif
