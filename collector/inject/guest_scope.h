/* guest_scope.h - when is recording on?
 *
 * It is on while every condition holds: the time window, between
 * cudaProfilerStart and Stop (when asked for), inside the NVTX range (when
 * asked for). The conditions change on any thread. The library is CUPTI's
 * subscriber for that, for a few calls only, none of them a launch. */
#ifndef CPPROF_GUEST_SCOPE_H
#define CPPROF_GUEST_SCOPE_H

#include <stdbool.h>

#include "collector/dynload/cupti_api.h"
#include "collector/inject/guest_settings.h"

/* Subscribes to CUPTI: an error when another profiler has. `start_ns`: now, of
 * CLOCK_MONOTONIC. Recording is not switched on yet. */
int guest_scope_start(const struct cupti_api *api, const struct guest_settings *settings, int64_t start_ns,
                      struct err *e);

/* Switches recording as the conditions say now. Call again at guest_scope_next_ns. */
int guest_scope_apply(struct err *e);

/* When the time window opens or closes next; INT64_MAX for never. */
int64_t guest_scope_next_ns(void);

/* From now on callbacks do nothing: in a forked child and at the end. */
void guest_scope_stop(void);

/* CPU time that the program's threads spent in the callbacks. */
int64_t guest_scope_callbacks_ns(void);

/* Why migrations of unified memory are not recorded although the program uses
 * it; "" when they are. Valid until the next call. */
const char *guest_scope_migrations_missing(void);

#endif
