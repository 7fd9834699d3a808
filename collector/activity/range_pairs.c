/* Which NVTX start and end are one range? */
#include "collector/activity/range_pairs.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_FIRST = 256 };

struct range_half {
    uint32_t id;
    bool is_end;
    struct cpprof_event event; /* a start: all but its end; an end: only its time */
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

/* The slot of the id, or the free one where it belongs. */
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

/* Those behind it move up, so that each is found from its home on. */
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
        .name = shard_writer_string(shard, marker->name),
        .device = -1,
        .rank = -1,
        .thread =
            marker->objectKind == CUPTI_ACTIVITY_OBJECT_THREAD || marker->objectKind == CUPTI_ACTIVITY_OBJECT_PROCESS
                ? marker->objectId.pt.threadId
                : 0,
        .detail = marker->domain && *marker->domain ? shard_writer_string(shard, marker->domain) : 0,
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
    if (half->is_end == is_end) { /* the id is used again: what was open stays without its other half */
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
    while (p->looked_at < p->slot_count && !p->slots[p->looked_at].id)
        p->looked_at++;
    if (p->looked_at == p->slot_count)
        return false;
    struct range_half *half = &p->slots[p->looked_at]; /* forgetting it may put another here */
    *event = half->event;
    event->flags |= half->is_end ? 0 : CPPROF_EVENT_UNFINISHED;
    forget(p, half);
    return true;
}
