/* event_work.h - what kind of work is an event? */
#ifndef CPPROF_EVENT_WORK_H
#define CPPROF_EVENT_WORK_H

#include <stdbool.h>

#include "cpprof/event.h"

bool event_is_gpu_work(const struct cpprof_event *event);
bool event_is_pageable(const struct cpprof_event *event); /* a copy from or to memory that is known to be pageable */

/* "copy h2d", "memset", "migration", for work that is no kernel. */
const char *event_transfer_name(const struct cpprof_event *event);

#endif
