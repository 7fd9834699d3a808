/* range_profiler.h - hardware counters of a few launches, by user replay: the
 * caller's work runs once per pass, each range counted on its own.
 *
 * docs/metrics.md says which counters; this knows only names. */
#ifndef CPPROF_RANGE_PROFILER_H
#define CPPROF_RANGE_PROFILER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "collector/dynload/cupti_api.h"

struct range_profiler;

/* Runs range `index` once; called once per range and pass, in order. */
typedef int (*range_work)(void *context, size_t index, struct err *e);

/* `context` is current. `accepted[i]` says whether the chip knows
 * names[i]; unknown ones are left out. All names go into one configuration, so
 * that the passes are few. ERR_ENVIRONMENT when counters are refused. */
int range_profiler_new(struct range_profiler **out, const struct cupti_api *api, CUcontext context, int device,
                       const char *const *names, size_t count, bool *accepted, struct err *e);
void range_profiler_free(struct range_profiler *p);
size_t range_profiler_passes(const struct range_profiler *p);

/* values[range * count + i], as CUPTI says them; NAN for names not accepted. */
int range_profiler_collect(struct range_profiler *p, size_t range_count, range_work work, void *context,
                           double *values, struct err *e);

#endif
