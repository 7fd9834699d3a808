/* Does each event of a set start after the earlier ones on its stream have ended? One slot for each set and stream
 * holds the event with the latest end so far. */
#include "core/trace/stream_order.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/trace/event_work.h"

/* A key of an open-addressing table; a slot is empty while `key.used` is 0. */
struct stream_key {
    uint32_t used, set;
    int32_t rank, device;
    uint32_t context, stream;
};

struct stream_slot {
    struct stream_key key;
    struct timeline_example latest;
    bool latest_is_last; /* no event came behind it */
};

void stream_order_release(struct stream_order *s)
{
    free(s->slots);
    *s = (struct stream_order){0};
}

static size_t hash_key(const struct stream_key *key)
{
    const uint32_t place = (uint32_t)key->rank << 16 | (uint16_t)key->device; /* both have 16 bits in an event */
    const uint64_t hash = hash_mix((uint64_t)key->stream << 32 | key->context);
    return (size_t)hash_mix(hash ^ ((uint64_t)key->set << 32 | place));
}

/* Compares field by field: the key was just written, and a wider read would have to wait for the stores. */
static bool same_key(const struct stream_key *a, const struct stream_key *b)
{
    return a->stream == b->stream && a->set == b->set && a->context == b->context && a->device == b->device &&
           a->rank == b->rank;
}

/* The slot of an event is most often one of those that the last events had. */
static struct stream_slot **place_at_hand(struct stream_order *s, const struct stream_key *key)
{
    return &s->at_hand[(key->set * 8 + key->stream + (uint32_t)key->device * 64) % STREAMS_AT_HAND];
}

static struct stream_slot *find_slot(struct stream_slot *slots, size_t count, const struct stream_key *wanted)
{
    size_t at = hash_key(wanted) & (count - 1);
    while (slots[at].key.used && !same_key(&slots[at].key, wanted))
        at = (at + 1) & (count - 1);
    return &slots[at];
}

static int grow_slots(struct stream_order *s, struct err *e)
{
    if (s->used >= TIMELINE_STREAMS_MAX)
        return err_set(e, ERR_INPUT, "more than %d streams, each counted in every set of events that it is in",
                       TIMELINE_STREAMS_MAX);
    const size_t grown = s->capacity ? s->capacity * 2 : 64;
    struct stream_slot *slots = calloc(grown, sizeof *slots);
    if (!slots)
        return err_memory(e);
    for (size_t i = 0; i < s->capacity; i++)
        if (s->slots[i].key.used)
            *find_slot(slots, grown, &s->slots[i].key) = s->slots[i];
    free(s->slots);
    s->slots = slots;
    s->capacity = grown;
    memset(s->at_hand, 0, sizeof s->at_hand);
    return 0;
}

int stream_order_add(struct stream_order *s, const struct cpprof_event *event, size_t set, struct timeline_set *out,
                     struct err *e)
{
    if (s->used >= s->capacity / 2) {
        int code = grow_slots(s, e);
        if (code)
            return code;
    }
    /* Host events run on threads, not on streams. */
    const uint32_t lane = event_is_gpu_work(event) ? event->stream : event->thread;
    const struct stream_key wanted = {1, (uint32_t)set, event->rank, event->device, event->context, lane};
    struct stream_slot **at_hand = place_at_hand(s, &wanted), *slot = *at_hand;
    if (!slot || !same_key(&slot->key, &wanted))
        *at_hand = slot = find_slot(s->slots, s->capacity, &wanted);
    const struct timeline_example *before = &slot->latest;
    if (!slot->key.used) {
        s->used++;
        out->streams++;
        slot->key = wanted;
    } else if (event->start_ns < before->end_ns) {
        const struct timeline_example intrusion = {.start_ns = event->start_ns,
                                                   .end_ns =
                                                       event->end_ns < before->end_ns ? event->end_ns : before->end_ns,
                                                   .name = event->name,
                                                   .stream = event->stream,
                                                   .other_name = before->name,
                                                   .other_stream = before->stream,
                                                   .is_pageable = event_is_pageable(event),
                                                   .other_is_pageable = before->is_pageable};
        out->serial_violations++;
        const bool is_proven = before->end_ns - event->start_ns > 2 * s->time_error_ns;
        out->serial_proven += is_proven;
        out->serial_apart += is_proven && !slot->latest_is_last;
        out->violation_ns += timeline_example_ns(&intrusion);
        timeline_examples_offer(&out->violations, &intrusion);
        if (event->end_ns <= before->end_ns) {
            slot->latest_is_last = false;
            return 0;
        }
    }
    slot->latest_is_last = true;
    slot->latest = (struct timeline_example){.start_ns = event->start_ns,
                                             .end_ns = event->end_ns,
                                             .name = event->name,
                                             .stream = event->stream,
                                             .is_pageable = event_is_pageable(event)};
    return 0;
}
