/* nvtx_watch.h - is the program inside the NVTX range that the user named?
 *
 * Told of NVTX calls by CUPTI on whatever thread makes them. A range is open
 * while any thread is inside it. */
#ifndef CPPROF_NVTX_WATCH_H
#define CPPROF_NVTX_WATCH_H

#include <cupti.h>
#include <stdbool.h>

/* The calls that matter, for cuptiEnableCallback. */
extern const CUpti_CallbackId nvtx_watch_calls[];
extern const size_t nvtx_watch_call_count;

/* `domain` NULL: any. Both texts must stay. */
void nvtx_watch_init(const char *range, const char *domain);

void nvtx_watch_take(CUpti_CallbackId call, const CUpti_NvtxData *data);

bool nvtx_watch_is_open(void);

#endif
