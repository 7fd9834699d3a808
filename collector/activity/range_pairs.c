/* Which NVTX start and end are one range? */
#include "collector/activity/range_pairs.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_FIRST = 256, OWED_ENDS_MANY = 64 * 1024 };

/* A beginning that is still missing after this time will not come. */
static const int64_t OWED_END_AGE_NS = 10000000000;

struct range_half {
    uint32_t id;
    bool is_end;
    struct cpprof_event event; /* of a start everything but its end; of an end only its time */
};

void range_pairs_release(struct range_pairs *p)
{
    free(p->slots);
    *p = (struct range_pairs){0};
}

static size_t home(const struct range_pairs *p, uint32_t id)
{
    return (id * 2654435769u) & (p->slot_count - 1);
}

/* Returns the slot of the id, or the free one where it belongs. */
static struct range_half *find(const struct range_pairs *p, uint32_t id)
{
    size_t i = home(p, id);
    while (p->slots[i].id && p->slots[i].id != id)
        i = (i + 1) & (p->slot_count - 1);
    return &p->slots[i];
}

static int grow(struct range_pairs *p)
{
    const size_t count = p->slot_count ? p->slot_count * 2 : SLOTS_FIRST;
    struct range_half *slots = count <= 2 * (size_t)RANGE_PAIRS_MAX ? calloc(count, sizeof *slots) : NULL;
    if (!slots)
        return ERR_MEMORY;
    struct range_pairs old = *p;
    p->slots = slots;
    p->slot_count = count;
    for (size_t i = 0; i < old.slot_count; i++)
        if (old.slots[i].id)
            *find(p, old.slots[i].id) = old.slots[i];
    free(old.slots);
    return 0;
}

/* Later entries move up, so that each is still found from its home slot on. */
static void forget(struct range_pairs *p, struct range_half *half)
{
    size_t hole = (size_t)(half - p->slots);
    for (size_t i = hole;;) {
        i = (i + 1) & (p->slot_count - 1);
        if (!p->slots[i].id)
            break;
        const size_t from_home = (i - home(p, p->slots[i].id)) & (p->slot_count - 1);
        if (from_home >= ((i - hole) & (p->slot_count - 1))) {
            p->slots[hole] = p->slots[i];
            hole = i;
        }
    }
    p->slots[hole].id = 0;
    p->count--;
}

static struct cpprof_event begun(const CUpti_ActivityMarker2 *marker, struct shard_writer *shard)
{
    return (struct cpprof_event){
        .start_ns = (int64_t)marker->timestamp,
        .end_ns = (int64_t)marker->timestamp,
        .kind = CPPROF_EVENT_RANGE,
        .name = shard_writer_label(shard, marker->name),
        .device = -1,
        .rank = -1,
        .thread =
            marker->objectKind == CUPTI_ACTIVITY_OBJECT_THREAD || marker->objectKind == CUPTI_ACTIVITY_OBJECT_PROCESS
                ? marker->objectId.pt.threadId
                : 0,
        .detail = marker->domain && *marker->domain ? shard_writer_label(shard, marker->domain) : 0,
    };
}

int range_pairs_take(struct range_pairs *p, const CUpti_ActivityMarker2 *marker, struct shard_writer *shard,
                     struct cpprof_event *event)
{
    const bool is_end = marker->flags & CUPTI_ACTIVITY_FLAG_MARKER_END;
    *event = begun(marker, shard);
    if (!is_end && !(marker->flags & CUPTI_ACTIVITY_FLAG_MARKER_START))
        return 1; /* a moment, not a range */
    if (!marker->id || (p->count + 1 > p->slot_count / 2 && grow(p)))
        return ERR_MEMORY;
    struct range_half *half = find(p, marker->id);
    if (!half->id) {
        *half = (struct range_half){marker->id, is_end, *event};
        p->count++;
        return 0;
    }
    if (half->is_end == is_end) { /* the id is used again: the open one stays without its other half */
        struct cpprof_event orphan = half->event;
        half->event = *event;
        *event = orphan;
        event->flags |= is_end ? 0 : CPPROF_EVENT_UNFINISHED;
        return 1;
    }
    const int64_t other_ns = half->event.start_ns;
    if (is_end) {
        event->end_ns = event->start_ns;
        *event = half->event;
        event->end_ns = (int64_t)marker->timestamp;
    } else {
        event->end_ns = other_ns;
    }
    if (event->end_ns < event->start_ns)
        event->end_ns = event->start_ns;
    forget(p, half);
    return 1;
}

bool range_pairs_next_open(struct range_pairs *p, struct cpprof_event *event)
{
    for (; p->looked_at < p->slot_count; p->looked_at++) {
        struct range_half *half = &p->slots[p->looked_at];
        while (half->id) { /* forgetting it may move another one here */
            const bool is_owed = half->is_end && p->ends_owed;
            *event = half->event;
            event->flags |= half->is_end ? 0 : CPPROF_EVENT_UNFINISHED;
            p->ends_owed -= is_owed;
            forget(p, half);
            if (!is_owed)
                return true;
        }
    }
    return false;
}

/* One look at all entries is paid for by many that were added before. */
void range_pairs_owe_end(struct range_pairs *p, int64_t end_ns)
{
    p->ends_owed++;
    if (p->ends_owed < p->ends_owed_max)
        return;
    for (size_t i = 0; i < p->slot_count && p->ends_owed; i++)
        while (p->ends_owed && p->slots[i].id && p->slots[i].is_end &&
               p->slots[i].event.start_ns < end_ns - OWED_END_AGE_NS) {
            forget(p, &p->slots[i]);
            p->ends_owed--;
        }
    p->ends_owed_max = p->ends_owed + OWED_ENDS_MANY;
}
