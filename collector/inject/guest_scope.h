/* guest_scope.h - when is recording on?
 *
 * It is on while every condition holds: the time window, between
 * cudaProfilerStart and Stop (when asked for), inside the NVTX range (when
 * asked for). The conditions change on any thread. For the last two the library
 * is CUPTI's subscriber, for a few calls only, none of them a launch; else it is
 * none, and the program may subscribe itself. */
#ifndef CPPROF_GUEST_SCOPE_H
#define CPPROF_GUEST_SCOPE_H

#include <stdbool.h>

#include "collector/activity/range_watch.h"
#include "collector/dynload/cupti_api.h"
#include "collector/inject/guest_settings.h"

/* Looks on from now, also before CUDA has begun, when NVTX begins first: ranges
 * and domains that nobody watched are not known later. Subscribes to CUPTI where
 * the scope needs it: an error when another profiler has. The first call counts;
 * later ones, on any thread, say what became of it (or 0 while it is under way). */
int guest_scope_watch(const struct cupti_api *api, const struct guest_settings *settings, struct err *e);

/* The ranges that switch recording, after guest_scope_watch; NULL when none was asked for. */
const struct range_watch *guest_scope_ranges(void);

/* Whether the scope needs calls of the program, and so a subscriber. */
bool guest_scope_needs_calls(const struct guest_settings *settings);

/* Whether recording may go on and off. */
bool guest_scope_switches(const struct guest_settings *settings);

/* From now on, after activity_start, recording follows the conditions; `start_ns`:
 * now, of CLOCK_MONOTONIC. It is not switched on yet. */
void guest_scope_start(const struct guest_settings *settings, int64_t start_ns);

/* Switches recording as the conditions say now; nothing before guest_scope_start.
 * What CUPTI refuses is undone, and tried again after a second if it is still
 * wanted. Call again at guest_scope_next_ns; who waits for that moment is woken
 * (activity_wake) when a refusal makes it an earlier one. */
int guest_scope_apply(struct err *e);

/* When the time window opens or closes next, or what was refused is due again; INT64_MAX for never. */
int64_t guest_scope_next_ns(void);

/* The first refusal, of any thread; NULL when there was none. It stays. */
const struct err *guest_scope_refusal(void);

/* From now on callbacks do nothing: in a forked child and at the end. */
void guest_scope_stop(void);

/* CPU time that the program's threads spent in the callbacks. */
int64_t guest_scope_callbacks_ns(void);

#endif
