/* event_work.h - what kind of work is an event? */
#ifndef CPPROF_EVENT_WORK_H
#define CPPROF_EVENT_WORK_H

#include <stdbool.h>

#include "cpprof/event.h"

bool event_is_gpu_work(const struct cpprof_event *event);
bool event_is_pageable(const struct cpprof_event *event); /* a copy from or to memory that is known to be pageable */

#endif
