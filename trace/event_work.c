/* What kind of work is this event? */
#include "trace/event_work.h"

bool event_is_gpu_work(const struct cpprof_event *event)
{
    return event->kind >= CPPROF_EVENT_KERNEL && event->kind <= CPPROF_EVENT_MIGRATION;
}

bool event_is_pageable(const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_COPY && event->flags & (CPPROF_EVENT_SRC_PAGEABLE | CPPROF_EVENT_DST_PAGEABLE);
}
