/* stream_order.h - checks the order that serial(A) demands, for each (rank, device, context, stream). */
#ifndef CPPROF_STREAM_ORDER_H
#define CPPROF_STREAM_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/trace/timeline_set.h"
#include "cpprof/event.h"

struct stream_slot;

enum { STREAMS_AT_HAND = 256 };

struct stream_order { /* starts zeroed */
    struct stream_slot *slots;
    struct stream_slot *at_hand[STREAMS_AT_HAND]; /* found before; NULL: none */
    size_t capacity, used;
    int64_t time_error_ns; /* see struct timeline */
};

void stream_order_release(struct stream_order *s);

/* Compares a finished event of set number `set` with the events added before it (in the order of starts), and notes a
 * violation in `out`. */
int stream_order_add(struct stream_order *s, const struct cpprof_event *event, size_t set, struct timeline_set *out,
                     struct err *e);

#endif
