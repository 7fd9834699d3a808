/* guest_delays.h - puts a busy-wait in front of each launch of the chosen kernels or copies, on their stream, or on the
 * host before the call: `profile --causal`.
 *
 * Each launch of a target gets one, most of them of no time at all, so that launching costs the same in all blocks
 * (delay_schedule.h). A launch that is recorded into a graph gets none and is counted. */
#ifndef CPPROF_GUEST_DELAYS_H
#define CPPROF_GUEST_DELAYS_H

#include <cupti.h>
#include <stdbool.h>
#include <stdint.h>

#include "collector/inject/guest_settings.h"
#include "core/base/err.h"
#include "core/base/json.h"

/* The driver's calls to enable with cuptiEnableCallback, besides those of copy_calls.h where copies are delayed. */
extern const CUpti_CallbackId guest_delay_calls[];
extern const size_t guest_delay_call_count;

/* Reads what is delayed. ERR_USAGE for a wrong pattern or delay. Call it before the first
 * guest_delays_take. */
int guest_delays_init(const struct guest_settings *settings, struct err *e);

/* Known after guest_delays_init. */
bool guest_delays_want_copies(void);

/* Takes a callback of one of these calls, on the thread that launches. Launches inside it are not seen again. Returns
 * the CPU time that was spent on purpose. */
int64_t guest_delays_take(CUpti_CallbackId call, const CUpti_CallbackData *data);

/* Returns the member `causal` of the report; NULL when no kernel was to be delayed. */
json_t *guest_delays_facts(void);

/* Returns why launches were not delayed; NULL when none had such a reason. It stays valid. */
const char *guest_delays_missing(void);

#endif
