/* activity.h - a trace of this process: CUPTI activity records into a shard.
 *
 * One session a process (CUPTI's callbacks take no user pointer). Completed
 * buffers are only queued by CUPTI's threads; activity_drain decodes them on
 * the caller's thread. No lock is held across a CUPTI call. */
#ifndef CPPROF_ACTIVITY_H
#define CPPROF_ACTIVITY_H

#include <stdint.h>

#include "base/err.h"
#include "base/shard_writer.h"
#include "collector/dynload/cupti_api.h"

/* Called for each decoded event, after it went to the shard. */
typedef void (*activity_listener)(void *context, const struct cpprof_event *event, const char *name);

struct activity_cost {
    uint64_t records;
    uint64_t record_bytes;
    uint64_t unknown_records;
    uint64_t dropped;
    int64_t decode_ns; /* spent in activity_drain */
};

/* Starts tracing; before the first CUDA call, so that nothing is missed. */
int activity_start(const struct cupti_api *api, struct shard_writer *shard, struct err *e);

/* Flushes CUPTI and decodes what has completed. */
int activity_drain(activity_listener listener, void *context, struct err *e);

void activity_cost(struct activity_cost *cost);

#endif
