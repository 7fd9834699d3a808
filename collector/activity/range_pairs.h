/* range_pairs.h - NVTX ranges arrive as two markers, a start and an end: which belong together?
 *
 * Buffers complete in any order, so an end may come before its start. */
#ifndef CPPROF_RANGE_PAIRS_H
#define CPPROF_RANGE_PAIRS_H

#include <cupti.h>
#include <stdbool.h>

#include "base/shard_writer.h"

enum { RANGE_PAIRS_MAX = 1 << 20 }; /* open at once; more are lost and counted */

struct range_pairs {
    struct range_half *slots; /* open addressing by marker id; id 0 is free */
    size_t slot_count;
    size_t count;
    size_t looked_at; /* slots before this one are free: range_pairs_next_open */
    uint64_t ends_owed, ends_owed_max;
};

void range_pairs_release(struct range_pairs *p);

/* 1 when the marker makes an event whole (or is one by itself: an nvtxMark), 0
 * when its other half is still to come, ERR_MEMORY when it is lost. */
int range_pairs_take(struct range_pairs *p, const CUpti_ActivityMarker2 *marker, struct shard_writer *shard,
                     struct cpprof_event *event);

/* An end without a beginning, from about `end_ns`, has come or will come, and is
 * no news: it is left out here and below. */
void range_pairs_owe_end(struct range_pairs *p, int64_t end_ns);

/* One range without its other half after another, false when there is none: a
 * start becomes an unfinished event, an end one of no length. Then only this and release. */
bool range_pairs_next_open(struct range_pairs *p, struct cpprof_event *event);

#endif
