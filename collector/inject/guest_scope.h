/* guest_scope.h - when is recording on?
 *
 * It is on while every condition holds: inside the time window, between cudaProfilerStart and Stop (if asked for),
 * inside the NVTX range (if asked for). The conditions change on any thread. For the last two the library is CUPTI's
 * subscriber, for only a few calls, none of them a launch; where kernels are to be delayed (guest_delays.h), for
 * launches, too. Otherwise it does not subscribe, and the program may do so. */
#ifndef CPPROF_GUEST_SCOPE_H
#define CPPROF_GUEST_SCOPE_H

#include <stdbool.h>

#include "collector/activity/range_watch.h"
#include "collector/dynload/cupti_api.h"
#include "collector/inject/guest_settings.h"

/* Watches from now on, also before CUDA starts if NVTX starts first: ranges and domains that nobody watched are not
 * known later. Subscribes to CUPTI if the scope needs it, which is an error when another profiler has subscribed. The
 * first call does this; later calls, on any thread, return its result (or 0 while it is still running). */
int guest_scope_watch(const struct cupti_api *api, const struct guest_settings *settings, struct err *e);

/* Has code looked at that CUDA loads (guest_launching). `file` may launch kernels from the GPU, which is worth a
 * subscription; NULL: only one that there is. */
void guest_scope_watch_modules(const char *file);
bool guest_scope_watches_modules(void);

/* Returns the ranges that switch recording, after guest_scope_watch; NULL when none were asked for. */
const struct range_watch *guest_scope_ranges(void);

/* Does the scope need callbacks for calls of the program, and so a subscriber? */
bool guest_scope_needs_calls(const struct guest_settings *settings);

/* May recording go on and off? */
bool guest_scope_switches(const struct guest_settings *settings);

/* After activity_start: recording follows the conditions from now on, but is not switched on yet. `start_ns` is the
 * current time of CLOCK_MONOTONIC. */
void guest_scope_start(const struct guest_settings *settings, int64_t start_ns);

/* Switches recording as the conditions demand now; does nothing before guest_scope_start. When CUPTI refuses, the
 * switch is undone and tried again after a second if it is still wanted. Call it again at guest_scope_next_ns; a
 * refusal that makes this time earlier wakes the waiting thread (activity_wake). */
int guest_scope_apply(struct err *e);

/* Returns when the time window opens or closes next, or a refused switch is due again; INT64_MAX: never. */
int64_t guest_scope_next_ns(void);

/* Returns the first refusal on any thread; NULL when there was none. It stays valid. */
const struct err *guest_scope_refusal(void);

/* Makes callbacks do nothing from now on: in a forked child, and at the end. */
void guest_scope_stop(void);

/* Returns the CPU time that the program's threads spent in the callbacks. */
int64_t guest_scope_callbacks_ns(void);

#endif
