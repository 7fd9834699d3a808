/* nvtx_watch.h - is the program inside the NVTX range that the user named?
 *
 * Told of NVTX calls by CUPTI on whatever thread makes them. A range is open
 * while any thread is inside it: until the pop or end that belongs to it, at any
 * depth and, of start and end, on any thread; what a thread has pushed ends with
 * the thread. */
#ifndef CPPROF_NVTX_WATCH_H
#define CPPROF_NVTX_WATCH_H

#include <cupti.h>
#include <stdbool.h>

#include "collector/activity/range_watch.h"

/* The calls that matter, for cuptiEnableCallback. */
extern const CUpti_CallbackId nvtx_watch_calls[];
extern const size_t nvtx_watch_call_count;

/* `domain` NULL: any. Both texts must stay. */
void nvtx_watch_init(const char *range, const char *domain);

/* From now on the ranges are kept, for an event of each: in what it returns,
 * which lives for ever. `clock` gives the events' time. `thread_ended` is called
 * when a thread has ended inside one, on that thread, which is not the time to
 * call CUPTI. Before the first call is taken. */
const struct range_watch *nvtx_watch_keep(CUptiResult (*clock)(uint64_t *now_ns), void (*thread_ended)(void));

/* Recording goes on or off: only ranges in which it was on are kept. */
void nvtx_watch_recording(bool on);

void nvtx_watch_take(CUpti_CallbackId call, const CUpti_NvtxData *data);

bool nvtx_watch_is_open(void);

#endif
