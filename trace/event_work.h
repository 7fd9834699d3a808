/* event_work.h - what kind of work an event is. */
#ifndef CPPROF_EVENT_WORK_H
#define CPPROF_EVENT_WORK_H

#include <stdbool.h>

#include "cpprof/event.h"

bool event_is_gpu_work(const struct cpprof_event *event);
bool event_is_pageable(const struct cpprof_event *event); /* a copy that is known to be from or to pageable memory */

#endif
