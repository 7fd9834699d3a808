/* nvtx_watch.h - is the program inside the NVTX range that the user named?
 *
 * CUPTI reports NVTX calls on the thread that makes them. A range is open while any thread is inside it: until its own
 * pop or end, at any depth. A started range may be ended by any thread. Ranges that a thread has pushed end with the
 * thread. */
#ifndef CPPROF_NVTX_WATCH_H
#define CPPROF_NVTX_WATCH_H

#include <cupti.h>
#include <stdbool.h>
#include <stdint.h>

#include "collector/activity/range_watch.h"

/* The calls to enable with cuptiEnableCallback. */
extern const CUpti_CallbackId nvtx_watch_calls[];
extern const size_t nvtx_watch_call_count;

/* Sets the range to watch. `domain` NULL: any. Both texts must stay valid. */
void nvtx_watch_init(const char *range, const char *domain);

/* Keeps the ranges from now on, so that each can become an event, and returns where they are read; the result lives for
 * ever. `clock` gives the time of events. `thread_ended` is called when a thread ends inside a range, on that thread,
 * where CUPTI must not be called. Call it before the first nvtx_watch_take. */
const struct range_watch *nvtx_watch_keep(CUptiResult (*clock)(uint64_t *now_ns), void (*thread_ended)(void));

/* Tells of occurrences: ranges that are not inside another one of their thread. They are numbered from 1 on, in the
 * order in which they begin. `length_ns` is 0 where a thread ended inside. Both are called on the program's threads,
 * and must not call this module or CUPTI. Call it before the first nvtx_watch_take. */
void nvtx_watch_occurrences(void (*began)(uint64_t number), void (*ended)(uint64_t number, int64_t length_ns));

/* Tells it that recording goes on or off. Only ranges during which it was on are kept. */
void nvtx_watch_recording(bool on);

void nvtx_watch_take(CUpti_CallbackId call, const CUpti_NvtxData *data);

bool nvtx_watch_is_open(void);

#endif
