/* event_work.h - what kind of work is an event? */
#ifndef CPPROF_EVENT_WORK_H
#define CPPROF_EVENT_WORK_H

#include <stdbool.h>

#include "cpprof/event.h"

bool event_is_gpu_work(const struct cpprof_event *event);
bool event_is_between_gpus(const struct cpprof_event *event); /* a copy */
bool event_is_pageable(const struct cpprof_event *event); /* a copy from or to memory that is known to be pageable */

/* Work that is no kernel, by class. Enums of other rooms that tell the classes apart have them one behind the other, in
 * this order. Where several run at once, time counts for the first of them. */
enum transfer_class { TRANSFER_COPY, TRANSFER_MEMSET, TRANSFER_MIGRATION, TRANSFER_CLASSES };

struct transfer_words {
    const char *key; /* "copy": for JSON, and in a sentence as one of them */
    const char *many;
    const char *only; /* "only copies": nothing else runs */
};
const struct transfer_words *transfer_words(enum transfer_class c);
enum transfer_class transfer_class_of(uint16_t kind); /* of no kernel */

/* "copy h2d", "memset", "migration", for work that is no kernel. */
const char *event_transfer_name(const struct cpprof_event *event);

#endif
