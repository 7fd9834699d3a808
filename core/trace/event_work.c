/* What kind of work is this event? */
#include "core/trace/event_work.h"

#include "core/base/count_of.h"

bool event_is_gpu_work(const struct cpprof_event *event)
{
    return event->kind >= CPPROF_EVENT_KERNEL && event->kind <= CPPROF_EVENT_MIGRATION;
}

bool event_is_between_gpus(const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_COPY && event->detail == CPPROF_COPY_P2P;
}

bool event_is_pageable(const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_COPY && event->flags & (CPPROF_EVENT_SRC_PAGEABLE | CPPROF_EVENT_DST_PAGEABLE);
}

static const struct transfer_words words[TRANSFER_CLASSES] = {
    [TRANSFER_COPY] = {"copy", "copies", "only copies"},
    [TRANSFER_MEMSET] = {"memset", "memsets", "only memsets"},
    [TRANSFER_MIGRATION] = {"migration", "migrations", "only migrations"},
};

const struct transfer_words *transfer_words(enum transfer_class c)
{
    return &words[c];
}

enum transfer_class transfer_class_of(uint16_t kind)
{
    return kind == CPPROF_EVENT_MEMSET      ? TRANSFER_MEMSET
           : kind == CPPROF_EVENT_MIGRATION ? TRANSFER_MIGRATION
                                            : TRANSFER_COPY;
}

const char *event_transfer_name(const struct cpprof_event *event)
{
    static const char *const copies[] = {
        [CPPROF_COPY_UNKNOWN] = "copy", [CPPROF_COPY_H2D] = "copy h2d", [CPPROF_COPY_D2H] = "copy d2h",
        [CPPROF_COPY_D2D] = "copy d2d", [CPPROF_COPY_P2P] = "copy p2p", [CPPROF_COPY_H2H] = "copy h2h"};
    if (event->kind == CPPROF_EVENT_MEMSET)
        return "memset";
    if (event->kind == CPPROF_EVENT_MIGRATION)
        return "migration";
    return copies[event->detail < COUNT_OF(copies) ? event->detail : 0];
}
